//! What there is to see of a model: where its threads are, what they wait for, and what they share.
//!
//! The types here have the names and the methods of `std`'s, so the lines of a model are those of a real program. Each
//! operation says first on which line of its file it stands, and gives way: there the scheduler chooses. A step is a line,
//! with all that belongs to it, such as the lock that is given back at its end. No line takes two locks that both are
//! contended, so nothing is lost by taking it as one step.

use std::{
    cell::RefCell,
    collections::VecDeque,
    fmt::Display,
    mem,
    ops::{Deref, DerefMut},
    panic::Location,
    pin::{Pin, pin},
    sync::LockResult,
    task::{self, Poll},
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
    /// It can run its line, or is woken for that of its `select!`, which is this.
    Selects(u32),
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
    come_to(Location::caller().line(), Does::Runs);
}

fn come_to(line: u32, does: Does) {
    let line = Some(line);
    let is_new = with(|board| {
        let place = &mut board.state.threads[me()];
        let is_new = place.line != line;
        place.line = line;
        place.does = does;
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
pub fn drop<T>(it: T) {
    come_to_line();
    mem::drop(it);
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

/// As `tokio::sync::Semaphore` with one permit: who has waited longest gets it.
pub struct Semaphore(std::sync::Mutex<Permit>);

/// Who has the permit, and who waits for it, with the task of each.
struct Permit {
    holder: Option<&'static str>,
    waiting: VecDeque<(&'static str, usize)>,
}

/// What a future is called that `select!` polls.
const FUTURE: &str = "future";

impl Permit {
    fn show(&self) {
        let holder = self.holder.map(|name| format!("{name} has it"));
        show("the permit", holder.unwrap_or_else(|| FREE.to_owned()));
        let names: Vec<&str> = self.waiting.iter().map(|(name, _)| *name).collect();
        show(
            "waiting for it",
            if names.is_empty() { "nobody".to_owned() } else { names.join(", ") },
        );
    }
}

impl Semaphore {
    pub fn with_one_permit() -> Semaphore {
        let permit = Permit { holder: None, waiting: VecDeque::new() };
        permit.show();
        Semaphore(std::sync::Mutex::new(permit))
    }

    /// Asks for nothing before it is polled.
    #[track_caller]
    pub fn acquire(&self) -> Acquire<'_> {
        Acquire { semaphore: self, line: Location::caller().line(), is_selected: false }
    }

    /// Takes the permit if it is free or has been given to the future of this name; else that waits.
    fn take(&self, name: &'static str) -> Poll<Acquired<'_>> {
        let mut permit = self.0.lock().expect("no model panics");
        let is_there = permit.holder.is_none_or(|holder| holder == name);
        if is_there {
            permit.holder = Some(with(|board| board.names[me()]));
            forget();
        } else if permit.waiting.iter().all(|(waits, _)| *waits != name) {
            permit.waiting.push_back((name, me()));
        }
        permit.show();
        if is_there { Poll::Ready(Acquired(self)) } else { Poll::Pending }
    }

    /// The future of this name is dropped, in `select!` or at the end.
    fn leave(&self, name: &'static str) {
        let mut permit = self.0.lock().expect("no model panics");
        permit.waiting.retain(|(waits, _)| *waits != name);
        permit.show();
    }

    fn is_awaited_by(&self, name: &'static str) -> bool {
        let permit = self.0.lock().expect("no model panics");
        permit.waiting.iter().any(|(waits, _)| *waits == name)
    }
}

/// The calling thread has no number to show any more.
fn forget() {
    with(|board| board.state.threads[me()].keeps = None);
}

/// As `tokio::sync::SemaphorePermit`.
pub struct Acquired<'a>(&'a Semaphore);

impl Drop for Acquired<'_> {
    fn drop(&mut self) {
        let mut permit = self.0.0.lock().expect("no model panics");
        let next = permit.waiting.pop_front();
        permit.holder = next.map(|(name, _)| name);
        permit.show();
        let Some((_, task)) = next else { return };
        let is_parked = with(|board| {
            let place = &mut board.state.threads[task];
            let before = mem::replace(&mut place.does, Does::Woken);
            match before {
                Does::Parked => {}
                Does::Selects(line) => place.line = Some(line),
                other => place.does = other,
            }
            before == Does::Parked
        });
        if is_parked {
            TASKS.with_borrow(|tasks| tasks[task].clone()).expect("it is parked").unpark();
        }
    }
}

/// What `acquire` returns.
pub struct Acquire<'a> {
    semaphore: &'a Semaphore,
    line: u32,
    /// Whether `select!` polls it.
    is_selected: bool,
}

impl<'a> Future for Acquire<'a> {
    type Output = Acquired<'a>;

    /// The task itself waits for it.
    fn poll(self: Pin<&mut Self>, _: &mut task::Context) -> Poll<Acquired<'a>> {
        come_to(self.line, Does::Runs);
        self.semaphore.take(with(|board| board.names[me()]))
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        if self.is_selected {
            self.semaphore.leave(FUTURE);
        }
    }
}

/// A future that `select!` can poll: its own, or one that is lent.
pub trait Selected<'a> {
    fn acquire(&mut self) -> &mut Acquire<'a>;
}

impl<'a> Selected<'a> for Acquire<'a> {
    fn acquire(&mut self) -> &mut Acquire<'a> {
        self
    }
}

impl<'a> Selected<'a> for &mut Pin<&mut Acquire<'a>> {
    fn acquire(&mut self) -> &mut Acquire<'a> {
        Pin::as_mut(&mut **self).get_mut()
    }
}

/// Polls the future in this line, and waits for it or for a second. `None` when the second is over; then the future is
/// dropped, if it is not only lent.
pub fn one_of<'a>(
    line: u32,
    mut future: impl Selected<'a>,
    second: impl Fn() -> bool,
) -> Option<Acquired<'a>> {
    let semaphore = future.acquire().semaphore;
    future.acquire().is_selected = true;
    loop {
        come_to(line, Does::Runs);
        if let Poll::Ready(permit) = semaphore.take(FUTURE) {
            return Some(permit);
        }
        keep(FUTURE, "pending");
        if second() {
            break;
        }
    }
    mem::drop(future);
    if !semaphore.is_awaited_by(FUTURE) {
        forget();
    }
    None
}

/// As `tokio::time::sleep` of a second in a branch of `select!`: a step, after which it is over, unless the future of the
/// other branch has been woken before.
#[track_caller]
pub fn second() -> bool {
    let line = Location::caller().line();
    let select = with(|board| board.state.threads[me()].line).expect("select! has a line");
    come_to(line, Does::Selects(select));
    with(|board| board.state.threads[me()].line) == Some(line)
}

/// As `tokio::select!`, for the two branches of a model.
macro_rules! select {
    ($permit:ident = $future:expr => $had:expr, () = $second:expr => $then:block) => {
        match $crate::schedules::board::one_of(line!(), $future, || $second) {
            Some($permit) => $had,
            None => $then,
        }
    };
}
pub(crate) use select;

thread_local! {
    /// The tasks that `block_on` has parked.
    static TASKS: RefCell<[Option<thread::Thread>; 2]> = RefCell::default();
}

/// Runs a task on the calling thread, which sleeps where the task waits.
pub fn block_on(task: impl Future<Output = ()>) {
    let mut task = pin!(task);
    let mut context = task::Context::from_waker(task::Waker::noop());
    while task.as_mut().poll(&mut context).is_pending() {
        does(Does::Parked);
        TASKS.with_borrow_mut(|tasks| tasks[me()] = Some(thread::current()));
        thread::park();
        TASKS.with_borrow_mut(|tasks| tasks[me()] = None);
    }
}
