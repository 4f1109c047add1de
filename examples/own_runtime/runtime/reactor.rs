//! The reactor: what tasks wait for, and the one call where a thread waits for all of it.

// ANCHOR: reactor
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{io, task::Waker};

use mio::{Events, Poll, Registry, Token};

use super::{budget::Budget, lock, readiness::Readiness};

/// The token of the event that only ends the wait.
const INTERRUPT: Token = Token(0);

/// The two directions of a socket that is watched, and the budget of its task.
#[derive(Default)]
pub struct Source {
    pub read: Readiness,
    pub write: Readiness,
    pub budget: Budget,
}

pub struct Reactor {
    pub registry: Registry,
    /// Only the thread that leads takes this lock.
    poll: Mutex<(Poll, Events)>,
    pub sources: Mutex<HashMap<Token, Arc<Source>>>,
    /// When to wake which task. The number is there because two may be due at the same time.
    pub timers: Mutex<BTreeMap<(Instant, usize), Waker>>,
    next: AtomicUsize,
}

impl Reactor {
    pub fn new() -> io::Result<(Reactor, mio::Waker)> {
        let poll = Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let interrupt = mio::Waker::new(&registry, INTERRUPT)?;
        let reactor = Reactor {
            registry,
            poll: Mutex::new((poll, Events::with_capacity(1024))),
            sources: Mutex::default(),
            timers: Mutex::default(),
            next: AtomicUsize::new(INTERRUPT.0 + 1),
        };
        Ok((reactor, interrupt))
    }
    // ANCHOR_END: reactor

    // ANCHOR: wait
    /// Waits until something happens, if it may `sleep`, and returns whom that concerns.
    pub fn wait(&self, sleep: bool) -> Vec<Waker> {
        let (poll, events) = &mut *lock(&self.poll);
        let first = lock(&self.timers).first_key_value().map(|(&(due, _), _)| due);
        let left = first.map(|due| due.saturating_duration_since(Instant::now()));
        // It fails only where a signal interrupts it: then nothing has happened.
        let _ = poll.poll(events, if sleep { left } else { Some(Duration::ZERO) });
        let mut wakers = Vec::new();
        let sources = lock(&self.sources);
        for event in &*events {
            // A socket that was dropped since has no entry.
            let Some(source) = sources.get(&event.token()) else { continue };
            if event.is_readable() || event.is_read_closed() {
                wakers.extend(source.read.set(event.is_read_closed()));
            }
            if event.is_writable() || event.is_write_closed() {
                wakers.extend(source.write.set(event.is_write_closed()));
            }
        }
        drop(sources);
        let mut timers = lock(&self.timers);
        let now = Instant::now();
        while timers.first_key_value().is_some_and(|((due, _), _)| *due <= now) {
            wakers.extend(timers.pop_first().map(|(_, waker)| waker));
        }
        wakers
    }
    // ANCHOR_END: wait

    // ANCHOR: number
    /// Returns a number that nothing else has: a socket's token, or part of a timer's name.
    pub fn number(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}
// ANCHOR_END: number
