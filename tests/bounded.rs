//! Rung 7: what a client gets beyond each bound; and the six ways to meet too many clients, by counting.

use std::hint::black_box;
use std::pin::{Pin, pin};
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use ladder_tests::{Client, DEADLINE, Rung, Server, conclusive, example, root, run};
use newest_first::NewestFirst;
use serde_json::Value;
#[cfg(target_os = "linux")]
use {
    ladder_tests::{raise_file_limit, skip, wait_until},
    site::HEAD_TIME,
};

#[path = "../examples/ch07/rush/newest_first.rs"]
mod newest_first;

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

/// What a client asks for that is to be served for long.
const LONG: &str = "/sleep?ms=3000";

fn start(bounds: &[&str]) -> Server {
    Rung::named("ch07_bounded").start(bounds)
}

#[track_caller]
fn check_page(client: &mut Client, status: u16) {
    let response = client.response().unwrap();
    assert_eq!(response.status, status, "{response:?}");
}

#[track_caller]
fn check_turned_away(client: &mut Client, why: &str) {
    let response = client.response().unwrap();
    assert_eq!(response.status, 503, "{response:?}");
    assert_eq!(response.header("retry-after"), Some("1"), "{response:?}");
    assert!(response.text().contains(why), "{response:?}");
}

/// A client beyond the connections is told nothing: it is in the backlog until another leaves.
#[test]
fn who_finds_no_permit_waits_outside() {
    let server = start(&["--connections", "2"]);
    let inside: Vec<Client> = (0..2).map(|_| Client::half_open(&server).unwrap()).collect();
    let mut outside = Client::asking(&server, "/").unwrap();
    assert!(!outside.hears_within(A_WHILE), "it took a client more");
    drop(inside);
    check_page(&mut outside, 200);
}

/// However they end, each gives its permit back.
#[test]
fn a_permit_is_given_back_by_whoever_leaves_resets_or_panics() {
    let server = start(&["--connections", "2", "--panic-route"]);
    for _ in 0..20 {
        drop(Client::half_open(&server).unwrap());
        Client::half_open(&server).unwrap().reset();
        let mut panics = Client::asking(&server, "/panic").unwrap();
        assert!(panics.rest().unwrap().0.is_empty());
        check_page(&mut Client::asking(&server, "/").unwrap(), 200);
    }
}

#[test]
fn a_request_too_many_is_turned_away_in_good_time_and_other_kinds_of_work_are_not() {
    let server = start(&["--sleeping", "2", "--patience", "100"]);
    conclusive(Duration::from_secs(3), || {
        let mut at_work = [LONG; 2].map(|page| Client::asking(&server, page).unwrap());
        assert!(!at_work.iter_mut().any(|client| client.hears_within(A_WHILE)));
        check_turned_away(&mut Client::asking(&server, LONG).unwrap(), "too many");
        for page in ["/", "/file", "/work"] {
            check_page(&mut Client::asking(&server, page).unwrap(), 200);
        }
        let early = at_work.iter_mut().any(|client| client.hears_within(Duration::from_millis(1)));
        assert!(!early, "the others had been served before");
        at_work.iter_mut().for_each(|client| check_page(client, 200));
        check_page(&mut Client::asking(&server, "/sleep?ms=1").unwrap(), 200);
    });
}

#[test]
fn a_request_waits_for_its_permit_as_long_as_its_client_is_patient() {
    let server = start(&["--sleeping", "1", "--patience", "20000", "--deadline", "60000"]);
    let mut clients = ["/sleep?ms=500"; 3].map(|page| Client::asking(&server, page).unwrap());
    clients.iter_mut().for_each(|client| check_page(client, 200));
}

/// The third of three finds the one slot taken, and hears so long before anybody's patience is over.
#[test]
fn a_request_beyond_the_queue_is_turned_away_at_once() {
    let bounds = ["--sleeping", "1", "--queue", "1", "--patience", "20000", "--deadline", "60000"];
    let server = start(&bounds);
    conclusive(Duration::from_secs(3), || {
        let mut first = Client::asking(&server, LONG).unwrap();
        assert!(!first.hears_within(A_WHILE));
        let mut second = Client::asking(&server, "/sleep?ms=1").unwrap();
        assert!(!second.hears_within(A_WHILE));
        check_turned_away(&mut Client::asking(&server, "/sleep?ms=1").unwrap(), "too many");
        assert!(!first.hears_within(Duration::from_millis(1)), "the first had been served before");
        check_page(&mut first, 200);
        check_page(&mut second, 200);
    });
}

/// A request beyond its deadline is given up, and its permit is free for the next.
#[test]
fn what_takes_too_long_is_given_up_and_gives_its_permit_back() {
    let server = start(&["--sleeping", "1", "--deadline", "200", "--keep-alive"]);
    let mut client = Client::connect(&server).unwrap();
    for _ in 0..3 {
        client.get("/sleep?ms=10000").unwrap();
        check_turned_away(&mut client, "too long");
    }
    client.get("/sleep?ms=1").unwrap();
    check_page(&mut client, 200);
}

#[test]
fn numbers_with_which_nobody_would_be_served_are_refused() {
    let refused = |bounds: &[&str]| {
        let finished = run(example("ch07_bounded").args(bounds), DEADLINE);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
        finished.stderr
    };
    let waits_too_long = refused(&["--patience", "1000", "--deadline", "1000"]);
    assert!(waits_too_long.contains("--patience 1000"), "{waits_too_long}");
    assert!(refused(&["--deadline", "0"]).contains("from 1 to 60000"));
    // Together they fit into the threads of Tokio's blocking pool.
    assert!(refused(&["--computing", "257"]).contains("from 1 to 256"));
    assert!(refused(&["--reading", "257"]).contains("from 1 to 256"));
}

/// With one worker and one thread that computes, a page comes while a client computes, and a second one doesn't begin.
#[test]
fn who_computes_holds_up_those_who_compute_and_nobody_else() {
    let rung = Rung::named("ch07_bounded");
    let bounds = ["--computing", "1", "--patience", "50000", "--deadline", "60000"];
    let server = rung.launch_with_threads(1).args(&bounds).start();
    // From here on there is a thread that computes.
    check_page(&mut Client::asking(&server, "/work").unwrap(), 200);
    let begun = server.thread_names().len();
    let mut computes = [(); 4].map(|()| Client::asking(&server, "/work?n=100000").unwrap());
    check_page(&mut Client::asking(&server, "/").unwrap(), 200);
    let early = computes.iter_mut().all(|client| client.hears_within(Duration::from_millis(1)));
    assert!(!early, "the page came after all of them");
    computes.iter_mut().for_each(|client| check_page(client, 200));
    // One more, where the next begins before the thread of the last has nothing to do.
    assert!(server.thread_names().len() <= begun + 1, "threads for those who wait");
}

/// A page that computes for at most a tenth of a second, and how long that takes.
fn page_that_computes() -> (String, Duration) {
    let few = 5_000;
    // The quickest of some: other tests compute meanwhile.
    let took = (0..10).map(|_| {
        let start = Instant::now();
        black_box(site::compute(few));
        start.elapsed()
    });
    let took = took.min().expect("ten times");
    let most = took * 20;
    let wanted = most.min(Duration::from_millis(100));
    let rounds = 20.0 * f64::from(few) * wanted.div_duration_f64(most);
    (format!("/work?n={rounds:.0}"), wanted)
}

/// Six times as many ask for `/work` as one thread can compute. It serves what it can, and `/` and `/sleep` don't wait.
///
/// With a deadline alone nobody would be answered: each would get the thread when no time is left to use it.
#[test]
fn a_flood_of_work_gets_as_many_answers_as_its_thread_can_give_and_holds_up_nothing_else() {
    let (page, work) = page_that_computes();
    let deadline = 10 * work;
    let bounds = ["--computing", "1", "--deadline", &deadline.as_millis().to_string()];
    let server = start(&bounds);
    let flood = Instant::now();
    let mut clients = Vec::new();
    while flood.elapsed() < 4 * deadline {
        clients.push(Client::asking(&server, &page).unwrap());
        if clients.len().is_multiple_of(20) {
            for page in ["/", "/sleep?ms=1"] {
                check_page(&mut Client::asking(&server, page).unwrap(), 200);
            }
        }
        thread::sleep(work / 6);
    }
    let statuses: Vec<u16> =
        clients.iter_mut().map(|client| client.response().unwrap().status).collect();
    // Those of the second half came when the queue had long been full.
    let late = &statuses[statuses.len() / 2..];
    let answered = late.iter().filter(|status| **status == 200).count();
    // A sixth of them, on a machine that has nothing else to do.
    assert!(answered >= late.len() / 40, "{answered} of {} were answered", late.len());
    assert!(late.contains(&503), "that was no flood: {statuses:?}");
}

/// At the usual limit of 1,024 descriptors the connections are bounded before those run out, and there is one left for
/// each client that reads a file.
#[cfg(target_os = "linux")]
#[test]
fn by_default_no_more_clients_come_in_than_there_are_descriptors_for() {
    if !raise_file_limit(1500) {
        return skip("this needs 1,500 open files; to get them: ulimit -n 1500");
    }
    // A connection that has sent half a request ends after so long.
    conclusive(HEAD_TIME, || {
        let mut server = Rung::named("ch07_bounded").launch().limit_files(1024).start();
        let mut readers: Vec<Client> = (0..32).map(|_| Client::connect(&server).unwrap()).collect();
        for reader in &mut readers {
            reader.send("GET /file HTTP/1.1\r\nHost: a\r\n").unwrap();
        }
        let _others: Vec<Client> = (0..1068).map(|_| Client::half_open(&server).unwrap()).collect();
        wait_until("all permits are taken", || server.open_sockets() > 960);
        readers.iter_mut().for_each(|reader| reader.send("\r\n").unwrap());
        readers.iter_mut().for_each(|reader| check_page(reader, 200));
        assert!(server.is_running());
        assert_eq!(server.stderr(), "");
    });
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
#[ignore = "slow"]
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

/// Each query begins when no time is left for it. Only what comes after a stop of the whole machine finds no queue.
#[test]
fn a_deadline_alone_is_no_better_than_no_bound() {
    let figures = rushed("deadline", &["--seconds", "2"]);
    assert!(figures["in_time_percent"].as_f64() < Some(5.0), "{figures}");
}

#[ignore = "slow"]
#[test]
fn whoever_refuses_answers_some_in_time() {
    for way in ["queue", "permit", "refuse", "newest"] {
        let figures = rushed(way, &["--seconds", "2"]);
        assert!(figures["in_time_per_second"].as_f64() > Some(0.0), "{way}: {figures}");
    }
}

/// Behind 129 clients in the kernel nobody's turn comes in time, whether the server has a queue or permits.
#[ignore = "slow"]
#[test]
fn behind_a_long_backlog_nobody_is_answered_in_time() {
    for way in ["queue", "permit"] {
        let figures = rushed(way, &["--seconds", "4", "--backlog", "128"]);
        assert_eq!(figures["in_time_per_second"], 0.0, "{way}: {figures}");
    }
}

/// Those who try again keep the queue full of clients that have left, although half of the capacity would be enough.
#[ignore = "slow"]
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
fn each_of_the_six_is_a_server() {
    let ways =
        ["rush_none", "rush_deadline", "rush_queue", "rush_permit", "rush_refuse", "rush_newest"];
    for name in ways {
        let launch = Rung::step(name).unwrap_or_else(|| panic!("{name} is no step"));
        let server = launch.start(&[]);
        drop(Client::connect(&server).unwrap());
        Client::half_open(&server).unwrap().reset();
        let mut clients =
            ["/query", "/query", "/"].map(|page| Client::asking(&server, page).unwrap());
        clients.iter_mut().for_each(|client| check_page(client, 200));
    }
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    poll_with(future, Waker::noop())
}

fn poll_with<F: Future>(future: Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

/// A time limit may end a wait after the permit was sent and before it was received.
#[test]
fn a_permit_on_its_way_to_a_client_that_is_given_up_goes_to_the_next() {
    let permits = NewestFirst::new(1);
    let Poll::Ready(Some(permit)) = poll_once(pin!(permits.permit())) else {
        panic!("none was free")
    };
    let mut older = pin!(permits.permit());
    assert!(poll_once(older.as_mut()).is_pending());
    let mut newest = Box::pin(permits.permit());
    assert!(poll_once(newest.as_mut()).is_pending());
    drop(permit);
    drop(newest);
    let Poll::Ready(Some(permit)) = poll_once(older.as_mut()) else { panic!("it is lost") };
    drop(permit);
    assert!(matches!(poll_once(pin!(permits.permit())), Poll::Ready(Some(_))), "it is lost");
}

/// A task that asks for a permit as soon as it is woken, on the thread that wakes it.
struct AsksAgain(NewestFirst);

impl Wake for AsksAgain {
    fn wake(self: Arc<Self>) {
        assert!(poll_once(pin!(self.0.permit())).is_pending());
    }
}

/// Who wakes under the lock waits here for itself, without end: so on a thread that the test doesn't wait for.
#[test]
fn the_oldest_is_woken_when_the_lock_is_free_again() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let permits = NewestFirst::new(0);
        let waker = Waker::from(Arc::new(AsksAgain(permits.clone())));
        let mut oldest = Box::pin(permits.permit());
        assert!(poll_with(oldest.as_mut(), &waker).is_pending());
        // The last of them takes the oldest one's slot.
        let mut newer: Vec<_> = (0..20).map(|_| Box::pin(permits.permit())).collect();
        assert!(newer.iter_mut().all(|newer| poll_once(newer.as_mut()).is_pending()));
        done.send(matches!(poll_once(oldest.as_mut()), Poll::Ready(None))).unwrap()
    });
    let refused = is_done.recv_timeout(DEADLINE);
    assert_eq!(refused, Ok(true), "it was woken under the lock, or not at all");
}
