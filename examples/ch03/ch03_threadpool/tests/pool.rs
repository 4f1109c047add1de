//! The pool on the threads of this machine: what it promises, by counting and by order.
//!
//! No test sleeps to give something time to happen: a thread that waits does so at a barrier or a
//! channel, so the answer is the same on a slow machine. What may happen in *every* order of events
//! is tried by the model checker in `tests/models/pool.rs`.

#[path = "../pool.rs"]
mod pool;

use std::{
    mem,
    num::NonZeroUsize,
    panic::resume_unwind,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use pool::{Size, ThreadPool};

/// How long to wait for what should come immediately.
const DEADLINE: Duration = Duration::from_secs(20);

fn pool(workers: usize, slots: usize) -> ThreadPool {
    let some = |number| NonZeroUsize::new(number).expect("at least one");
    let size = Size { workers: some(workers), slots: some(slots) };
    ThreadPool::new(size).expect("the system has a few threads left")
}

/// Waits until `count` jobs have said that they are done, and drops the pool.
///
/// # Panics
/// When they are not done in time. The pool is then left alone: to join workers that hang would
/// hang the test too, instead of failing it.
#[track_caller]
fn all_done(pool: ThreadPool, count: usize, finished: &mpsc::Receiver<()>, complaint: &str) {
    if (0..count).any(|_| finished.recv_timeout(DEADLINE).is_err()) {
        mem::forget(pool);
        panic!("{complaint}");
    }
}

#[test]
fn runs_every_job_exactly_once() {
    let runs: Arc<[AtomicUsize]> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
    let pool = pool(4, 3);
    thread::scope(|scope| {
        for producer in 0..5 {
            let pool = &pool;
            let runs = &runs;
            scope.spawn(move || {
                for number in producer * 200..(producer + 1) * 200 {
                    let runs = Arc::clone(runs);
                    pool.execute(move || {
                        runs[number].fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
        }
    });
    drop(pool);
    for (number, runs) in runs.iter().enumerate() {
        assert_eq!(runs.load(Ordering::Relaxed), 1, "job {number}");
    }
}

#[test]
fn one_worker_takes_the_jobs_in_their_order() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let pool = pool(1, 2);
    for number in 0..100 {
        let order = Arc::clone(&order);
        pool.execute(move || order.lock().expect("no job panics").push(number));
    }
    drop(pool);
    assert_eq!(*order.lock().expect("no job panics"), (0..100).collect::<Vec<_>>());
}

/// Four jobs meet at a barrier for four, so four really run at the same time; and a counter never sees five.
#[test]
fn runs_as_many_at_once_as_it_has_threads_and_never_more() {
    let threads = 4;
    let all_here = Arc::new(Barrier::new(threads));
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (done, finished) = mpsc::channel();
    let pool = pool(threads, 64);
    for _ in 0..10 * threads {
        let running = Arc::clone(&running);
        let most = Arc::clone(&most);
        let all_here = Arc::clone(&all_here);
        let done = done.clone();
        pool.execute(move || {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            all_here.wait();
            running.fetch_sub(1, Ordering::SeqCst);
            done.send(()).expect("the test listens");
        });
    }
    all_done(pool, 10 * threads, &finished, "fewer than four at once: the barrier never opened");
    assert_eq!(most.load(Ordering::SeqCst), threads);
}

/// More panics than workers. Then the barrier opens only if all four workers are still there.
#[test]
fn survives_panicking_jobs_at_full_width() {
    let threads = 4;
    let pool = pool(threads, 64);
    for _ in 0..3 * threads {
        // A panic without the message that the panic hook would print.
        pool.execute(|| resume_unwind(Box::new("a job's own fault")));
    }
    let all_here = Arc::new(Barrier::new(threads));
    let (done, finished) = mpsc::channel();
    for _ in 0..threads {
        let all_here = Arc::clone(&all_here);
        let done = done.clone();
        pool.execute(move || {
            all_here.wait();
            done.send(()).expect("the test listens");
        });
    }
    all_done(pool, threads, &finished, "a worker died of a job's panic: the barrier never opened");
}

/// Dropping what `catch_unwind` returns may panic again, as its documentation warns.
#[test]
fn survives_a_panic_whose_payload_panics_when_it_is_dropped() {
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            resume_unwind(Box::new("a payload's own fault"));
        }
    }
    let pool = pool(1, 2);
    let (done, finished) = mpsc::channel();
    pool.execute(|| resume_unwind(Box::new(Payload)));
    pool.execute(move || done.send(()).expect("the test listens"));
    all_done(pool, 1, &finished, "the only worker died of what the panic carried");
}

/// The jobs wait until the drop has begun. When it returns, all of them have ended.
#[test]
fn drop_finishes_what_is_queued_and_joins() {
    let (open, gate) = mpsc::channel::<()>();
    let ended = Arc::new(AtomicUsize::new(0));
    let pool = pool(2, 64);
    let gate = Arc::new(Mutex::new(gate));
    for _ in 0..50 {
        let gate = Arc::clone(&gate);
        let ended = Arc::clone(&ended);
        pool.execute(move || {
            // Ends with an error as soon as no thread can open the gate any more: then it is open.
            let _ = gate.lock().expect("no job panics").recv();
            ended.fetch_add(1, Ordering::SeqCst);
        });
    }
    let dropper = thread::spawn(move || drop(pool));
    // However early or late that thread comes, no job can have ended so far.
    assert_eq!(ended.load(Ordering::SeqCst), 0);
    drop(open);
    dropper.join().expect("the drop comes to its end");
    assert_eq!(ended.load(Ordering::SeqCst), 50);
}

/// One worker and room for one job: the worker holds the first, the second fills the queue, and
/// the third is accepted only once the worker has taken the second.
#[test]
fn execute_waits_while_the_queue_is_full() {
    let (starts, started) = mpsc::channel();
    let (open, gate) = mpsc::channel::<()>();
    let (accepts, accepted) = mpsc::channel();
    let pool = pool(1, 1);
    let gate = Arc::new(Mutex::new(gate));
    let job = move |number| {
        let starts = starts.clone();
        let gate = Arc::clone(&gate);
        move || {
            starts.send(number).expect("the test listens");
            // An error means that the test has failed and gone: continue, so that it can end.
            let _ = gate.lock().expect("no job panics").recv();
        }
    };
    thread::scope(|scope| {
        let pool = &pool;
        // Moved in here: a test that fails drops it, and lets the jobs go.
        let open = open;
        scope.spawn(move || {
            for number in 1..=4 {
                pool.execute(job(number));
                accepts.send(number).expect("the test listens");
            }
        });
        assert_eq!(started.recv_timeout(DEADLINE), Ok(1));
        for number in [1, 2] {
            assert_eq!(accepted.recv_timeout(DEADLINE), Ok(number));
        }
        // The queue is full, and the worker is busy until we let it go.
        let a_while = Duration::from_millis(200);
        assert_eq!(accepted.recv_timeout(a_while), Err(mpsc::RecvTimeoutError::Timeout));
        for number in [3, 4] {
            open.send(()).expect("the job waits at the gate");
            assert_eq!(started.recv_timeout(DEADLINE), Ok(number - 1));
            assert_eq!(accepted.recv_timeout(DEADLINE), Ok(number));
        }
        for _ in [3, 4] {
            open.send(()).expect("the job waits at the gate");
        }
    });
    drop(pool);
    assert_eq!(started.try_iter().collect::<Vec<_>>(), [4]);
}
