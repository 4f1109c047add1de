//! Pages on pools that are smaller than the number of visitors.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, mpsc},
    thread::{self, ThreadId},
};

use ex_waiting_inside::{Part, ThreadPool, page};
use exercise_kit::{check, deadline, fail};

exercise_kit::checks![
    one_visitor_on_four_workers,
    one_visitor_on_one_worker,
    many_visitors_on_two_workers,
];

const PARTS: [Part; 3] = [|| "head ".into(), || "body ".into(), || "foot".into()];

fn visit(threads: usize, visitors: usize, parts: [Part; 3]) {
    let pool = Arc::new(ThreadPool::new(threads));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..visitors {
        let inner = Arc::clone(&pool);
        let sender = sender.clone();
        pool.execute(move || {
            let _ = sender.send(page(&inner, &parts));
        });
    }
    for number in 0..visitors {
        match receiver.recv_timeout(deadline()) {
            Ok(page) => check(page == "head body foot", page, "head body foot"),
            Err(_) => fail(
                format_args!(
                    "the pool made {number} pages in {:?}, and every worker waits",
                    deadline()
                ),
                format_args!(
                    "{visitors} pages from a pool of {threads}; look at what each worker waits \
                     for, and who could bring it"
                ),
            ),
        }
    }
}

fn one_visitor_on_four_workers() {
    visit(4, 1, PARTS);
}

fn one_visitor_on_one_worker() {
    visit(1, 1, PARTS);
}

/// The threads that have made a part that names its thread.
static SEEN: Mutex<Option<HashSet<ThreadId>>> = Mutex::new(None);

fn seen(part: &str) -> String {
    let mut seen = SEEN.lock().expect("nothing panics under this lock");
    seen.get_or_insert_default().insert(thread::current().id());
    part.to_owned()
}

fn many_visitors_on_two_workers() {
    visit(2, 50, [|| seen("head "), || seen("body "), || seen("foot")]);
    let seen = SEEN.lock().expect("nothing panics under this lock");
    let threads = seen.as_ref().map_or(0, HashSet::len);
    let expected = "no thread but the two workers of the one pool to make parts";
    check(threads <= 2, format_args!("{threads} threads have made parts"), expected);
}
