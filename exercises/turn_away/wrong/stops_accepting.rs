// Wrong: the first client that finds no room ends the service for all later clients.
// The check says: `serve` has returned

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// Serves clients with so many workers. So many more may wait in the queue.
pub fn serve(
    listener: TcpListener,
    workers: usize,
    slots: usize,
    handle: impl Fn(&TcpStream) + Send + Sync + 'static,
) {
    let (queue, jobs) = mpsc::sync_channel::<Job>(slots);
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..workers {
        let jobs = Arc::clone(&jobs);
        thread::spawn(move || {
            while let Some(job) = next(&jobs) {
                job();
            }
        });
    }
    let handle = Arc::new(handle);
    for stream in listener.incoming().flatten() {
        let handle = Arc::clone(&handle);
        // Two owners: the job, and this loop, which needs the stream if there is no room.
        let stream = Arc::new(stream);
        let for_job = Arc::clone(&stream);
        if queue.try_send(Box::new(move || handle(&for_job))).is_err() {
            refuse(&stream);
            return;
        }
    }
}

/// The next job; `None` when there will be no more. Nothing is wrong here.
fn next(jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    jobs.lock().expect("no job runs under this lock").recv().ok()
}

/// Tells a client that there is no room for it. Nothing is wrong here.
fn refuse(mut stream: &TcpStream) {
    // If its request were not read, closing the connection would be a reset, and the answer could be
    // lost. The accept loop can't wait for long, so a client that is slow to ask may lose it.
    let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
    let _ = stream.read(&mut [0; 4096]);
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 8\r\nConnection: close";
    let _ = stream.write_all(format!("{head}\r\n\r\nno room\n").as_bytes());
}
