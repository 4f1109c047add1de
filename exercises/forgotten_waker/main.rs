//! Lets three tasks wait for one bell, and prints the bell's state every second.

use std::{io, thread, time::Duration};

use ex_forgotten_waker::Bell;

fn main() -> io::Result<()> {
    let bell = Bell::new();
    for number in 1..=3 {
        let bell = bell.clone();
        let task = async move {
            println!("task {number} waits");
            bell.wait().await;
            println!("task {number} has heard the bell");
        };
        thread::spawn(move || exercise_kit::block_on("a task that hears the bell", task));
        thread::sleep(Duration::from_millis(200));
    }
    println!("before the ring: {bell:?}");
    bell.ring();
    for _ in 0..5 {
        thread::sleep(Duration::from_secs(1));
        println!("after the ring:  {bell:?}");
    }
    Ok(())
}
