//! A room with members that read, one that doesn't, and one that leaves. Nothing here waits for a time.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use ex_nobody_waits::{QUEUE, Room};
use exercise_kit::{check, fail};
use tokio::sync::mpsc::{Receiver, error::TryRecvError};

exercise_kit::checks![
    all_members_hear_each_line,
    nobody_waits_for_one_that_does_not_read,
    one_that_does_not_read_gets_its_queue_and_then_the_end,
    nothing_piles_up_beside_the_queue,
    one_that_has_left_is_removed,
];

/// Says a line to the room, in one poll.
#[track_caller]
fn say(room: &mut Room, line: &str) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("the system has what a runtime needs");
    let _inside = runtime.enter();
    say_inside(room, line)
}

#[track_caller]
fn say_inside(room: &mut Room, line: &str) -> usize {
    let said = pin!(room.say(line));
    match said.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(count) => count,
        Poll::Pending => fail(
            format_args!("`say({line:?})` is pending: it waits for a member"),
            "that it returns immediately",
        ),
    }
}

/// What a member finds in its queue now.
fn heard(lines: &mut Receiver<Arc<str>>) -> Vec<String> {
    let mut all = Vec::new();
    while let Ok(line) = lines.try_recv() {
        all.push(line.to_string());
    }
    all
}

fn is_at_its_end(lines: &mut Receiver<Arc<str>>) -> bool {
    matches!(lines.try_recv(), Err(TryRecvError::Disconnected))
}

fn all_members_hear_each_line() {
    let mut room = Room::default();
    let mut members: Vec<_> = (0..3).map(|_| room.join()).collect();
    for line in ["one", "two"] {
        let count = say(&mut room, line);
        check(count == 3, format_args!("{count} of 3 members have got it"), "all three");
    }
    for member in &mut members {
        let lines = heard(member);
        check(lines == ["one", "two"], format_args!("{lines:?}"), "the lines one and two");
    }
}

fn nobody_waits_for_one_that_does_not_read() {
    let mut room = Room::default();
    let _silent = room.join();
    let mut reads = room.join();
    for number in 0..3 * QUEUE {
        let line = number.to_string();
        say(&mut room, &line);
        let lines = heard(&mut reads);
        check(lines == [line.as_str()], format_args!("{lines:?}"), format_args!("[{line:?}]"));
    }
}

fn one_that_does_not_read_gets_its_queue_and_then_the_end() {
    let mut room = Room::default();
    let mut silent = room.join();
    let mut reads = room.join();
    let mut count = 0;
    for number in 0..=QUEUE {
        count = say(&mut room, &number.to_string());
        heard(&mut reads);
    }
    check(
        count == 1,
        format_args!("`say` returns {count} when one of two queues is full"),
        "1: the other member has got the line",
    );
    let lines = heard(&mut silent);
    check(
        lines.len() == QUEUE,
        format_args!("{} lines for the one whose queue was full", lines.len()),
        format_args!("the {QUEUE} that had room"),
    );
    say(&mut room, "later");
    let later = heard(&mut silent);
    check(
        later.is_empty(),
        format_args!("it has missed a line, and then it hears {later:?}"),
        "that a member whose queue was full is removed",
    );
    let ended = is_at_its_end(&mut silent);
    check(ended, "its queue has no end", "that its sender is dropped");
    check(room.len() == 1, format_args!("{} members", room.len()), "1");
}

fn nothing_piles_up_beside_the_queue() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("the system has what a runtime needs");
    runtime.block_on(async {
        let mut room = Room::default();
        let mut silent = room.join();
        for number in 0..3 * QUEUE {
            say_inside(&mut room, &number.to_string());
        }
        let mut count = 0;
        for _ in 0..3 * QUEUE {
            count += heard(&mut silent).len();
            // Whatever else waits has its turn.
            tokio::task::yield_now().await;
        }
        let seen =
            format!("{count} lines for a member that hasn't read: more than its queue holds");
        check(count <= QUEUE, seen, format_args!("at most {QUEUE}"));
    });
}

fn one_that_has_left_is_removed() {
    let mut room = Room::default();
    let mut stays = room.join();
    drop(room.join());
    let count = say(&mut room, "hello");
    check(count == 1, format_args!("{count} members have got it"), "the one that is there");
    let lines = heard(&mut stays);
    check(lines == ["hello"], format_args!("{lines:?}"), "the line");
    let seen = format!("{} members: a member that has left is still there", room.len());
    check(room.len() == 1, seen, "one member");
}
