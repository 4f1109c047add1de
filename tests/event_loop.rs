//! The event loop by hand: its steps, each of which mends a fault of the one before, and what goes wrong in loops
//! that look like it (`examples/wrong_servers`).

use std::{
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{Client, Launch, Rung, Server, WRONG_SERVERS, wait_until};
use site::{HEAD_TIME, compute};

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

static RIGHT: LazyLock<Rung> = LazyLock::new(|| Rung::named("event_loop"));

#[track_caller]
fn step(name: &'static str) -> Rung {
    Rung::step(name).expect("it is declared")
}

/// The loop with this fault.
fn wrong(fault: &str) -> Server {
    WRONG_SERVERS.launch().args(&["--fault", fault]).start()
}

/// A client that has asked, and not yet looked for the answer.
fn asking(server: &Server, target: &str) -> Client {
    let mut client = Client::connect(server);
    client.get(target);
    client
}

#[track_caller]
fn check_answer(client: &mut Client) {
    let response = client.response();
    assert_eq!(response.status, 200, "{response:?}");
}

/// The steps that run on this system.
fn steps() -> impl Iterator<Item = Rung> {
    let everywhere = ["event_loop_busy", "event_loop_ready", "event_loop_timers"];
    let on_linux = cfg!(target_os = "linux").then_some("event_loop_levels");
    everywhere.into_iter().chain(on_linux).map(step)
}

#[test]
fn every_step_serves_many_clients_on_one_thread() {
    for step in steps() {
        println!("{}", step.name);
        let server = step.start(&["--keep-alive"]);
        let mut halves: Vec<Client> = (0..20).map(|_| Client::connect(&server)).collect();
        for client in &mut halves {
            client.send("GET /work?n=2 HTTP/1.1\r\n");
        }
        for target in ["/", "/sleep?ms=1", "/tenth?ms=1", "/file", "/work"] {
            check_answer(&mut asking(&server, target));
        }
        // In another order than that in which they came, and more than once.
        for client in halves.iter_mut().rev() {
            client.send("Host: a\r\n\r\nGET /work?n=3 HTTP/1.1\r\nHost: a\r\n\r\n");
            assert_eq!(client.response().text(), compute(2));
            assert_eq!(client.response().text(), compute(3));
        }
        #[cfg(target_os = "linux")]
        assert_eq!(server.status("Threads"), 1, "{:?}", server.thread_names());
    }
}

/// In how many of 40 looks the thread was asleep. On a busy machine one that wants to run may have to wait: it is
/// not asleep then.
#[cfg(target_os = "linux")]
fn asleep(server: &Server) -> usize {
    let looks = (0..40).filter(|_| {
        thread::sleep(Duration::from_millis(5));
        let stat = std::fs::read_to_string(format!("/proc/{0}/task/{0}/stat", server.id()));
        let stat = stat.expect("the server still runs");
        stat.rsplit(") ").next().expect("there is always a last part").starts_with('S')
    });
    looks.count()
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_step_never_sleeps_and_the_others_do() {
    for step in steps().chain([*RIGHT]) {
        let server = step.start(&["--keep-alive"]);
        // A client that stays and says nothing more is no work.
        let mut idle = asking(&server, "/");
        check_answer(&mut idle);
        let asleep = asleep(&server);
        match step.name == "event_loop_busy" {
            true => assert_eq!(asleep, 0, "{}", step.name),
            false => assert!(asleep > 30, "{}: only {asleep} of 40 times", step.name),
        }
    }
}

/// Steps 1 and 2 sleep for a client as a thread of its own would, and have no other.
#[test]
fn a_sleep_holds_all_others_until_there_are_timers() {
    for step in steps() {
        let server = step.start(&[]);
        let mut first = asking(&server, "/sleep?ms=1000");
        // A head start, within its second.
        assert!(!first.hears_within(A_WHILE), "{}", step.name);
        check_answer(&mut asking(&server, "/"));
        let second_waited = first.hears_within(Duration::from_millis(1));
        assert_eq!(second_waited, step.name != "event_loop_timers", "{}", step.name);
    }
}

/// Without timers nothing reminds the loop of a client that says nothing.
#[test]
fn a_silent_client_stays_until_there_are_timers() {
    let (patient, strict) =
        (step("event_loop_ready").start(&[]), step("event_loop_timers").start(&[]));
    let (mut stays, mut goes) = (Client::connect(&patient), Client::connect(&strict));
    let start = Instant::now();
    goes.ends();
    // Timers may be a little early.
    assert!(start.elapsed() >= HEAD_TIME - Duration::from_millis(100), "{:?}", start.elapsed());
    assert!(!stays.hears_within(A_WHILE), "step 2 ended a client by itself");
}

/// Of clients that come while the loop is busy, the system tells once.
#[test]
fn accepting_once_for_an_event_forgets_clients() {
    /// The last of three clients that come while another one's request is computed.
    fn last_of_three(server: &Server) -> Client {
        let mut busy = asking(server, "/work?n=100000");
        let mut clients: Vec<Client> = (0..3).map(|_| asking(server, "/")).collect();
        check_answer(&mut busy);
        clients.pop().expect("there are three")
    }
    for _ in 0..3 {
        check_answer(&mut last_of_three(&RIGHT.start(&[])));
    }
    // They may come too late for it, on a machine that stalls.
    let forgets = |_| !last_of_three(&wrong("accept-once")).hears_within(A_WHILE);
    assert!((0..10).any(forgets), "in ten tries it forgot nobody");
}

/// Of bytes that do not fit into one read, the system has told already.
#[test]
fn reading_once_for_an_event_forgets_bytes() {
    fn long(server: &Server) -> Client {
        let mut client = Client::connect(server);
        // More than two reads: it may read once when it accepts, and once for the event that follows.
        let cookie = "x".repeat(14_000);
        client.send(format!("GET / HTTP/1.1\r\nHost: a\r\nCookie: {cookie}\r\n\r\n"));
        client
    }
    check_answer(&mut long(&RIGHT.start(&[])));
    let forgets = |_| !long(&wrong("one-read-for-an-event")).hears_within(A_WHILE);
    assert!((0..10).any(forgets), "in ten tries it read all of it");
}

/// A client that always has more to say, and a loop that stays with it.
#[test]
fn never_giving_way_serves_one_client() {
    let greedy = |server: &Server| {
        let greedy = Client::connect(server);
        let greedy = greedy.never_pause("GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n");
        thread::sleep(Duration::from_millis(100));
        greedy
    };
    let right = RIGHT.start(&["--keep-alive"]);
    let held = greedy(&right);
    check_answer(&mut asking(&right, "/"));
    drop(held);
    let starves = |_| {
        let launch = WRONG_SERVERS.launch().args(&["--fault", "never-gives-way", "--keep-alive"]);
        let server = launch.start();
        let held = greedy(&server);
        let starved = !asking(&server, "/").hears_within(2 * A_WHILE);
        drop(held);
        starved
    };
    assert!((0..10).any(starves), "in ten tries the others had their turn");
}

/// A client leaves its timer behind. Who has its token now is woken by it.
#[test]
fn a_reused_token_ends_the_sleep_of_another() {
    fn sleeps_for(server: &Server) -> Duration {
        // After its answer a connection has a second in which its client may close it: that is its timer.
        let mut first = asking(server, "/");
        check_answer(&mut first);
        thread::sleep(Duration::from_millis(100));
        drop(first);
        thread::sleep(Duration::from_millis(100));
        let start = Instant::now();
        check_answer(&mut asking(server, "/sleep?ms=3000"));
        start.elapsed()
    }
    let slept = sleeps_for(&RIGHT.start(&[]));
    assert!(slept >= Duration::from_millis(2980), "it slept {slept:?}");
    let early = |_| sleeps_for(&wrong("reused-token")) < Duration::from_millis(2900);
    assert!((0..5).any(early), "in five tries it slept for as long as it should");
}

/// No descriptor is left, and a client waits for one.
#[cfg(target_os = "linux")]
#[test]
fn trying_again_at_once_keeps_the_processor_busy() {
    fn asleep_without_descriptors(launch: Launch) -> usize {
        let server = launch.limit_files(32).start();
        let clients: Vec<Client> = (0..60).map(|_| Client::connect(&server)).collect();
        wait_until("the server says that it can accept nobody", || {
            server.stderr().contains("cannot accept a connection")
        });
        let asleep = asleep(&server);
        drop(clients);
        check_answer(&mut asking(&server, "/"));
        asleep
    }
    let right = asleep_without_descriptors(RIGHT.launch());
    assert!(right > 20, "only {right} of 40 times");
    let spins = WRONG_SERVERS.launch().args(&["--fault", "spin-on-accept-error"]);
    assert_eq!(asleep_without_descriptors(spins), 0);
}

/// The floor with which its CPU time is compared does the same work for the kernel, and looks at no request.
#[test]
fn the_loop_that_parses_nothing_sends_the_same_answer() {
    let (floor, right) = (wrong("parses-nothing"), RIGHT.start(&["--keep-alive"]));
    let mut clients = [&floor, &right].map(Client::connect);
    for _ in 0..3 {
        let answers = clients.each_mut().map(|client| {
            client.get("/");
            client.response()
        });
        assert_eq!(answers[0].status, answers[1].status);
        assert_eq!(answers[0].text(), answers[1].text());
    }
    clients[0].get("/no-such-page");
    assert_eq!(clients[0].response().status, 200, "it has read the request");
    #[cfg(target_os = "linux")]
    if ladder_tests::have("strace", &["-V"], "apt install strace, dnf install strace") {
        let calls = |launch: Launch| {
            ladder_tests::Calls::counted(launch, |server| {
                let mut client = Client::connect(server);
                for _ in 0..50 {
                    client.get("/");
                    check_answer(&mut client);
                    thread::sleep(Duration::from_millis(2));
                }
            })
        };
        let floor = calls(WRONG_SERVERS.launch().args(&["--fault", "parses-nothing"]));
        let right = calls(RIGHT.launch().args(&["--keep-alive"]));
        for name in ["recvfrom", "sendto"] {
            assert!(floor.named(name).abs_diff(right.named(name)) <= 2, "{floor:?} {right:?}");
        }
    }
}
