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
    one_that_does_not_read_stays_and_keeps_its_queue,
    a_note_stands_where_lines_are_missing,
    each_line_is_heard_or_noted,
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
            "it to return immediately, however full a queue is",
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

/// The number in a note, and `None` for a line.
fn noted(line: &str) -> Option<usize> {
    let rest = line.strip_prefix("you have missed ")?;
    rest.strip_suffix(" lines")?.parse().ok()
}

/// Follows the lines that a member hears, which are numbers, from 0 on.
#[derive(Default)]
struct Follower {
    /// How many lines it has heard or knows that it has missed.
    known: usize,
    /// The last line, and what the notes behind it say.
    last: Option<usize>,
    notes: usize,
    heard: usize,
}

impl Follower {
    fn hears(&mut self, line: &str) {
        if let Some(count) = noted(line) {
            self.known += count;
            self.notes += count;
            return;
        }
        let seen = format!("a member heard {line:?}, which is no note and no line that was said");
        let Ok(number) = line.parse::<usize>() else {
            fail(seen, "`you have missed N lines`, or a line");
        };
        let last = self.last.map_or("the beginning".to_owned(), |last| format!("line {last}"));
        check(
            number == self.known,
            format_args!(
                "a member heard line {number} after {last}; the notes between them say {}",
                self.notes
            ),
            "a note that says how many lines are missing, and only there",
        );
        self.known += 1;
        self.last = Some(number);
        self.notes = 0;
        self.heard += 1;
    }
}

fn all_members_hear_each_line() {
    let mut room = Room::default();
    let mut members: Vec<_> = (0..3).map(|_| room.join()).collect();
    for line in ["one", "two"] {
        let count = say(&mut room, line);
        check(
            count == 3,
            format_args!("`say` returned {count} where 3 members had room"),
            "3: all of them have got the line",
        );
    }
    for member in &mut members {
        let lines = heard(member);
        check(
            lines == ["one", "two"],
            format_args!("the member heard {lines:?}"),
            "the lines one and two",
        );
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
        check(
            lines == [line.as_str()],
            format_args!("the member heard {lines:?}"),
            format_args!("[{line:?}]"),
        );
    }
}

fn one_that_does_not_read_stays_and_keeps_its_queue() {
    let mut room = Room::default();
    let mut silent = room.join();
    let mut reads = room.join();
    let mut count = 0;
    for number in 0..QUEUE + 3 {
        count = say(&mut room, &number.to_string());
        heard(&mut reads);
    }
    check(
        count == 1,
        format_args!("`say` returned {count} when one of two queues was full"),
        "1: the other member has got the line",
    );
    let seen = format!("the room has {} members: one whose queue is full is gone", room.len());
    check(room.len() == 2, seen, "it to stay, and to miss lines");
    let lines = heard(&mut silent);
    check(
        lines.len() == QUEUE,
        format_args!("the member whose queue was full heard {} lines", lines.len()),
        format_args!("the {QUEUE} that its queue had room for"),
    );
    let ended = matches!(silent.try_recv(), Err(TryRecvError::Disconnected));
    check(
        !ended,
        "a member whose queue is full got the end of its lines",
        "it to stay, and to miss lines",
    );
}

fn a_note_stands_where_lines_are_missing() {
    let mut room = Room::default();
    let mut silent = room.join();
    let mut follower = Follower::default();
    for number in 0..QUEUE + 3 {
        say(&mut room, &number.to_string());
    }
    heard(&mut silent).iter().for_each(|line| follower.hears(line));
    // Three lines are missing before this one.
    let count = say(&mut room, &(QUEUE + 3).to_string());
    check(count == 1, format_args!("`say` returned {count}, and the queue was empty"), "1");
    heard(&mut silent).iter().for_each(|line| follower.hears(line));
    // And none before this one.
    say(&mut room, &(QUEUE + 4).to_string());
    let lines = heard(&mut silent);
    let seen = format!("a member heard {lines:?}, and it had missed no line since its last note");
    check(lines.len() == 1, seen, "the line alone");
    lines.iter().for_each(|line| follower.hears(line));
}

/// A member that reads a line now and then: there is a slot for the note, and none for the line.
fn each_line_is_heard_or_noted() {
    let mut room = Room::default();
    let mut slow = room.join();
    let mut follower = Follower::default();
    let mut given = 0;
    for number in 0..6 * QUEUE {
        given += say(&mut room, &number.to_string());
        // In some stretches less often than the others talk, and in others not at all.
        if number / QUEUE % 2 == 1
            && number % 3 == 0
            && let Ok(line) = slow.try_recv()
        {
            follower.hears(&line);
        }
    }
    heard(&mut slow).iter().for_each(|line| follower.hears(line));
    given += say(&mut room, &(6 * QUEUE).to_string());
    heard(&mut slow).iter().for_each(|line| follower.hears(line));
    let heard = follower.heard;
    let seen = format!("`say` counted {given} lines for a member that heard {heard}");
    check(
        given == heard,
        seen,
        "the same number; look at what `say` counts when only the note finds a slot",
    );
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
            // Lets the other tasks run.
            tokio::task::yield_now().await;
        }
        let seen =
            format!("{count} lines wait for a member that hasn't read: more than its queue holds");
        check(
            count <= QUEUE,
            seen,
            format_args!("at most {QUEUE}; look for what else keeps lines"),
        );
    });
}

fn one_that_has_left_is_removed() {
    let mut room = Room::default();
    let mut stays = room.join();
    drop(room.join());
    let count = say(&mut room, "hello");
    check(
        count == 1,
        format_args!("`say` returned {count} when one member of two had left"),
        "1: the member that is there has got it",
    );
    let lines = heard(&mut stays);
    check(lines == ["hello"], format_args!("the member heard {lines:?}"), "the line");
    let seen = format!("the room has {} members: one that has left is still there", room.len());
    check(room.len() == 1, seen, "one member");
    // One that leaves with a full queue hears nothing more.
    let silent = room.join();
    for number in 0..QUEUE + 1 {
        say(&mut room, &number.to_string());
        heard(&mut stays);
    }
    drop(silent);
    say(&mut room, "later");
    let seen = format!("the room has {} members: one that has left is still there", room.len());
    check(room.len() == 1, seen, "one member");
}
