//! "You are the scheduler": both versions of each level, under every schedule that there is.
//!
//! What a reader plays is in the files of `book/schedule`. Here each version is a model under
//! [shuttle](https://docs.rs/shuttle), which tries all orders of its threads, depth-first: one of them loses the wrong
//! version, and none the right one. Shuttle wakes no thread without a reason and takes each ordering of an atomic for
//! `SeqCst`, so what a processor reorders is no step here.

use std::{
    future::poll_fn,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use shuttle::{
    Config, Runner,
    scheduler::DfsScheduler,
    sync::{Condvar, Mutex},
    thread,
};
use tokio::{select, sync::Semaphore};

/// More schedules than a model here has: not to reach it is part of the test.
const BOUND: usize = 200_000;

/// What shuttle says where no thread can go on.
const DEADLOCK: &str = "deadlock!";

fn try_all(model: impl Fn() + Send + Sync + 'static) {
    let schedules = Runner::new(DfsScheduler::new(Some(BOUND), false), Config::new()).run(model);
    println!("{schedules} schedules");
    assert!((2..BOUND).contains(&schedules), "{schedules} schedules, which are not all");
}

/// One schedule of a wrong version ends with these words.
#[track_caller]
fn is_lost(model: impl Fn() + Send + Sync + 'static, words: &str) {
    let panic = catch_unwind(AssertUnwindSafe(|| try_all(model))).expect_err("no schedule loses");
    let said = panic.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(said.contains(words), "{said:?}");
}

// Lose a visit.

fn two_visits(visit: fn(&Mutex<u32>)) {
    let hits = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| visit(&hits));
        scope.spawn(|| visit(&hits));
    });
    assert_eq!(*hits.lock().unwrap(), 2, "a visit is lost");
}

fn in_two_steps(hits: &Mutex<u32>) {
    let seen = *hits.lock().unwrap();
    *hits.lock().unwrap() = seen + 1;
}

fn under_one_lock(hits: &Mutex<u32>) {
    let mut hits = hits.lock().unwrap();
    let seen = *hits;
    *hits = seen + 1;
}

#[test]
fn a_visit_is_lost_in_two_steps_and_not_under_one_lock() {
    is_lost(|| two_visits(in_two_steps), "a visit is lost");
    try_all(|| two_visits(under_one_lock));
}

// Stop both threads.

/// The hits of a page.
type Page = Mutex<u32>;

fn two_moves(back: fn(&Page, &Page)) {
    let page_0 = Page::new(10);
    let page_1 = Page::new(10);
    thread::scope(|scope| {
        scope.spawn(|| move_forth(&page_0, &page_1));
        scope.spawn(|| back(&page_0, &page_1));
    });
}

fn move_forth(page_0: &Page, page_1: &Page) {
    let mut from = page_0.lock().unwrap();
    let mut to = page_1.lock().unwrap();
    *from -= 1;
    *to += 1;
}

fn move_back(page_0: &Page, page_1: &Page) {
    let mut from = page_1.lock().unwrap();
    let mut to = page_0.lock().unwrap();
    *from -= 1;
    *to += 1;
}

fn move_back_in_order(page_0: &Page, page_1: &Page) {
    let mut to = page_0.lock().unwrap();
    let mut from = page_1.lock().unwrap();
    *from -= 1;
    *to += 1;
}

#[test]
fn both_threads_stop_in_opposite_orders_and_not_in_one() {
    is_lost(|| two_moves(move_back), DEADLOCK);
    try_all(|| two_moves(move_back_in_order));
}

// Lose the stop.

/// What of a pool's queue a stop needs.
#[derive(Default)]
struct Queue {
    closed: Mutex<bool>,
    job_added: Condvar,
}

fn a_worker_and_a_stop(pop: fn(&Queue)) {
    let queue = Queue::default();
    thread::scope(|scope| {
        scope.spawn(|| pop(&queue));
        scope.spawn(|| {
            *queue.closed.lock().unwrap() = true;
            queue.job_added.notify_all();
        });
    });
}

fn looks_before_it_sleeps(queue: &Queue) {
    while !*queue.closed.lock().unwrap() {
        let closed = queue.closed.lock().unwrap();
        drop(queue.job_added.wait(closed).unwrap());
    }
}

fn holds_the_lock_until_it_sleeps(queue: &Queue) {
    let mut closed = queue.closed.lock().unwrap();
    while !*closed {
        closed = queue.job_added.wait(closed).unwrap();
    }
}

#[test]
fn a_stop_is_lost_between_look_and_sleep_and_not_under_one_lock() {
    is_lost(|| a_worker_and_a_stop(looks_before_it_sleeps), DEADLOCK);
    try_all(|| a_worker_and_a_stop(holds_the_lock_until_it_sleeps));
}

// Lose the wake-up.

/// A socket for which a task waits.
trait Socket: Default + Sync {
    /// An event has come.
    fn set(&self) -> Option<Waker>;
    fn poll_take(&self, context: &mut Context) -> Poll<()>;
}

/// It has a lock for each: a task looks whether it is ready, and leaves its waker after that.
#[derive(Default)]
struct TwoLocks {
    ready: Mutex<bool>,
    waker: Mutex<Option<Waker>>,
}

impl Socket for TwoLocks {
    fn set(&self) -> Option<Waker> {
        *self.ready.lock().unwrap() = true;
        self.waker.lock().unwrap().take()
    }

    fn poll_take(&self, context: &mut Context) -> Poll<()> {
        if mem::take(&mut *self.ready.lock().unwrap()) {
            return Poll::Ready(());
        }
        *self.waker.lock().unwrap() = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Whether it is ready, and who waits for that.
#[derive(Default)]
struct OneLock(Mutex<(bool, Option<Waker>)>);

impl Socket for OneLock {
    fn set(&self) -> Option<Waker> {
        let mut state = self.0.lock().unwrap();
        state.0 = true;
        state.1.take()
    }

    fn poll_take(&self, context: &mut Context) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        if mem::take(&mut state.0) {
            return Poll::Ready(());
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

fn a_task_and_an_event<S: Socket>() {
    let socket = S::default();
    thread::scope(|scope| {
        scope.spawn(|| block_on(poll_fn(|context| socket.poll_take(context))));
        scope.spawn(|| {
            if let Some(waker) = socket.set() {
                waker.wake();
            }
        });
    });
}

/// Runs a future on the calling thread, which sleeps where the future waits.
fn block_on(future: impl Future) {
    let mut future = pin!(future);
    let sleeper = Arc::new(Sleeper::default());
    let waker = Waker::from(Arc::clone(&sleeper));
    while future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
        sleeper.sleep();
    }
}

/// A thread that sleeps until it is woken, or has been.
#[derive(Default)]
struct Sleeper {
    woken: Mutex<bool>,
    changed: Condvar,
}

impl Sleeper {
    fn sleep(&self) {
        let mut woken = self.woken.lock().unwrap();
        while !mem::take(&mut *woken) {
            woken = self.changed.wait(woken).unwrap();
        }
    }
}

impl Wake for Sleeper {
    fn wake(self: Arc<Sleeper>) {
        *self.woken.lock().unwrap() = true;
        self.changed.notify_all();
    }
}

#[test]
fn a_wake_up_is_lost_between_two_locks_and_not_under_one() {
    is_lost(a_task_and_an_event::<TwoLocks>, DEADLOCK);
    try_all(a_task_and_an_event::<OneLock>);
}

// Lose the permit: Tokio's own `Semaphore` and `select!`, between whose steps only `block_on` lets another thread go on.

fn two_tasks_and_a_permit(waits: impl AsyncFn(&Semaphore) + Sync) {
    let permits = Semaphore::new(1);
    thread::scope(|scope| {
        scope.spawn(|| block_on(waits(&permits)));
        scope.spawn(|| {
            block_on(async {
                let permit = permits.acquire().await;
                thread::yield_now();
                drop(permit);
            });
        });
    });
}

async fn lends(permits: &Semaphore) {
    let mut future = pin!(permits.acquire());
    select! {
        biased;
        permit = &mut future => drop(permit),
        () = second() => {
            let permit = permits.acquire().await;
            drop(permit);
        }
    }
}

async fn owns(permits: &Semaphore) {
    let future = permits.acquire();
    select! {
        biased;
        permit = future => drop(permit),
        () = second() => {
            let permit = permits.acquire().await;
            drop(permit);
        }
    }
}

/// A second, in which others may run: it is over when it is polled once more.
async fn second() {
    let mut is_over = false;
    poll_fn(|context| {
        if mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn a_permit_is_lost_to_a_future_that_is_lent_and_not_to_one_that_select_drops() {
    is_lost(|| two_tasks_and_a_permit(lends), DEADLOCK);
    try_all(|| two_tasks_and_a_permit(owns));
}
