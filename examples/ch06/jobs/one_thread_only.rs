//! Tasks that share what may not leave its thread: `cargo run --example one_thread_only`
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::LocalSet;
use tokio::time::sleep;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let answers = Rc::new(Cell::new(0));
    let tasks = LocalSet::new();
    for _ in 0..3 {
        tasks.spawn_local(ask(Rc::clone(&answers)));
    }
    tasks.await;
    println!("{} answers", answers.get());
}

async fn ask(answers: Rc<Cell<u32>>) {
    sleep(Duration::from_millis(100)).await;
    answers.set(answers.get() + 1);
}
// ANCHOR_END: main
