//! Pages on pools that are smaller than the number of visitors.

use std::sync::{Arc, mpsc};

use ex_waiting_inside::{ThreadPool, page};
use exercise_kit::{check, deadline, fail};

fn visit(threads: usize, visitors: usize) {
    let pool = Arc::new(ThreadPool::new(threads));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..visitors {
        let (inner, sender) = (Arc::clone(&pool), sender.clone());
        pool.execute(move || {
            let _ = sender.send(page(&inner, &["head ", "body ", "foot"]));
        });
    }
    for number in 0..visitors {
        match receiver.recv_timeout(deadline()) {
            Ok(page) => check(page == "HEAD BODY FOOT", page, "HEAD BODY FOOT"),
            Err(_) => fail(
                format_args!("{number} pages after {:?}, and every worker waits", deadline()),
                format_args!("{visitors} pages from a pool of {threads}"),
            ),
        }
    }
}

#[test]
fn one_visitor_on_four_workers() {
    visit(4, 1);
}

#[test]
fn one_visitor_on_one_worker() {
    visit(1, 1);
}

#[test]
fn many_visitors_on_two_workers() {
    visit(2, 50);
}
