//! The database answers nothing before both questions are open; and nothing but the page's own task asks.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Waker},
    thread,
};

use ex_two_waits::page;
use exercise_kit::{Counted, Database, a_moment, check, within};

exercise_kit::checks![both_questions_are_open_at_the_same_time, one_task_asks_both];

fn both_questions_are_open_at_the_same_time() {
    let database = Database::start(2);
    let address = database.address;
    let gate = database.gate;
    let watched = Arc::clone(&gate);
    let asking = thread::spawn(move || smol::block_on(page(address)));
    let opened = watched.wait();
    let seen = format!(
        "the database had {} question open, and never a second at the same time",
        gate.most()
    );
    check(
        opened,
        seen,
        "both questions open at the same time; look at when the second is first polled",
    );
    let page =
        within("asking for the page", "the two answers", move || asking.join().expect("no panic"));
    let page = page.unwrap_or_else(|error| error.to_string());
    let right = page == "answer to visitor\nanswer to basket\n";
    check(
        right,
        format_args!("the page is {page:?}"),
        "the visitor's answer and then the basket's",
    );
}

fn one_task_asks_both() {
    let database = Database::start(usize::MAX);
    let mut page = pin!(page(database.address));
    let waker = Waker::from(Counted::new());
    let over = page.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
    check(!over, "the page was ready without a wait", "it to wait for its connections");
    // From here on it is not polled, so only another task can ask the database now.
    a_moment();
    let seen =
        format!("{} questions were asked while nobody polled the page", database.gate.entered());
    check(
        database.gate.entered() == 0,
        seen,
        "none: one task asks both, without a second task or a thread",
    );
}
