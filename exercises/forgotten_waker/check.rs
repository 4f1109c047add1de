//! Several tasks wait for one bell.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use ex_forgotten_waker::Bell;
use exercise_kit::{Counted, block_on, check};

exercise_kit::checks![
    who_comes_late_does_not_wait,
    everybody_who_waits_is_woken,
    a_task_that_looks_often_is_woken_and_not_forgotten,
];

fn who_comes_late_does_not_wait() {
    let bell = Bell::new();
    bell.ring();
    block_on("the bell to let every task through once it has rung", bell.wait());
}

fn everybody_who_waits_is_woken() {
    let bell = Bell::new();
    let tasks: Vec<_> = (0..5).map(|_| Counted::new()).collect();
    let mut waits: Vec<_> = tasks.iter().map(|_| Box::pin(bell.wait())).collect();
    for (wait, task) in waits.iter_mut().zip(&tasks) {
        let waker = Waker::from(Arc::clone(task));
        let polled = wait.as_mut().poll(&mut Context::from_waker(&waker));
        check(polled == Poll::Pending, "a wait was over before the ring", "Pending until then");
    }
    bell.ring();
    let woken = tasks.iter().filter(|task| task.woken() > 0).count();
    check(
        woken == 5,
        format_args!("the ring woke {woken} of 5 tasks that waited"),
        "all five; look at how many wakers the bell holds before it rings",
    );
}

fn a_task_that_looks_often_is_woken_and_not_forgotten() {
    let bell = Bell::new();
    let task = Counted::new();
    let waker = Waker::from(Arc::clone(&task));
    let mut wait = pin!(bell.wait());
    for _ in 0..1000 {
        let _ = wait.as_mut().poll(&mut Context::from_waker(&waker));
    }
    bell.ring();
    let woken = task.woken();
    check(
        woken > 0,
        "the ring didn't wake a task that had looked a thousand times",
        "it to be woken",
    );
    let seen = format!("one ring woke one task {woken} times, after a thousand looks");
    check(woken < 10, seen, "once: a task that looks again is on the list already");
    let over = wait.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
    check(over, "a wait goes on after the ring", "its end");
}
