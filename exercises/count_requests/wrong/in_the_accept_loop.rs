// Wrong: only the thread that accepts counts, so it counts connections rather than requests.
// The check says: whenever its client has connected

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Gives numbers: 1, 2, 3 and so on. All clones share one count.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    given: Arc<AtomicU64>,
}

impl Counter {
    /// The next number.
    pub fn count(&mut self) -> u64 {
        // It returns what was there before.
        self.given.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Serves clients forever, with a thread for each. Nothing is wrong from here on.
pub fn serve(listener: TcpListener) {
    let mut counter = Counter::default();
    for stream in listener.incoming().flatten() {
        let number = counter.count();
        thread::spawn(move || handle(stream, number));
    }
}

/// Waits for a request, and answers with its number.
fn handle(stream: TcpStream, number: u64) {
    exercise_kit::target(&stream);
    exercise_kit::answer_now(&stream, &format!("{number}\n"));
}
