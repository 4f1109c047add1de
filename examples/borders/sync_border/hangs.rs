//! Wrong: a `block_on` that knows of no runtime, on a worker: `cargo run --example border_hangs`
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sync_border::price;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

/// How long the workers have to fall asleep before a client comes.
const PAUSE: Duration = Duration::from_millis(300);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (workers, start) = match words.as_slice() {
        [] => (1, Start::Main),
        [workers] => (workers.parse().expect("a number"), Start::Main),
        [workers, word] if word == "socket" => (workers.parse().expect("a number"), Start::Socket),
        _ => panic!("the arguments are a number of workers and `socket`, or fewer"),
    };
    let (result, received) = mpsc::channel();
    // On a thread of its own: what stands still can't end itself.
    thread::spawn(move || {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(workers).enable_all().build();
        let runtime = runtime.expect("the system has threads to give");
        result.send(match start {
            Start::Main => from_main(&runtime),
            Start::Socket => from_a_socket(&runtime),
        })
    });
    let how = match start {
        Start::Main => "",
        Start::Socket => ", and a socket starts the task",
    };
    match received.recv_timeout(PAUSE + Duration::from_secs(1)) {
        Ok(total) => println!("workers: {workers}{how}: the total is {total}"),
        Err(_too_late) => println!("workers: {workers}{how}: after a second no total"),
    }
}

/// Who starts the task that calls `total`.
#[derive(Clone, Copy)]
enum Start {
    Main,
    Socket,
}

// ANCHOR: starts
/// The main thread starts the task.
fn from_main(runtime: &Runtime) -> u32 {
    runtime.block_on(async {
        let task = tokio::spawn(async { total(&[1, 2, 3]) });
        task.await.expect("it doesn't panic")
    })
}

/// A client's connection starts it, as in a server.
fn from_a_socket(runtime: &Runtime) -> u32 {
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let server = tokio::spawn(async move {
            let _client = listener.accept().await.expect("a client");
            total(&[1, 2, 3])
        });
        // After a while in which nothing happens.
        thread::sleep(PAUSE);
        let _client = TcpStream::connect(address).expect("the server listens");
        server.await.expect("it doesn't panic")
    })
}
// ANCHOR_END: starts

// ANCHOR: total
fn total(items: &[u32]) -> u32 {
    items.iter().map(|&item| futures::executor::block_on(price(item))).sum()
}
// ANCHOR_END: total
