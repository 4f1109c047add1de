//! A runtime that only counts its queued and its polled tasks.

use ex_one_place::Place;
use exercise_kit::{check, fail};

exercise_kit::checks![
    a_wake_queues_a_task_that_waits,
    two_wakes_queue_it_once,
    a_wake_during_the_poll_is_remembered,
    no_story_forgets_a_wake,
];

/// A runtime with one task.
#[derive(Default)]
struct Runtime {
    place: Place,
    /// How often the task is in the queue.
    queued: usize,
    polled: bool,
    story: Vec<&'static str>,
}

impl Runtime {
    fn queue_if(&mut self, queue: bool) {
        self.queued += usize::from(queue);
        let story = self.story.join(", ");
        check(
            self.queued <= 1,
            format_args!("{story}: the task was in the queue twice"),
            "once at most: a wake of a task that is queued changes nothing",
        );
        let both = self.queued > 0 && self.polled;
        check(
            !both,
            format_args!("{story}: the task was in the queue while it was polled"),
            "one place: its next poll begins when this one has ended",
        );
    }

    fn wake(&mut self) {
        self.story.push("wake");
        let queue = self.place.wake();
        self.queue_if(queue);
    }

    /// A thread takes the task, if it is queued.
    fn begin(&mut self) -> bool {
        if self.queued == 0 || self.polled {
            return false;
        }
        self.story.push("poll");
        (self.queued, self.polled) = (self.queued - 1, true);
        self.place.poll_begins();
        true
    }

    fn end(&mut self) {
        self.story.push("Pending");
        self.polled = false;
        let queue = self.place.poll_ends();
        self.queue_if(queue);
    }
}

fn a_wake_queues_a_task_that_waits() {
    let mut runtime = Runtime::default();
    for _ in 0..3 {
        runtime.wake();
        check(
            runtime.begin(),
            "the task was woken while it waited, and nobody queued it",
            "`wake` to say that it has to be queued",
        );
        runtime.end();
        check(
            !runtime.begin(),
            "the task was queued without a wake",
            "it to wait for its next wake",
        );
    }
}

fn two_wakes_queue_it_once() {
    let mut runtime = Runtime::default();
    runtime.wake();
    runtime.wake();
    check(
        runtime.begin(),
        "the task was woken twice, and nobody queued it",
        "`wake` to say that it has to be queued",
    );
    runtime.end();
    check(
        !runtime.begin(),
        "the task was woken twice before its poll, and polled twice",
        "one poll for both",
    );
}

fn a_wake_during_the_poll_is_remembered() {
    for wakes in [1, 2, 3] {
        let mut runtime = Runtime::default();
        runtime.wake();
        runtime.begin();
        for _ in 0..wakes {
            runtime.wake();
        }
        runtime.end();
        check(
            runtime.begin(),
            "the task was woken during its poll, and nobody queued it",
            "another poll; look at what `poll_ends` knows of the wake",
        );
        runtime.end();
        check(!runtime.begin(), "the task was polled a third time", "one more poll for all wakes");
    }
}

/// Every story of so many events; an event is a wake, or the next step of a thread.
fn no_story_forgets_a_wake() {
    for story in 0..1_u32 << 10 {
        let mut runtime = Runtime::default();
        let mut owed = false;
        for bit in 0..10 {
            if story >> bit & 1 == 1 {
                runtime.wake();
                owed = true;
            } else if runtime.polled {
                runtime.end();
            } else if runtime.begin() {
                owed = false;
            } else if owed {
                let told = runtime.story.join(", ");
                fail(
                    format_args!("{told}: the task was woken, and nobody queued it"),
                    "a poll after each wake",
                );
            }
        }
    }
}
