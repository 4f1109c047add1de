//! A pool that ends in order: `cargo run --example first_pool_stopping`
mod handler;

use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, mpsc};
use std::{io, mem, thread};

/// How many connections are served at the same time.
const THREADS: usize = 4;
/// How many more wait in the queue.
const SLOTS: usize = 4;

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port()))?;
    println!("listening on http://{}/", listener.local_addr()?);
    let pool = ThreadPool::new(THREADS, SLOTS);
    // Six clients, so that there is an end to see.
    for _ in 0..6 {
        let (stream, _) = listener.accept()?;
        pool.execute(move || {
            // A client that leaves ends its own connection only.
            let _ = handler::handle(stream);
        });
    }
    // Here the pool is dropped.
    Ok(())
}

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}

/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

struct ThreadPool {
    /// `None` while the pool is dropped.
    queue: Option<mpsc::SyncSender<Job>>,
    workers: Vec<thread::JoinHandle<()>>,
}

impl ThreadPool {
    fn new(threads: usize, slots: usize) -> ThreadPool {
        let (queue, jobs) = mpsc::sync_channel(slots);
        let jobs = Arc::new(Mutex::new(jobs));
        let mut workers = Vec::new();
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            workers.push(thread::spawn(move || work(&jobs)));
        }
        ThreadPool { queue: Some(queue), workers }
    }

    /// Waits while all slots are taken.
    fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let queue = self.queue.as_ref().expect("only `drop` takes it");
        queue.send(Box::new(job)).expect("the workers listen");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // Closes the queue: the workers take what is still in it, and then `recv` fails.
        drop(self.queue.take());
        for worker in self.workers.drain(..) {
            worker.join().expect("a worker catches the panics of its jobs");
        }
    }
}

/// What a worker does all its life: take a job, run it, take the next.
fn work(jobs: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // Waits here while there is no job. The lock is given back at the end of the statement.
        let Ok(job) = jobs.lock().expect("no job runs under it").recv() else {
            // The queue is closed, and empty.
            return;
        };
        // A job that panics has failed its own client. The worker lives on for the others.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
    }
}
