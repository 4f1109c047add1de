// Wrong: gives a permit back, but wakes nobody.
// The check says: no thread woke at release 1

use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const NOT_POISONED: &str = "nothing panics while it holds this lock";

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
    pub fn acquire(&self) {
        let mut free = self.free.lock().expect(NOT_POISONED);
        while *free == 0 {
            // Gives the lock back while it sleeps.
            free = self.released.wait(free).expect(NOT_POISONED);
        }
        *free -= 1;
    }

    /// Gives a permit back.
    pub fn release(&self) {
        *self.free.lock().expect(NOT_POISONED) += 1;
    }
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
