//! Twenty clients come and go; then no thread may be left.

use ex_thread_leak::{Running, serve};
use exercise_kit::{Server, check, comes_true, threads_begun};

exercise_kit::checks![no_thread_outlives_its_connection];

fn no_thread_outlives_its_connection() {
    let before = threads_begun();
    let running = Running::default();
    let counting = running.clone();
    let server = Server::start(move |listener| serve(listener, &running));
    for _ in 0..20 {
        let mut client = server.connect();
        client.get("/");
        let response = client.response("an answer to each of twenty clients");
        check(
            response.status == 200,
            format_args!("the response has the status {}", response.status),
            "200",
        );
    }
    let ended = comes_true(|| counting.count() == 0);
    let seen = format!("every client was gone, and {} threads still ran", counting.count());
    check(ended, seen, "none; look at what the threads that stay wait for");
    if let (Some(before), Some(after)) = (before, threads_begun()) {
        let seen = format!("the server began {} threads for twenty clients", after - before);
        check(after - before >= 40, seen, "two for each: one for the client, and one for its log");
    }
}
