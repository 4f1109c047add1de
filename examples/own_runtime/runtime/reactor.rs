//! The reactor: what the tasks wait for, and the one call in which a thread waits for all of it.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;
use std::time::{Duration, Instant};

use mio::event::Source as Socket;
use mio::{Events, Interest, Poll, Registry, Token};

use super::readiness::Readiness;

/// The token of the event that only ends the wait.
const INTERRUPT: Token = Token(0);

/// A socket that is watched.
#[derive(Default)]
pub struct Source {
    pub read: Readiness,
    pub write: Readiness,
    /// Whether the other side will send no more. The system tells it once.
    pub finished: AtomicBool,
}

/// The name of a timer: when, and a number, because two may be due at the same time.
pub type Timer = (Instant, usize);

// ANCHOR: reactor
pub struct Reactor {
    registry: Registry,
    /// Only the thread that leads takes this lock.
    poll: Mutex<(Poll, Events)>,
    sources: Mutex<HashMap<Token, Arc<Source>>>,
    timers: Mutex<BTreeMap<Timer, Waker>>,
    /// Never given twice: to a socket as its token, to a timer as its number.
    next: AtomicUsize,
}
// ANCHOR_END: reactor

impl Reactor {
    pub fn new() -> io::Result<(Reactor, mio::Waker)> {
        let poll = Poll::new()?;
        let interrupt = mio::Waker::new(poll.registry(), INTERRUPT)?;
        let reactor = Reactor {
            registry: poll.registry().try_clone()?,
            poll: Mutex::new((poll, Events::with_capacity(1024))),
            sources: Mutex::default(),
            timers: Mutex::default(),
            next: AtomicUsize::new(INTERRUPT.0 + 1),
        };
        Ok((reactor, interrupt))
    }

    // ANCHOR: wait
    /// Waits until something happens, if it may `sleep`, and returns whom that concerns.
    pub fn wait(&self, sleep: bool) -> Vec<Waker> {
        let mut poll = lock(&self.poll);
        let (poll, events) = &mut *poll;
        let limit = if sleep { self.time_left() } else { Some(Duration::ZERO) };
        // It fails only where a signal interrupts it: then nothing has happened.
        if poll.poll(events, limit).is_err() {
            return Vec::new();
        }
        let mut wakers = Vec::new();
        let sources = lock(&self.sources);
        for event in &*events {
            // A socket that was dropped since has no entry.
            let Some(source) = sources.get(&event.token()) else { continue };
            if event.is_read_closed() {
                source.finished.store(true, Ordering::Relaxed);
            }
            if event.is_readable() || event.is_read_closed() || event.is_error() {
                wakers.extend(source.read.set());
            }
            if event.is_writable() || event.is_write_closed() || event.is_error() {
                wakers.extend(source.write.set());
            }
        }
        drop(sources);
        let mut timers = lock(&self.timers);
        let later = timers.split_off(&(Instant::now(), usize::MAX));
        wakers.extend(std::mem::replace(&mut *timers, later).into_values());
        wakers
    }
    // ANCHOR_END: wait

    fn time_left(&self) -> Option<Duration> {
        let timers = lock(&self.timers);
        let ((due, _), _) = timers.first_key_value()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Watches a socket from now on.
    pub fn add(
        &self,
        socket: &mut impl Socket,
        interest: Interest,
    ) -> io::Result<(Token, Arc<Source>)> {
        let (token, source) = (Token(self.number()), Arc::<Source>::default());
        // First the entry, so that no event comes that finds none.
        lock(&self.sources).insert(token, Arc::clone(&source));
        if let Err(error) = self.registry.register(socket, token, interest) {
            self.remove(token);
            return Err(error);
        }
        Ok((token, source))
    }

    pub fn remove(&self, token: Token) {
        lock(&self.sources).remove(&token);
    }

    /// A name for a timer that is due at this time.
    pub fn timer(&self, due: Instant) -> Timer {
        (due, self.number())
    }

    /// Sets a timer, or its new waker; whether it is the first of all now.
    pub fn set(&self, timer: Timer, waker: &Waker) -> bool {
        let mut timers = lock(&self.timers);
        let is_new = timers.insert(timer, waker.clone()).is_none();
        is_new && timers.first_key_value().is_some_and(|(first, _)| *first == timer)
    }

    pub fn unset(&self, timer: Timer) {
        lock(&self.timers).remove(&timer);
    }

    fn number(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics under a lock of the reactor")
}
