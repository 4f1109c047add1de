//! A queue without a bound: `cargo run --example first_pool`
use std::sync::{Arc, Mutex, mpsc};
use std::{io, thread};

use site::{Options, Site, blocking};

/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

fn main() -> io::Result<()> {
    let options = Options::from_args_with_threads("first_pool", 8);
    let listener = options.bind();
    let site = Site::new(&options);
    let (queue, jobs) = mpsc::channel::<Job>();
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..options.threads.get() {
        let jobs = Arc::clone(&jobs);
        thread::spawn(move || work(&jobs));
    }
    options.announce(&listener, format_args!("{} worker threads", options.threads));
    for stream in listener.incoming() {
        let stream = stream?;
        let site = Arc::clone(&site);
        let job = move || {
            let _ = blocking::handle(&stream, &site);
        };
        queue.send(Box::new(job)).expect("the workers listen");
    }
    Ok(())
}

/// What a worker does all its life: take a job, run it, take the next.
fn work(jobs: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // Waits here while there is no job. The lock is given back at the end of the statement.
        let job = jobs.lock().expect("no job runs under it").recv().expect("main never ends");
        job();
    }
}
