//! The runtime by hand: the step to it, which is a server with one thread.

use ladder_tests::{Client, Rung};
use site::compute;

#[track_caller]
fn check_answer(client: &mut Client) {
    let response = client.response();
    assert_eq!(response.status, 200, "{response:?}");
}

/// Its tasks wait without a thread, also those that sleep.
#[test]
fn the_step_serves_many_clients_on_one_thread() {
    let step = Rung::step("own_runtime_one_thread").expect("it is declared");
    let server = step.start(&["--keep-alive"]);
    let mut halves: Vec<Client> = (0..20).map(|_| Client::connect(&server)).collect();
    for client in &mut halves {
        client.send("GET /work?n=2 HTTP/1.1\r\n");
    }
    let mut sleeps = Client::asking(&server, "/sleep?ms=10000");
    for target in ["/", "/sleep?ms=1", "/tenth?ms=1", "/file", "/work"] {
        check_answer(&mut Client::asking(&server, target));
    }
    // In another order than that in which they came, and more than once.
    for client in halves.iter_mut().rev() {
        client.send("Host: a\r\n\r\nGET /work?n=3 HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(client.response().text(), compute(2));
        assert_eq!(client.response().text(), compute(3));
    }
    assert!(!sleeps.hears_within(std::time::Duration::from_millis(1)), "it was not asleep");
    #[cfg(target_os = "linux")]
    {
        use ladder_tests::wait_until;
        // A file is read by a thread of its own, which may be a moment from its end.
        wait_until("one thread is left", || server.status("Threads") == 1);
    }
}
