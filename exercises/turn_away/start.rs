// Turn a client away when the queue is full.
//
// This is the second pool of chapter 3. When its queue is full, `send` blocks the accept loop, and
// every client that comes now waits without a word.
//
// Your turn: send a 503 to a client that finds no room, and let the loop accept the next.
// `try_send` returns an error where `send` would block. By then the job owns the client's stream,
// but `refuse`, which is already written, needs it too: give the stream two owners.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// Serves clients with `workers` threads; `slots` more clients may wait in the queue.
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
        // Blocks here while the queue is full.
        queue.send(Box::new(move || handle(&stream))).expect("the workers listen");
    }
}

/// The next job; `None` when there will be no more. Nothing is wrong here.
fn next(jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    jobs.lock().expect("no job runs under this lock").recv().ok()
}

/// Tells a client that there is no room for it. Nothing is wrong here.
fn refuse(mut stream: &TcpStream) {
    // Closing the connection without reading its request would be a reset, and the answer could be
    // lost. The accept loop can't wait for long, so a client that is slow to ask may lose it.
    let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
    let _ = stream.read(&mut [0; 4096]);
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 8\r\nConnection: close";
    let _ = stream.write_all(format!("{head}\r\n\r\nno room\n").as_bytes());
}
