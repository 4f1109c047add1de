// Count over all connections.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Serves clients, for ever, with a thread for each.
pub fn serve(listener: TcpListener) {
    let count = Arc::new(AtomicU64::new(0));
    for stream in listener.incoming().flatten() {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            // It returns what was there before.
            let number = count.fetch_add(1, Ordering::Relaxed) + 1;
            handle(stream, number);
        });
    }
}

/// Tells a client its number. Nothing is wrong here.
fn handle(stream: TcpStream, number: u64) {
    exercise_kit::answer(&stream, &format!("{number}\n"));
}
