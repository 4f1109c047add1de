//! The database answers nothing before both questions are open.

use ex_two_waits::page;
use exercise_kit::{Database, check, within};

#[test]
fn both_questions_are_open_at_the_same_time() {
    let database = Database::start(2);
    let address = database.address;
    let gate = database.gate;
    let watched = std::sync::Arc::clone(&gate);
    let asking = std::thread::spawn(move || smol::block_on(page(address)));
    let opened = watched.wait();
    let seen = format!("the database had {} question open, and never a second", gate.most());
    check(opened, seen, "both questions open at the same time");
    let page = within("the page", "the two answers", move || asking.join().expect("no panic"));
    let page = page.unwrap_or_else(|error| error.to_string());
    let right = page == "answer to visitor\nanswer to basket\n";
    check(right, format_args!("{page:?}"), "the visitor's answer and then the basket's");
}
