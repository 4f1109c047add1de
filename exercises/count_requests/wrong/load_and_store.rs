// Wrong: reads and writes in two steps, and another thread can come between them.
// The check says: no number is given twice, and none is left out

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
        let number = self.given.load(Ordering::SeqCst) + 1;
        self.given.store(number, Ordering::SeqCst);
        number
    }
}

/// Serves clients forever, with a thread for each. Nothing is wrong from here on.
pub fn serve(listener: TcpListener) {
    let counter = Counter::default();
    for stream in listener.incoming().flatten() {
        let counter = counter.clone();
        thread::spawn(move || handle(stream, counter));
    }
}

/// Waits for a request, and answers with its number.
fn handle(stream: TcpStream, mut counter: Counter) {
    exercise_kit::target(&stream);
    let number = counter.count();
    exercise_kit::answer_now(&stream, &format!("{number}\n"));
}
