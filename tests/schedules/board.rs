//! What there is to see of a model: where its threads are, what they wait for, and what they share.
//!
//! The types here have the names and the methods of `std`'s, so the lines of a model are those of a real program. Each
//! operation says first on which line of its file it stands, and gives way: there the scheduler chooses. A step is a line,
//! with all that belongs to it, such as the lock that is given back at its end. No line takes two locks that both are
//! contended, so nothing is lost by taking it as one step.

use std::{
    cell::RefCell,
    fmt::Display,
    mem,
    ops::{Deref, DerefMut},
    panic::Location,
    sync::LockResult,
};

use shuttle::{current, sync, thread};

/// All that is to be seen at a moment. What a step leads to has to follow from it: the explorer looks whether it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub threads: [Place; 2],
    /// What the threads share, by name.
    pub values: Vec<(&'static str, String)>,
}

/// Where a thread is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The line of its file that it runs next.
    pub line: Option<u32>,
    pub does: Does,
    /// A number that it has read, by name.
    pub keeps: Option<(&'static str, String)>,
}

/// What a thread does when no step is being taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Does {
    /// It has not come to its first line.
    #[default]
    Begins,
    /// It can run its line.
    Runs,
    /// It wants the lock of this name.
    Wants(&'static str),
    /// It sleeps on a condition variable, and will want the lock of this name.
    Sleeps(&'static str),
    /// It is parked.
    Parked,
    /// It is parked, and somebody has called its waker.
    Woken,
    /// It has ended.
    Ended,
}

/// The value of a lock that no thread holds.
pub const FREE: &str = "free";
/// Whether `park` sleeps: not if the thread was unparked before.
const PARK: &str = "the next park";
const SLEEPS: &str = "would sleep";
const RETURNS: &str = "would return at once";

#[derive(Default)]
struct Board {
    names: [&'static str; 2],
    state: State,
}

thread_local! {
    // Shuttle runs all threads of a model on the thread that calls it, so they share this one.
    static BOARD: RefCell<Board> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Board) -> T) -> T {
    BOARD.with_borrow_mut(work)
}

/// An execution begins.
pub fn begin(names: [&'static str; 2]) {
    with(|board| *board = Board { names, state: State::default() });
}

pub fn look() -> State {
    with(|board| board.state.clone())
}

/// The calling thread ends: its last step is over.
pub fn end() {
    let place = Place { does: Does::Ended, ..Place::default() };
    with(|board| board.state.threads[me()] = place);
}

/// Shows a number that the calling thread has read and will use.
pub fn keep(name: &'static str, number: impl Display) {
    with(|board| board.state.threads[me()].keeps = Some((name, number.to_string())));
}

/// Shows what was changed under a lock before that is given back.
pub fn see<T>(guard: &Guard<'_, T>) {
    let value = guard.inner.as_deref().expect("it is taken only where the guard goes");
    guard.mutex.show(value);
}

/// The threads of a model come after the one that starts them.
fn me() -> usize {
    usize::from(current::me()) - 1
}

fn does(what: Does) {
    with(|board| board.state.threads[me()].does = what);
}

fn show(name: &'static str, value: impl Into<String>) {
    with(|board| {
        let value = value.into();
        match board.state.values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => board.state.values.push((name, value)),
        }
    });
}

/// Whether something has this value now.
fn shows(name: &str, value: &str) -> bool {
    with(|board| board.state.values.iter().any(|(known, now)| (*known, &**now) == (name, value)))
}

/// The calling thread has come to the line of the caller: another one may go first.
#[track_caller]
fn come_to_line() {
    let line = Some(Location::caller().line());
    let is_new = with(|board| {
        let place = &mut board.state.threads[me()];
        let is_new = place.line != line;
        place.line = line;
        place.does = Does::Runs;
        is_new
    });
    if is_new {
        thread::yield_now();
    }
}

/// What a reader sees of that which a lock protects: names and values.
type Shows<T> = fn(&T) -> Vec<(&'static str, String)>;

/// As `std::sync::Mutex`.
pub struct Mutex<T> {
    name: &'static str,
    shows: Shows<T>,
    inner: sync::Mutex<T>,
}

impl<T> Mutex<T> {
    pub fn new(name: &'static str, value: T, shows: Shows<T>) -> Mutex<T> {
        for (name, value) in shows(&value) {
            show(name, value);
        }
        show(name, FREE);
        Mutex { name, shows, inner: sync::Mutex::new(value) }
    }

    #[track_caller]
    pub fn lock(&self) -> LockResult<Guard<'_, T>> {
        come_to_line();
        does(Does::Wants(self.name));
        let inner = self.inner.lock().expect("no model panics");
        Ok(self.taken(inner))
    }

    /// The calling thread has the lock.
    fn taken<'a>(&'a self, inner: sync::MutexGuard<'a, T>) -> Guard<'a, T> {
        does(Does::Runs);
        let holder = with(|board| format!("{} has it", board.names[me()]));
        show(self.name, holder);
        Guard { mutex: self, inner: Some(inner) }
    }

    fn show(&self, value: &T) {
        for (name, value) in (self.shows)(value) {
            show(name, value);
        }
    }
}

/// As `std::sync::MutexGuard`.
pub struct Guard<'a, T> {
    mutex: &'a Mutex<T>,
    inner: Option<sync::MutexGuard<'a, T>>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        come_to_line();
        self.inner.as_ref().expect("it is taken only where the guard goes")
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        come_to_line();
        self.inner.as_mut().expect("it is taken only where the guard goes")
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            self.mutex.show(&inner);
            show(self.mutex.name, FREE);
        }
    }
}

/// As `std::mem::drop`, but a step.
#[track_caller]
pub fn drop<T>(guard: Guard<'_, T>) {
    come_to_line();
    mem::drop(guard);
}

/// As `std::sync::Condvar`. One thread waits for it at a time.
#[derive(Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    #[track_caller]
    pub fn wait<'a, T>(&self, mut guard: Guard<'a, T>) -> LockResult<Guard<'a, T>> {
        come_to_line();
        let mutex = guard.mutex;
        let inner = guard.inner.take().expect("it is taken only where the guard goes");
        mutex.show(&inner);
        show(mutex.name, FREE);
        does(Does::Sleeps(mutex.name));
        let inner = self.0.wait(inner).expect("no model panics");
        Ok(mutex.taken(inner))
    }

    #[track_caller]
    pub fn notify_all(&self) {
        come_to_line();
        with(|board| {
            for place in &mut board.state.threads {
                if let Does::Sleeps(lock) = place.does {
                    place.does = Does::Wants(lock);
                }
            }
        });
        self.0.notify_all();
    }
}

/// As `std::task::Context`.
pub struct Context {
    waker: Waker,
}

impl Context {
    /// Its waker unparks the calling thread.
    pub fn of_this_thread() -> Context {
        show(PARK, SLEEPS);
        Context { waker: Waker { place: me(), thread: thread::current() } }
    }

    pub fn waker(&self) -> &Waker {
        &self.waker
    }
}

/// As `std::task::Waker`.
#[derive(Clone)]
pub struct Waker {
    place: usize,
    thread: thread::Thread,
}

impl Waker {
    #[track_caller]
    pub fn wake(self) {
        come_to_line();
        let is_parked = with(|board| {
            let place = &mut board.state.threads[self.place];
            let is_parked = place.does == Does::Parked;
            if is_parked {
                place.does = Does::Woken;
            }
            is_parked
        });
        if !is_parked {
            show(PARK, RETURNS);
        }
        self.thread.unpark();
    }
}

/// As `std::thread::park`.
#[track_caller]
pub fn park() {
    come_to_line();
    if shows(PARK, RETURNS) {
        show(PARK, SLEEPS);
    } else {
        does(Does::Parked);
    }
    thread::park();
    does(Does::Runs);
}
