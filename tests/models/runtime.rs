//! The runtime by hand under a model checker: its own files, with shuttle's locks and threads, so that each run is
//! another schedule. A thread that waits for ever is a deadlock, and shuttle says so.
//!
//! What stands for the rest of the world: a kernel that has events, and a client that makes the next one when it
//! has its answer.

use std::{
    collections::{BTreeMap, HashMap},
    future::{pending, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use shuttle::{
    Config, Runner,
    scheduler::{PctScheduler, RandomScheduler},
    sync::{Condvar, Mutex, MutexGuard},
    thread,
};

/// The runtime's own files: see build.rs.
#[allow(dead_code, missing_docs)]
mod runtime {
    include!(concat!(env!("OUT_DIR"), "/runtime.rs"));
}

use runtime::{
    budget::Budget,
    closing::{close, until_closing},
    queue::{Next, Queue},
    readiness::Readiness,
    task::Task,
};

/// The same for the timers, with a clock.
#[path = "runtime/timers.rs"]
mod timers;
use timers::clock;

/// What a task can wait for.
trait Ready: Default + Send + Sync + 'static {
    fn set(&self) -> Option<Waker>;
    fn poll_take(&self, context: &mut Context) -> Poll<()>;
}

impl Ready for Readiness {
    fn set(&self) -> Option<Waker> {
        Readiness::set(self, false)
    }

    fn poll_take(&self, context: &mut Context) -> Poll<()> {
        Readiness::poll_take(self, context)
    }
}

/// What of the runtime its stop and its timers use: see build.rs.
#[derive(Default)]
struct Running {
    closing: shuttle::sync::atomic::AtomicBool,
    queue: timers::Leading,
    now: Mutex<std::time::Duration>,
    reactor: Reactor,
}

#[derive(Default)]
struct Reactor {
    sources: Mutex<HashMap<usize, Arc<Source>>>,
    timers: Mutex<BTreeMap<(clock::Instant, usize), Waker>>,
    /// `std`'s: the order in which numbers are given does not matter.
    next: AtomicUsize,
}

impl Reactor {
    fn number(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

/// A socket that is watched.
#[derive(Default)]
struct Source {
    read: Readiness,
}

impl Ready for Source {
    fn set(&self) -> Option<Waker> {
        self.read.set(false)
    }

    fn poll_take(&self, context: &mut Context) -> Poll<()> {
        self.read.poll_take(context)
    }
}

shuttle::lazy_static! {
    /// A new one in each run.
    static ref RUNNING: Running = Running::default();
}

fn runtime() -> &'static Running {
    &RUNNING
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics")
}

/// Wrong: it wakes the tasks *before* it says that the server closes.
fn close_too_late() {
    let sources: Vec<_> = lock(&runtime().reactor.sources).values().cloned().collect();
    for source in sources {
        if let Some(waker) = source.read.set(false) {
            waker.wake();
        }
    }
    // A task that was woken and polled by now has seen no end, and waits again.
    runtime().closing.store(true, Ordering::Relaxed);
}

/// Wrong: it looks whether the socket is ready, and keeps the waker *after* that.
#[derive(Default)]
struct LooksFirst {
    ready: Mutex<bool>,
    waker: Mutex<Option<Waker>>,
}

impl Ready for LooksFirst {
    fn set(&self) -> Option<Waker> {
        *lock(&self.ready) = true;
        lock(&self.waker).take()
    }

    fn poll_take(&self, context: &mut Context) -> Poll<()> {
        if std::mem::take(&mut *lock(&self.ready)) {
            return Poll::Ready(());
        }
        // An event that comes here finds no waker.
        *lock(&self.waker) = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Events that nobody has seen yet, and whether the wait for them was interrupted.
#[derive(Default)]
struct Kernel {
    state: Mutex<(bool, bool)>,
    changed: Condvar,
}

impl Kernel {
    fn event(&self) {
        self.state.lock().expect("nobody panics").0 = true;
        self.changed.notify_all();
    }

    fn interrupt(&self) {
        self.state.lock().expect("nobody panics").1 = true;
        self.changed.notify_all();
    }

    /// Whether there was an event.
    fn wait(&self, sleep: bool) -> bool {
        let mut state = self.state.lock().expect("nobody panics");
        while sleep && *state == (false, false) {
            state = self.changed.wait(state).expect("nobody panics");
        }
        std::mem::take(&mut *state).0
    }
}

type Tasks = Arc<Queue<Arc<Task>>>;

/// Runs tasks as each thread of the runtime does.
fn work(queue: &Tasks, kernel: &Kernel, socket: &impl Ready) {
    while let Some(next) = queue.next() {
        match next {
            Next::Run(task) => task.run(),
            Next::Lead { sleep } => {
                let waker = kernel.wait(sleep).then(|| socket.set()).flatten();
                queue.led();
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        }
    }
}

/// A queue, its kernel, and so many threads that work until no task is left; then `beside` has ended as well.
fn with_threads<R: Ready>(
    threads: usize,
    beside: impl FnOnce(&Tasks, Arc<Kernel>, Arc<R>) -> Vec<thread::JoinHandle<()>>,
) {
    let kernel = Arc::new(Kernel::default());
    let socket = Arc::new(R::default());
    let interrupted = Arc::clone(&kernel);
    let queue: Tasks = Arc::new(Queue::new(move || interrupted.interrupt()));
    let others = beside(&queue, Arc::clone(&kernel), Arc::clone(&socket));
    queue.ended();
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            let queue = Arc::clone(&queue);
            let kernel = Arc::clone(&kernel);
            let socket = Arc::clone(&socket);
            thread::spawn(move || work(&queue, &kernel, &*socket))
        })
        .collect();
    for thread in workers.into_iter().chain(others) {
        thread.join().expect("no thread panics");
    }
}

/// A task serves a client that sends its next request when it has the answer to the last.
fn serve<R: Ready>(threads: usize, requests: usize) {
    with_threads::<R>(threads, |queue, kernel, socket| {
        let answers = Arc::new((Mutex::new(0), Condvar::new()));
        let served = Arc::clone(&answers);
        let handler = async move {
            for _ in 0..requests {
                poll_fn(|context| socket.poll_take(context)).await;
                *served.0.lock().expect("nobody panics") += 1;
                served.1.notify_all();
            }
        };
        Task::spawn(handler, queue);
        let client = thread::spawn(move || {
            for request in 0..requests {
                kernel.event();
                let mut count = answers.0.lock().expect("nobody panics");
                while *count <= request {
                    count = answers.1.wait(count).expect("nobody panics");
                }
            }
        });
        vec![client]
    });
}

/// Several threads wake one task, also while it is polled. It ends when it has seen all of them.
fn wake_from_everywhere(threads: usize, wakers: usize) {
    with_threads::<Readiness>(threads, |queue, _, _| {
        let woken = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&woken);
        let inside = AtomicBool::new(false);
        let given: Arc<Mutex<Option<Waker>>> = Arc::default();
        let place = Arc::clone(&given);
        let task = poll_fn(move |context| {
            assert!(!inside.swap(true, Ordering::SeqCst), "two threads poll one task");
            let before = seen.load(Ordering::SeqCst);
            *place.lock().expect("nobody panics") = Some(context.waker().clone());
            thread::yield_now();
            inside.store(false, Ordering::SeqCst);
            if before < wakers { Poll::Pending } else { Poll::Ready(()) }
        });
        Task::spawn(task, queue);
        let wake = |_| {
            let woken = Arc::clone(&woken);
            let given = Arc::clone(&given);
            thread::spawn(move || {
                let waker = loop {
                    let waker = given.lock().expect("nobody panics").clone();
                    match waker {
                        Some(waker) => break waker,
                        None => thread::yield_now(),
                    }
                };
                woken.fetch_add(1, Ordering::SeqCst);
                waker.wake();
            })
        };
        (0..wakers).map(wake).collect()
    });
}

/// Three threads wake a task during its first poll. It returns how many polls that made, without the one that ends it.
fn woken_three_times_while_polled(threads: usize) -> usize {
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    with_threads::<Readiness>(threads, |queue, _, _| {
        let tasks = Arc::clone(queue);
        let over = Arc::new(AtomicBool::new(false));
        let task = poll_fn(move |context| {
            if over.load(Ordering::SeqCst) {
                return Poll::Ready(());
            }
            match count.fetch_add(1, Ordering::SeqCst) {
                0 => {
                    let wakers = [(); 3].map(|()| context.waker().clone());
                    for thread in wakers.map(|waker| thread::spawn(move || waker.wake())) {
                        thread.join().expect("no thread panics");
                    }
                }
                1 => {
                    // It goes behind every poll that is queued, and ends the task.
                    let over = Arc::clone(&over);
                    let waker = context.waker().clone();
                    let end = async move {
                        over.store(true, Ordering::SeqCst);
                        waker.wake();
                    };
                    Task::spawn(end, &tasks);
                }
                _ => {}
            }
            Poll::Pending
        });
        Task::spawn(task, queue);
        Vec::new()
    });
    polls.load(Ordering::SeqCst)
}

/// A server with a client that connects and says nothing; at any moment `close` is called. It returns when all has ended.
fn stop(threads: usize, close: fn()) {
    with_threads::<Source>(threads, |queue, kernel, listener| {
        lock(&runtime().reactor.sources).insert(0, Arc::clone(&listener));
        let tasks = Arc::clone(queue);
        let backlog = Arc::new(Mutex::new(0));
        let connected = Arc::clone(&backlog);
        let accept = async move {
            let accept = async || {
                while std::mem::take(&mut *lock(&backlog)) == 0 {
                    poll_fn(|context| listener.poll_take(context)).await;
                }
            };
            while until_closing(accept()).await.is_some() {
                let client = Arc::new(Source::default());
                lock(&runtime().reactor.sources).insert(1, Arc::clone(&client));
                let read = async move {
                    loop {
                        poll_fn(|context| client.poll_take(context)).await;
                    }
                };
                Task::spawn(async { until_closing::<()>(read).await.unwrap_or_default() }, &tasks);
            }
        };
        Task::spawn(accept, queue);
        let client = move || {
            *lock(&connected) += 1;
            kernel.event();
        };
        vec![thread::spawn(client), thread::spawn(close)]
    });
}

/// A task whose request is there has spent its budget, and gives way; at any moment `close` is called. Were that taken
/// for "nothing to read", the client would be cut off.
fn stop_while_a_task_gives_way(threads: usize) {
    let is_read = Arc::new(AtomicBool::new(false));
    let reads = Arc::clone(&is_read);
    with_threads::<Source>(threads, |queue, _, socket| {
        lock(&runtime().reactor.sources).insert(0, Arc::clone(&socket));
        socket.read.set(false);
        let work = async move {
            let budget = Budget::default();
            for _ in 1..64 {
                budget.spend().await;
            }
            let read = async {
                budget.spend().await;
                socket.read.take().await;
            };
            let outcome = until_closing(read).await;
            reads.store(outcome.is_some(), Ordering::SeqCst);
        };
        Task::spawn(work, queue);
        vec![thread::spawn(close)]
    });
    assert!(is_read.load(Ordering::SeqCst), "a request that was there is not read");
}

/// The handle of a task is dropped while the task is queued, or later, after a needless wake.
fn dropped_while_queued(threads: usize) {
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    let owned = Arc::new(());
    let kept = Arc::clone(&owned);
    with_threads::<Readiness>(threads, |queue, _, _| {
        let work = async move {
            let _kept = kept;
            count.fetch_add(1, Ordering::SeqCst);
        };
        let task = Task::spawn(work, queue);
        vec![thread::spawn(move || Waker::from(task).wake())]
    });
    assert_eq!(polls.load(Ordering::SeqCst), 1, "polls");
    assert_eq!(Arc::strong_count(&owned), 1, "something keeps it");
}

/// A task that waits for what nobody keeps a waker of.
fn waits_for_nothing() {
    let queue: Tasks = Arc::new(Queue::new(|| ()));
    let owned = Arc::new(());
    let kept = Arc::clone(&owned);
    let work = async move {
        let _kept = kept;
        pending::<()>().await;
    };
    drop(Task::spawn(work, &queue));
    assert_eq!(Arc::strong_count(&owned), 2, "the queue keeps it");
    let Some(Next::Run(task)) = queue.next() else { panic!("the task is queued") };
    task.run();
    assert_eq!(Arc::strong_count(&owned), 1, "nothing keeps it");
}

/// What a task may panic with.
struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("on purpose, too"))
    }
}

/// A task that panics, and one that waits for its end; an event comes that concerns neither.
fn panic_beside(threads: usize) {
    with_threads::<Readiness>(threads, |queue, kernel, _| {
        // Like `panic!`, but without the panic hook, which would print this schedule as a failure.
        let panics =
            Task::spawn(async { std::panic::resume_unwind(Box::new(PanicsOnDrop)) }, queue);
        Task::spawn(async move { panics.ended.take().await }, queue);
        vec![thread::spawn(move || kernel.event())]
    });
}

/// A task that never has to wait, until another one has had its event. How much it spends until then.
fn greedy_beside_one_that_waits() -> usize {
    let spent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&spent);
    with_threads::<Readiness>(1, |queue, kernel, socket| {
        *lock(&runtime().queue.0) = Some(Arc::clone(queue));
        let polite = Arc::new(AtomicBool::new(false));
        let has_run = Arc::clone(&polite);
        let waits = async move {
            kernel.event();
            socket.take().await;
            polite.store(true, Ordering::SeqCst);
        };
        Task::spawn(waits, queue);
        let greedy = async move {
            let budget = Budget::default();
            while !has_run.load(Ordering::SeqCst) {
                budget.spend().await;
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        Task::spawn(greedy, queue);
        Vec::new()
    });
    spent.load(Ordering::SeqCst)
}

/// A future that is polled with one waker and then with another, as when it moves into another task.
fn moves_into_another_task() {
    /// Whether it was woken.
    #[derive(Default)]
    struct Woken(AtomicBool);
    impl std::task::Wake for Woken {
        fn wake(self: Arc<Woken>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let old = Arc::new(Woken::default());
    let new = Arc::new(Woken::default());
    let ready = Arc::new(Readiness::default());
    let set = Arc::clone(&ready);
    let event = thread::spawn(move || {
        if let Some(waker) = set.set(false) {
            waker.wake();
        }
    });
    let polls = [&old, &new].map(|task| {
        ready.poll_take(&mut Context::from_waker(&Waker::from(Arc::clone(task)))).is_ready()
    });
    event.join().expect("no thread panics");
    // The event came before one of the polls, which saw it, or after both.
    assert!(polls.contains(&true) || new.0.load(Ordering::SeqCst), "{polls:?}");
}

/// A future moves on from a task that only its waker keeps. What that task owned uses the same socket as it goes.
fn leaves_a_task_behind() {
    struct Owner(Arc<Readiness>);
    impl std::task::Wake for Owner {
        fn wake(self: Arc<Owner>) {}
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.set(false);
        }
    }
    let ready = Arc::new(Readiness::default());
    let owner = Waker::from(Arc::new(Owner(Arc::clone(&ready))));
    assert!(ready.poll_take(&mut Context::from_waker(&owner)).is_pending());
    drop(owner);
    assert!(ready.poll_take(&mut Context::from_waker(Waker::noop())).is_pending());
    assert!(ready.poll_take(&mut Context::from_waker(Waker::noop())).is_ready(), "it is kept");
}

/// Under random schedules, and under those with few preemptions, where most mistakes show.
fn explore(what: impl Fn() + Clone + Send + Sync + 'static) {
    let config = || {
        let mut config = Config::new();
        config.stack_size = 0x20000;
        // It takes each ordering for `SeqCst`, so it says nothing about weaker ones, and would warn of that.
        config.silence_warnings = true;
        config
    };
    Runner::new(RandomScheduler::new(2000), config()).run(what.clone());
    Runner::new(PctScheduler::new(3, 2000), config()).run(what);
}

#[test]
fn no_wake_up_is_lost() {
    for threads in [1, 2, 3] {
        explore(move || serve::<Readiness>(threads, 2));
    }
}

#[test]
fn no_task_is_polled_twice_at_once_and_none_is_forgotten() {
    for threads in [1, 2, 3] {
        explore(move || wake_from_everywhere(threads, 2));
    }
}

#[test]
fn three_wakes_during_a_poll_are_one_more_poll() {
    for threads in [1, 2, 3] {
        explore(move || assert_eq!(woken_three_times_while_polled(threads), 2, "polls"));
    }
}

#[test]
fn a_task_that_never_waits_gives_way_also_to_events_that_no_thread_has_seen() {
    // One thread, so one schedule. Of two a schedule may forget the one that has the other task.
    let check = || {
        let spent = greedy_beside_one_that_waits();
        assert!(spent <= 2 * 64, "it spent {spent} until the other had its turn");
    };
    shuttle::check_random(check, 1);
}

#[test]
fn a_socket_drops_its_old_waker_without_a_lock() {
    shuttle::check_random(leaves_a_task_behind, 1);
}

#[test]
fn the_latest_waker_is_kept() {
    explore(moves_into_another_task);
}

#[test]
fn a_task_that_panics_takes_no_thread_along_and_its_end_is_noticed() {
    for threads in [1, 2, 3] {
        explore(move || panic_beside(threads));
    }
}

#[test]
fn a_task_dropped_while_queued_is_polled_once_and_one_that_nobody_can_wake_is_dropped() {
    for threads in [1, 2, 3] {
        explore(move || dropped_while_queued(threads));
    }
    // One thread, so one schedule.
    shuttle::check_random(waits_for_nothing, 1);
}

#[test]
fn a_stop_comes_to_its_end() {
    for threads in [1, 2, 3] {
        explore(move || stop(threads, close));
    }
}

#[test]
fn a_stop_answers_a_request_that_has_come_also_when_its_task_gives_way() {
    for threads in [1, 2, 3] {
        explore(move || stop_while_a_task_gives_way(threads));
    }
}

#[test]
fn a_stop_that_wakes_before_it_closes_is_found() {
    for threads in [1, 2] {
        let wrong = move || explore(move || stop(threads, close_too_late));
        let panic = catch_unwind(AssertUnwindSafe(wrong)).expect_err("a task waits for ever");
        let words = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(words.contains("deadlock"), "{words:?}");
    }
}

/// The checker itself must be able to find something.
#[test]
fn a_waker_that_is_kept_too_late_is_found() {
    let wrong = || explore(|| serve::<LooksFirst>(2, 2));
    let panic = catch_unwind(AssertUnwindSafe(wrong)).expect_err("a wake-up is lost");
    let words = panic.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(words.contains("deadlock"), "{words:?}");
    let message = words.lines().find(|line| line.contains("deadlock!")).expect("the message");
    let page = std::fs::read_to_string("../../book/own-runtime.md").expect("the page is there");
    assert!(page.contains(message), "the page shows another message: {message}");
}
