//! Files. No event tells that a file can be read, so a thread that may block reads it.

use std::path::Path;
use std::{io, sync::Arc, thread};

use crate::runtime::Readiness;

// ANCHOR: files
/// Reads a file on a separate thread. A real runtime keeps such threads.
pub async fn read(path: &'static Path) -> io::Result<Vec<u8>> {
    let is_read = Arc::new(Readiness::default());
    let tell = Arc::clone(&is_read);
    let run = move || {
        let contents = std::fs::read(path);
        if let Some(waker) = tell.set(true) {
            waker.wake();
        }
        contents
    };
    let thread = thread::Builder::new().name("blocking".to_owned()).spawn(run)?;
    is_read.take().await;
    // It has said that it is at its end, so this blocks for a moment at most.
    thread.join().expect("reading a file does not panic")
}
// ANCHOR_END: files
