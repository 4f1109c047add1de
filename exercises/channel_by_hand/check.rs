//! Values that come early, late, and never.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use ex_channel_by_hand::channel;
use exercise_kit::{Counted, PollsAtOnce, block_on, check, within};

exercise_kit::checks![
    a_value_that_is_there_is_taken,
    a_receiver_that_waits_is_woken,
    a_sender_that_is_dropped_wakes_the_receiver_too,
    the_newest_waker_is_woken,
    the_receiver_may_be_polled_while_it_is_woken,
];

fn a_value_that_is_there_is_taken() {
    let (sender, receiver) = channel();
    sender.send("early");
    let seen = block_on("the value that was sent before", receiver);
    check(seen == Some("early"), format_args!("the receiver got {seen:?}"), "Some(\"early\")");
}

fn a_receiver_that_waits_is_woken() {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        sender.send("late");
    });
    let seen = block_on(
        "the receiver to be woken when the value is sent; look at where `poll` leaves its waker",
        receiver,
    );
    check(seen == Some("late"), format_args!("the receiver got {seen:?}"), "Some(\"late\")");
}

fn a_sender_that_is_dropped_wakes_the_receiver_too() {
    let (sender, receiver) = channel::<u8>();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(sender);
    });
    let seen = block_on("the receiver to be woken when the sender is dropped", receiver);
    check(seen.is_none(), format_args!("the receiver got {seen:?}"), "None");
}

fn the_newest_waker_is_woken() {
    let (sender, receiver) = channel();
    let mut receiver = pin!(receiver);
    let old = Counted::new();
    let new = Counted::new();
    for counted in [&old, &new] {
        let waker = Waker::from(Arc::clone(counted));
        let polled = receiver.as_mut().poll(&mut Context::from_waker(&waker));
        check(
            polled == Poll::Pending,
            format_args!("the first poll returned {polled:?}"),
            "Pending, before the value",
        );
    }
    sender.send(1);
    let seen = format!(
        "the old waker was called {} times, the new one {} times",
        old.woken(),
        new.woken()
    );
    let right = new.woken() >= 1 && old.woken() == 0;
    check(right, seen, "the task to be woken by the waker of its last poll, and by no other");
}

fn the_receiver_may_be_polled_while_it_is_woken() {
    let expected = "a waker to be called when the lock has been given back: it may poll at once";
    let seen = within("sending to a receiver that is polled by its waker", expected, || {
        let (sender, receiver) = channel();
        let task = PollsAtOnce::start(receiver);
        sender.send(7);
        task.output()
    });
    let expected = "the value: it is there before the receiver is woken";
    check(seen == Some(Some(7)), format_args!("the receiver got {seen:?}"), expected);
    let expected = "a waker to be called when the lock has been given back: it may poll at once";
    let seen =
        within("dropping the sender of a receiver that is polled by its waker", expected, || {
            let (sender, receiver) = channel::<u8>();
            let task = PollsAtOnce::start(receiver);
            drop(sender);
            task.output()
        });
    check(
        seen == Some(None),
        format_args!("the receiver got {seen:?}"),
        "None, when the receiver is woken",
    );
}
