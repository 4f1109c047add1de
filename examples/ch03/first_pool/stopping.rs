//! A pool that ends in order: `cargo run --example first_pool_stopping`
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, mpsc};
use std::{io, mem, thread};

use site::{Options, Site, blocking};

/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

fn main() -> io::Result<()> {
    let options = Options::from_args_with_threads("first_pool_stopping", 8);
    let listener = options.bind();
    let site = Site::new(&options);
    let (queue, jobs) = mpsc::sync_channel::<Job>(64);
    let jobs = Arc::new(Mutex::new(jobs));
    let mut workers = Vec::new();
    for _ in 0..options.threads.get() {
        let jobs = Arc::clone(&jobs);
        workers.push(thread::spawn(move || work(&jobs)));
    }
    options.announce(&listener, format_args!("{} worker threads", options.threads));
    // Three clients, so that there is an end to see.
    for stream in listener.incoming().take(3) {
        let stream = stream?;
        let site = Arc::clone(&site);
        let job = move || {
            let _ = blocking::handle(&stream, &site);
        };
        // Blocks here while 64 jobs wait.
        queue.send(Box::new(job)).expect("the workers listen");
    }
    // ANCHOR: stop
    // Closes the queue: the workers take what is still in it, and then `recv` fails.
    drop(queue);
    for worker in workers {
        worker.join().expect("a worker catches the panics of its jobs");
    }
    // ANCHOR_END: stop
    Ok(())
}

/// What a worker does all its life: take a job, run it, take the next.
fn work(jobs: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // Waits here while there is no job. The lock is given back at the end of the statement.
        let Ok(job) = jobs.lock().expect("no job runs under it").recv() else { return };
        // A job that panics has failed its own client. The worker lives on for the others.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(job)) {
            // What a panic carries may panic as well when it's dropped, so nobody drops it.
            mem::forget(panic);
        }
    }
}
