//! The work ends only when another client has had its answer.

use std::{
    sync::Arc,
    thread::{self, available_parallelism},
    time::Duration,
};

use ex_compute_elsewhere::{Work, serve};
use exercise_kit::{Gate, Server, a_moment, check};

exercise_kit::checks![a_quick_page_comes_while_others_are_computed];

fn a_quick_page_comes_while_others_are_computed() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let inside = Arc::clone(&gate);
    let work: Work = Arc::new(move || {
        inside.enter();
        // For as long as it takes, because an end by itself would let the other client through.
        while !inside.is_open() {
            thread::sleep(Duration::from_millis(5));
        }
        "computed\n".to_owned()
    });
    let server = Server::start(move |listener| serve(listener, work));
    // More than any runtime would have threads for its tasks.
    let count = 40.max(2 * available_parallelism().map_or(1, usize::from));
    let mut slow: Vec<_> = (0..count).map(|_| server.connect()).collect();
    slow.iter_mut().for_each(|client| client.get("/work"));
    check(
        gate.wait_for_entered(1),
        "a client asked for /work, and nothing was computed",
        "`work` to be called",
    );
    // For the others to begin, on whatever thread they may. A right solution is not hurried by it.
    a_moment();
    let mut quick = server.connect();
    quick.get("/");
    let response = quick.response(format_args!(
        "the response to GET /, while {count} others wait for /work, which no thread of a task \
         computes"
    ));
    check(response.body == "quick\n", response.body, "quick");
    gate.open();
    for mut client in slow {
        let response = client.response("the response to GET /work");
        check(response.body == "computed\n", response.body, "computed");
    }
}
