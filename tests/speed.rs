//! How long a reader and a writer wait for the book, in the build that a newcomer has. It prints, and expects
//! nothing: `cargo bench --profile dev --bench speed`.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{build_book, copy_book, serve_book, tool, wait_until};

/// How many changes are timed.
const CHANGES: usize = 9;

/// How long a writer thinks between two changes; in the longest the whole book is built, and the change finds it so.
const PAUSES: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(6),
    Duration::from_secs(11),
];

/// The pages that are changed in turn.
const PAGES: [&str; 3] = ["ch01-single-threaded", "measuring", "ch06-tokio"];

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer.split_once("\r\n\r\n").expect("a head and a body").1.to_owned()
}

fn main() {
    // Not below target/, where the tool looks for no change.
    let folder = tempfile::tempdir().expect("there is room for a copy");
    let copy = folder.path();
    copy_book(copy);
    // Compiled before anything is timed.
    let _ = tool();
    let start = Instant::now();
    assert_eq!(build_book(copy, &copy.join("target/built")).code, Some(0));
    println!("cargo xtask build, from nothing: {:.2} s", start.elapsed().as_secs_f64());

    let start = Instant::now();
    let serving = serve_book(copy);
    let address = serving.address.as_str();
    assert!(get(address, "/").contains("<html"));
    println!("cargo xtask serve, to the first page: {:.2} s", start.elapsed().as_secs_f64());

    let mut waits: Vec<f64> =
        (0..CHANGES).map(|change| wait_for(change, copy, address).as_secs_f64()).collect();
    waits.sort_by(f64::total_cmp);
    println!(
        "from a saved change to the new page: median {:.2} s, {:.2} to {:.2} s in {CHANGES} changes \
         (and 0 to 0.25 s more until an open page asks)",
        waits[CHANGES / 2],
        waits[0],
        waits[CHANGES - 1]
    );
}

/// Changes a page, and waits until it is served.
fn wait_for(change: usize, copy: &Path, address: &str) -> Duration {
    thread::sleep(PAUSES[change % PAUSES.len()]);
    let page = PAGES[change % PAGES.len()];
    let file = copy.join(format!("book/{page}.md"));
    let word = format!("changed{change}word");
    let text = fs::read_to_string(&file).expect("the page is there") + "\n" + &word + "\n";
    let version = get(address, "/__version");
    fs::write(&file, text).expect("it can be written");
    let start = Instant::now();
    // What the page itself asks for, so that it knows when to load again.
    wait_until("the page is new", || get(address, "/__version") != version);
    assert!(get(address, &format!("/{page}.html")).contains(&word));
    start.elapsed()
}
