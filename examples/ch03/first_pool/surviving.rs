//! Workers that survive a panic: `cargo run --example first_pool_surviving`
mod handler;

use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, mpsc};
use std::{io, mem, thread};

/// How many connections are served at the same time.
const THREADS: usize = 4;
/// How many more wait in the queue.
const SLOTS: usize = 4;

// ANCHOR: main
fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port()))?;
    println!("listening on http://{}/", listener.local_addr()?);
    let pool = ThreadPool::new(THREADS, SLOTS);
    loop {
        let (stream, _) = listener.accept()?;
        pool.execute(move || {
            // A client that leaves ends its own connection only.
            let _ = handler::handle(stream);
        });
    }
}
// ANCHOR_END: main

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}

// ANCHOR: pool
/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

struct ThreadPool {
    queue: mpsc::SyncSender<Job>,
}

impl ThreadPool {
    fn new(threads: usize, slots: usize) -> ThreadPool {
        let (queue, jobs) = mpsc::sync_channel(slots);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            thread::spawn(move || work(&jobs));
        }
        ThreadPool { queue }
    }

    /// Waits while all slots are taken.
    fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.queue.send(Box::new(job)).expect("the workers listen");
    }
}
// ANCHOR_END: pool

// ANCHOR: work
/// What a worker does all its life: take a job, run it, take the next.
fn work(jobs: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // Waits here while there is no job. The lock is given back at the end of the statement.
        let job = jobs.lock().expect("no job runs under it").recv().expect("main never ends");
        // A job that panics has failed its own client. The worker lives on for the others.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
    }
}
// ANCHOR_END: work
