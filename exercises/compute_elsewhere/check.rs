//! The work ends only when another client has had its answer.

use std::{sync::Arc, thread, time::Duration};

use ex_compute_elsewhere::{Work, serve};
use exercise_kit::{Gate, Server, check};

#[test]
fn a_quick_page_comes_while_another_is_computed() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let inside = Arc::clone(&gate);
    let work: Work = Arc::new(move || {
        inside.enter();
        // For as long as it takes: an end of its own would let the other client through.
        while !inside.is_open() {
            thread::sleep(Duration::from_millis(5));
        }
        "computed\n".to_owned()
    });
    let server = Server::start(move |listener| serve(listener, work));
    let mut slow = server.connect();
    slow.get("/work");
    check(gate.wait_for_entered(1), "nothing is computed", "that /work computes");
    let mut quick = server.connect();
    quick.get("/");
    let response =
        quick.response("the answer to GET /, while /work is computed for another client");
    check(response.body == "quick\n", response.body, "quick");
    gate.open();
    let response = slow.response("the answer to GET /work");
    check(response.body == "computed\n", response.body, "computed");
}
