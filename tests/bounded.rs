//! Rung 7: what a client gets beyond each bound; and the five ways to meet too many clients, by counting.

use std::pin::{Pin, pin};
use std::process::Command;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use ladder_tests::{Client, DEADLINE, Rung, Server, conclusive, example, root, run};
use serde_json::Value;
use turns::Turns;

#[path = "../examples/ch07/rush/turns.rs"]
mod turns;

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

/// What a client asks for that is to be at work for long.
const LONG: &str = "/sleep?ms=3000";

fn start(bounds: &[&str]) -> Server {
    Rung::named("ch07_bounded").start(bounds)
}

#[track_caller]
fn check_page(client: &mut Client, status: u16) {
    let response = client.response();
    assert_eq!(response.status, status, "{response:?}");
}

#[track_caller]
fn check_turned_away(client: &mut Client, why: &str) {
    let response = client.response();
    assert_eq!(response.status, 503, "{response:?}");
    assert_eq!(response.header("retry-after"), Some("1"), "{response:?}");
    assert!(response.text().contains(why), "{response:?}");
}

/// A client beyond the connections is told nothing: it is in the backlog until another leaves.
#[test]
fn who_finds_no_place_waits_outside() {
    let server = start(&["--connections", "2"]);
    let inside: Vec<Client> = (0..2).map(|_| Client::half_open(&server)).collect();
    let mut outside = Client::asking(&server, "/");
    assert!(!outside.hears_within(A_WHILE), "it took a client more");
    drop(inside);
    check_page(&mut outside, 200);
}

/// However they end, each gives its place back.
#[test]
fn a_place_is_given_back_by_whoever_leaves_resets_or_panics() {
    let server = start(&["--connections", "2", "--panic-route"]);
    for _ in 0..20 {
        drop(Client::half_open(&server));
        Client::half_open(&server).reset();
        let mut panics = Client::asking(&server, "/panic");
        assert!(panics.rest().0.is_empty());
        check_page(&mut Client::asking(&server, "/"), 200);
    }
}

#[test]
fn a_request_too_many_is_turned_away_in_good_time_and_one_that_needs_no_work_is_not() {
    let server = start(&["--in-flight", "2", "--patience", "100"]);
    conclusive(Duration::from_secs(3), || {
        let mut at_work = [LONG; 2].map(|page| Client::asking(&server, page));
        assert!(!at_work.iter_mut().any(|client| client.hears_within(A_WHILE)));
        check_turned_away(&mut Client::asking(&server, LONG), "in flight");
        check_turned_away(&mut Client::asking(&server, "/file"), "in flight");
        check_page(&mut Client::asking(&server, "/"), 200);
        let early = at_work.iter_mut().any(|client| client.hears_within(Duration::from_millis(1)));
        assert!(!early, "the others had been served before");
        at_work.iter_mut().for_each(|client| check_page(client, 200));
        check_page(&mut Client::asking(&server, "/file"), 200);
    });
}

#[test]
fn a_request_waits_for_its_turn_as_long_as_its_client_is_patient() {
    let server = start(&["--in-flight", "1", "--patience", "20000"]);
    let mut clients = ["/sleep?ms=500"; 3].map(|page| Client::asking(&server, page));
    clients.iter_mut().for_each(|client| check_page(client, 200));
}

/// A request beyond its deadline is given up, and its turn is free for the next.
#[test]
fn what_takes_too_long_is_given_up_and_gives_its_turn_back() {
    let server = start(&["--in-flight", "1", "--deadline", "200", "--keep-alive"]);
    let mut client = Client::connect(&server);
    for _ in 0..3 {
        client.get("/sleep?ms=10000");
        check_turned_away(&mut client, "too long");
    }
    client.get("/file");
    check_page(&mut client, 200);
}

/// With one worker and one thread that computes, a page comes while a client computes, and a second one doesn't begin.
#[test]
fn who_computes_holds_up_those_who_compute_and_nobody_else() {
    let rung = Rung::named("ch07_bounded");
    let bounds = ["--computing", "1", "--deadline", "60000"];
    let server = rung.launch_with_threads(1).args(&bounds).start();
    // From here on there is a thread that computes.
    check_page(&mut Client::asking(&server, "/work"), 200);
    let begun = server.thread_names().len();
    let mut computes = [(); 4].map(|()| Client::asking(&server, "/work?n=100000"));
    check_page(&mut Client::asking(&server, "/"), 200);
    let early = computes.iter_mut().all(|client| client.hears_within(Duration::from_millis(1)));
    assert!(!early, "the page came after all of them");
    computes.iter_mut().for_each(|client| check_page(client, 200));
    // One more, where the next begins before the thread of the last has nothing to do.
    assert!(server.thread_names().len() <= begun + 1, "threads for those who wait");
}

/// What a program prints before it ends well.
#[track_caller]
fn lines(name: &str) -> Vec<String> {
    let finished = run(&mut example(name), DEADLINE);
    assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
    finished.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn only_what_is_in_a_task_is_finished_without_its_client() {
    let expected = [
        "in the handler's future",
        "  the card is charged",
        "  the client is gone",
        "in a task",
        "  the card is charged",
        "  the client is gone",
        "  the parcel is on its way",
    ];
    assert_eq!(lines("client_gone"), expected);
}

/// A piece that comes late on a machine that stalls is what the deadline is about, so the last line decides.
#[test]
fn a_deadline_comes_only_if_it_does_not_begin_again() {
    let last = |name| lines(name).last().cloned().unwrap_or_default();
    conclusive(Duration::from_secs(3), || {
        let outcome = last("deadline_restarts");
        assert!(outcome.starts_with("all of it after 2."), "{outcome}");
    });
    assert!(last("deadline_pinned").starts_with("too late after "));
}

/// In a command of its own: `test-util` would be compiled into the servers too.
#[test]
fn paused_time_proves_the_same_in_no_time() {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.current_dir(root()).args(["test", "--quiet", "--locked", "-p", "paused"]);
    let finished = run(&mut cargo, DEADLINE.saturating_mul(30));
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
}

/// The figures of one way, at three times what its database can answer.
#[track_caller]
fn rushed(way: &str, more: &[&str]) -> Value {
    let mut program = example("rush");
    program.args(["--json", "--way", way, "--load", "3"]).args(more);
    let finished = run(&mut program, DEADLINE.saturating_mul(3));
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{way}");
    let printed: Value = serde_json::from_str(&finished.stdout).expect("it prints JSON");
    printed["figures"].clone()
}

/// Two seconds of a queue that grows, and then none of those who come is answered while it waits.
#[test]
fn without_a_bound_nobody_is_answered_in_time() {
    let figures = rushed("none", &["--seconds", "2"]);
    assert_eq!(figures["in_time_per_second"], 0.0, "{figures}");
}

#[test]
fn whoever_refuses_answers_some_in_time() {
    for way in ["permit", "refuse", "newest"] {
        let figures = rushed(way, &["--seconds", "2"]);
        assert!(figures["in_time_per_second"].as_f64() > Some(0.0), "{way}: {figures}");
    }
}

/// Those who try again keep the queue full of clients that have left, although half of the capacity would be enough.
#[test]
fn a_server_without_a_bound_is_not_back_after_the_rush_and_one_that_refuses_is() {
    let after = ["--seconds", "1", "--tries", "4", "--after", "0.5"];
    let figures = rushed("none", &after);
    assert!(figures.get("back_after_ms").is_none_or(Value::is_null), "{figures}");
    conclusive(Duration::from_secs(10), || {
        let figures = rushed("refuse", &after);
        assert!(figures["back_after_ms"].is_number(), "{figures}");
    });
}

/// Two clients ask for the database at the same time, and one for a page without it.
#[test]
fn each_of_the_five_is_a_server() {
    for name in ["rush_none", "rush_queue", "rush_permit", "rush_refuse", "rush_newest"] {
        let launch = Rung::step(name).unwrap_or_else(|| panic!("{name} is no step"));
        let server = launch.start(&[]);
        drop(Client::connect(&server));
        Client::half_open(&server).reset();
        let mut clients = ["/query", "/query", "/"].map(|page| Client::asking(&server, page));
        clients.iter_mut().for_each(|client| check_page(client, 200));
    }
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// A time limit may end a wait after the turn was sent and before it was received.
#[test]
fn a_turn_on_its_way_to_a_client_that_is_given_up_goes_to_the_next() {
    let turns = Turns::new(1);
    let Poll::Ready(Some(turn)) = poll_once(pin!(turns.take())) else { panic!("none was free") };
    let mut older = pin!(turns.take());
    assert!(poll_once(older.as_mut()).is_pending());
    let mut newest = Box::pin(turns.take());
    assert!(poll_once(newest.as_mut()).is_pending());
    drop(turn);
    drop(newest);
    let Poll::Ready(Some(turn)) = poll_once(older.as_mut()) else { panic!("the turn is lost") };
    drop(turn);
    assert!(matches!(poll_once(pin!(turns.take())), Poll::Ready(Some(_))), "the turn is lost");
}
