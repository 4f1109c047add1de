// Bound the number of connections.
//
// `serve` takes a permit before it starts the thread of a connection, so there should never be more
// threads than permits. `serve` is complete, but the permits bound nothing yet.
//
// Your turn: let `acquire` wait until a permit is free, and `release` give one back and wake a waiting
// thread. All you need is a number behind a `Mutex`, and a `Condvar` to wait with.

use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// A number of permits.
pub struct Permits {
    free: Mutex<usize>,
    released: Condvar,
}

impl Permits {
    /// This many permits, all free.
    pub fn new(count: usize) -> Permits {
        Permits { free: Mutex::new(count), released: Condvar::new() }
    }

    /// Takes a permit. Blocks while there is none.
    pub fn acquire(&self) {}

    /// Gives a permit back.
    pub fn release(&self) {}
}

/// Serves clients forever, at most `most` of them at a time. Nothing is wrong here.
pub fn serve(
    listener: TcpListener,
    most: usize,
    handle: impl Fn(TcpStream) + Send + Sync + 'static,
) {
    let permits = Arc::new(Permits::new(most));
    let handle = Arc::new(handle);
    for stream in listener.incoming().flatten() {
        permits.acquire();
        let permits = Arc::clone(&permits);
        let handle = Arc::clone(&handle);
        thread::spawn(move || {
            handle(stream);
            permits.release();
        });
    }
}
