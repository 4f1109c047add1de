//! Where are the clients when more come than a pool can serve? Rung 3's own pool, next to rung 2.
//!
//!     cargo run --example full_queue
//!
//! It needs no network: a client is a message in a channel, and its request waits until the program
//! answers it.

#[path = "../ch03_threadpool/pool.rs"]
mod pool;
mod progress;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::{io, thread};

use pool::{Size, ThreadPool};
use progress::Progress;

const WORKERS: NonZeroUsize = NonZeroUsize::new(8).expect("8 is not zero");
const SLOTS: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not zero");

const HEADING: &str = concat!(
    "         rung 2   rung 3\n",
    "clients  threads  workers  queue: # two jobs, . two free slots    held  backlog",
);

/// Where requests wait. A message opens it for one of them; when the sender is dropped, it is open for all.
type Gate = Arc<Mutex<mpsc::Receiver<()>>>;

fn gate() -> (mpsc::Sender<()>, Gate) {
    let (opener, waiting) = mpsc::channel();
    (opener, Arc::new(Mutex::new(waiting)))
}

fn wait_at(gate: &Gate) {
    // An error says that the sender is gone.
    let _ = gate.lock().expect("waiting does not panic").recv();
}

fn main() -> io::Result<()> {
    let (opener_2, gate_2) = gate();
    let (opener_3, gate_3) = gate();
    let (connect, backlog) = mpsc::channel();
    let pool = ThreadPool::new(Size { workers: WORKERS, slots: SLOTS })?;
    let rung_3 = thread::spawn(move || serve(backlog, pool, &gate_3));
    let mut rung_2 = Vec::new();
    println!("{HEADING}");
    for clients in [4, 8, 40, 72, 200] {
        while rung_2.len() < clients {
            let gate = Arc::clone(&gate_2);
            rung_2.push(thread::Builder::new().spawn(move || wait_at(&gate))?);
            connect.send(()).expect("the accept loop listens");
        }
        show(&rung_2);
    }
    println!("One client has its response, and leaves:");
    for opener in [&opener_2, &opener_3] {
        opener.send(()).expect("the requests wait");
    }
    show(&rung_2);
    drop((opener_2, opener_3, connect));
    rung_3.join().expect("waiting does not panic");
    let served = Progress::now().ended;
    let came = rung_2.len();
    println!("In the end, rung 3 has served {served} of {came}.");
    Ok(())
}

/// Rung 3's accept loop, with a channel in the place of the kernel's backlog.
fn serve(backlog: mpsc::Receiver<()>, pool: ThreadPool, gate: &Gate) {
    for () in backlog {
        Progress::count(|so_far| so_far.accepted += 1);
        let gate = Arc::clone(gate);
        // Blocks here while the queue is full.
        pool.execute(move || {
            Progress::count(|so_far| so_far.begun += 1);
            wait_at(&gate);
            Progress::count(|so_far| so_far.ended += 1);
        });
        Progress::count(|so_far| so_far.queued += 1);
    }
    // Dropping the pool finishes what is queued and what is running.
}

/// Prints a row as soon as rung 3 has done what it can for the clients that have come.
fn show(rung_2: &[JoinHandle<()>]) {
    let came = rung_2.len();
    let rung_3 = Progress::settled(came, WORKERS.get());
    let threads = rung_2.iter().filter(|thread| !thread.is_finished()).count();
    let clients = came - rung_3.ended;
    let workers = rung_3.with_worker();
    let jobs = rung_3.in_queue();
    let bar = "#".repeat(jobs / 2);
    // `execute` blocks the thread that accepts, which then holds a client.
    let held = rung_3.accepted - rung_3.queued;
    let backlog = came - rung_3.accepted;
    println!(
        "{clients:>7}  {threads:>7}  {workers:>7}  [{bar:.<32}] {jobs:>2}  {held:>4}  {backlog:>7}"
    );
}
