//! A task looks whether its socket is ready, and leaves its waker; the reactor has an event of that socket.

use std::{mem, sync::Arc, task::Poll};

use super::{
    Level, Version, Work,
    board::{Context, Mutex, Waker, drop, park, see},
};

pub static LEVEL: Level = Level {
    name: "lost-wake-up",
    title: "Lose the wake-up",
    goal: "A task waits for its socket, and the reactor has the event for which it waits. Let the two take turns so that the task sleeps forever.",
    fails: "The socket is ready and the task sleeps. No further event comes, so nothing calls its waker.",
    well: "The task has seen its event.",
    threads: ["Task", "Reactor"],
    wanted: None,
    file: "tests/schedules/lost_wake_up.rs",
    versions: [
        Version { start: looks_first, lines: [&["looks-first", "wait"], &["event"]] },
        Version {
            start: one_lock,
            lines: [&["one-lock", "wait-for-it"], &["event-under-one-lock"]],
        },
    ],
};

fn shown_ready(ready: &bool) -> (&'static str, String) {
    ("ready", ready.to_string())
}

fn shown_waker(waker: &Option<Waker>) -> (&'static str, String) {
    ("the socket's waker", if waker.is_some() { "kept" } else { "none" }.to_owned())
}

/// A socket with a lock for each.
struct Socket {
    ready: Mutex<bool>,
    waker: Mutex<Option<Waker>>,
}

impl Socket {
    // ANCHOR: looks-first
    fn poll_take(&self, context: &mut Context) -> Poll<()> {
        if mem::take(&mut *self.ready.lock().unwrap()) {
            return Poll::Ready(());
        }
        *self.waker.lock().unwrap() = Some(context.waker().clone());
        Poll::Pending
    }
    // ANCHOR_END: looks-first
}

fn looks_first() -> [Work; 2] {
    let ready = Mutex::new("the lock of ready", false, |ready| vec![shown_ready(ready)]);
    let waker = Mutex::new("the lock of waker", None, |waker| vec![shown_waker(waker)]);
    let task = Arc::new(Socket { ready, waker });
    let reactor = Arc::clone(&task);
    [Box::new(move || wait_for(&task)), Box::new(move || event(&reactor))]
}

fn wait_for(socket: &Socket) {
    let mut context = Context::of_this_thread();
    // ANCHOR: wait
    while socket.poll_take(&mut context).is_pending() {
        park();
    }
    // ANCHOR_END: wait
}

fn event(socket: &Socket) {
    // ANCHOR: event
    *socket.ready.lock().unwrap() = true;
    let waker = socket.waker.lock().unwrap().take();
    if let Some(waker) = waker {
        waker.wake();
    }
    // ANCHOR_END: event
}

/// A socket as the runtime of the book has it.
struct Readiness(Mutex<State>);

struct State {
    ready: bool,
    waker: Option<Waker>,
}

impl Readiness {
    // ANCHOR: one-lock
    fn poll_take(&self, context: &mut Context) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        if mem::take(&mut state.ready) {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
    // ANCHOR_END: one-lock
}

fn one_lock() -> [Work; 2] {
    let state = State { ready: false, waker: None };
    let shows = |state: &State| vec![shown_ready(&state.ready), shown_waker(&state.waker)];
    let task = Arc::new(Readiness(Mutex::new("the lock", state, shows)));
    let reactor = Arc::clone(&task);
    [Box::new(move || wait_for_it(&task)), Box::new(move || event_under_one_lock(&reactor))]
}

fn wait_for_it(socket: &Readiness) {
    let mut context = Context::of_this_thread();
    // ANCHOR: wait-for-it
    while socket.poll_take(&mut context).is_pending() {
        park();
    }
    // ANCHOR_END: wait-for-it
}

fn event_under_one_lock(socket: &Readiness) {
    // ANCHOR: event-under-one-lock
    let mut state = socket.0.lock().unwrap();
    state.ready = true;
    see(&state);
    let waker = state.waker.take();
    see(&state);
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
    // ANCHOR_END: event-under-one-lock
}
