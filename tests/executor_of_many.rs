//! The executor of many: how often it polls which task, and when it ends.

use std::future::poll_fn;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;
use std::{iter, thread};

use ladder_tests::{DEADLINE, example, run};

#[path = "../examples/ch04/first_task/executor.rs"]
mod executor;

use executor::Executor;

/// What `run` returns, in a thread of its own: it may never end.
#[track_caller]
fn polls(executor: Executor) -> u64 {
    let (done, outcome) = mpsc::channel();
    thread::spawn(move || done.send(executor.run()));
    outcome.recv_timeout(DEADLINE).expect("the executor ends when all tasks have")
}

#[test]
fn three_tasks_of_two_pauses_are_polled_nine_times() {
    let finished = run(&mut example("executor_of_many"), DEADLINE);
    let expected = "third: 200 ms are over\nsecond: 400 ms are over\nfirst: 600 ms are over\n\
        all tasks have ended, after 9 polls\n";
    assert_eq!((finished.code, &*finished.stdout), (Some(0), expected), "{}", finished.stderr);
}

/// Each gives way as often as it is told to, and notes each of its polls.
#[test]
fn tasks_that_wake_themselves_take_turns() {
    let mut executor = Executor::new();
    let polled = Arc::new(Mutex::new(String::new()));
    for (name, mut turns) in iter::zip(['a', 'b', 'c'], [3, 1, 2]) {
        let polled = Arc::clone(&polled);
        executor.spawn(poll_fn(move |context| {
            polled.lock().expect("nobody panics").push(name);
            turns -= 1;
            if turns == 0 {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }));
    }
    assert_eq!(polls(executor), 6);
    assert_eq!(*polled.lock().expect("nobody panics"), "abcaca");
}

/// Two wakes are two polls, the second in vain; and a wake after the end is no poll.
#[test]
fn a_task_that_is_woken_twice_is_polled_twice() {
    let mut executor = Executor::new();
    let mut polled = 0;
    executor.spawn(poll_fn(move |context| {
        polled += 1;
        if polled == 1 {
            // The poll of the first wake goes on to the end if the other does not come first.
            context.waker().wake_by_ref();
            context.waker().wake_by_ref();
        }
        if polled == 3 { Poll::Ready(()) } else { Poll::Pending }
    }));
    assert_eq!(polls(executor), 3);
}

/// An `async` block panics when it is polled after its end.
#[test]
fn a_task_that_has_ended_is_not_polled_again() {
    let mut executor = Executor::new();
    let wakes_itself = poll_fn(|context| {
        context.waker().wake_by_ref();
        Poll::Ready(())
    });
    let work = async move {
        wakes_itself.await;
    };
    executor.spawn(work);
    assert_eq!(polls(executor), 1);
}

/// Nobody will call it, and yet it has the task, and the task has a sender.
#[test]
fn a_waker_that_somebody_keeps_keeps_no_executor() {
    let mut executor = Executor::new();
    let kept: Arc<Mutex<Option<Waker>>> = Arc::default();
    let keeps = Arc::clone(&kept);
    executor.spawn(poll_fn(move |context| {
        *keeps.lock().expect("nobody panics") = Some(context.waker().clone());
        Poll::Ready(())
    }));
    assert_eq!(polls(executor), 1);
}

#[test]
fn it_waits_for_a_task_that_another_thread_wakes() {
    let mut executor = Executor::new();
    let mut first = true;
    executor.spawn(poll_fn(move |context| {
        if !first {
            return Poll::Ready(());
        }
        first = false;
        let waker = context.waker().clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            waker.wake();
        });
        Poll::Pending
    }));
    assert_eq!(polls(executor), 2);
}
