//! How large a future is: `cargo run --example first_task_sizes`
//!
//! Nothing runs here. A future has its size before it is polled.

// ANCHOR: futures
/// Holds a buffer while it waits: the buffer is needed after the `.await`, so it is a part of the future.
async fn holds_a_buffer() -> u8 {
    let mut buffer = [0; 4096];
    read(&mut buffer).await;
    buffer[0]
}

/// Waits first: the buffer exists between two waits, so it lies on the stack of the thread that polls.
async fn takes_a_buffer() -> u8 {
    readable().await;
    let mut buffer = [0; 4096];
    take(&mut buffer);
    buffer[0]
}
// ANCHOR_END: futures

/// Stands for a read that waits until bytes have come.
async fn read(buffer: &mut [u8]) {
    take(buffer);
}

/// Stands for a wait until bytes have come.
async fn readable() {}

/// Stands for a read that does not wait.
fn take(buffer: &mut [u8]) {
    buffer[0] = b'G';
}

fn main() {
    println!("waits with a buffer:    {} bytes", size_of_val(&holds_a_buffer()));
    println!("waits without a buffer: {} bytes", size_of_val(&takes_a_buffer()));
}
