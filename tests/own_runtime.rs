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

/// After so many turns of one kept connection its task gives way to others. Were that taken for "nothing to read", a
/// stop at this moment would cut off a client whose request is already there.
#[cfg(unix)]
#[test]
fn a_stop_answers_a_request_that_has_come_also_when_its_task_gives_way() {
    use ladder_tests::Signal;
    use std::{thread, time::Duration};
    for before in [62, 63, 64] {
        let server =
            Rung::named("own_runtime").launch_with_threads(1).args(&["--keep-alive"]).start();
        let mut client = Client::connect(&server);
        for _ in 0..before {
            client.get("/work?n=0");
            check_answer(&mut client);
        }
        // It keeps the one thread busy, so the next request lies in its socket when the signal comes.
        let mut busy = Client::asking(&server, "/work?n=100000");
        thread::sleep(Duration::from_millis(30));
        client.get("/work?n=0");
        thread::sleep(Duration::from_millis(10));
        server.signal(Signal::Terminate);
        check_answer(&mut client);
        check_answer(&mut busy);
    }
}
