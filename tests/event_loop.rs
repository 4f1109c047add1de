//! The event loop by hand: its steps, each of which mends a fault of the one before, and what goes wrong in loops
//! that look like it (`examples/clients/wrong_servers`).

use std::{
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, DEADLINE, Launch, NeverPauses, Rung, Server, WRONG_SERVERS, conclusive, run, wait_until,
};
#[cfg(target_os = "linux")]
use site::DRAIN_TIME;
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

/// A client that always has more to say, and has said a lot already.
fn greedy(server: &Server) -> NeverPauses {
    let greedy = Client::connect(server);
    let greedy = greedy.never_pause("GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n");
    thread::sleep(Duration::from_millis(100));
    greedy
}

#[track_caller]
fn check_answer(client: &mut Client) {
    let response = client.response();
    assert_eq!(response.status, 200, "{response:?}");
}

/// The steps in order. What step n lacks, step n + 1 has.
const STEPS: [&str; 7] = [
    "event_loop_busy",
    "event_loop_ready",
    "event_loop_limits",
    "event_loop_timers",
    "event_loop_short",
    "event_loop_ordered",
    "event_loop_paused",
];

/// The steps that run on this system, and which number each has. That on epoll itself is another step 2.
fn steps() -> impl Iterator<Item = (usize, Rung)> {
    let on_linux = cfg!(target_os = "linux").then_some((2, "event_loop_levels"));
    (1..).zip(STEPS).chain(on_linux).map(|(number, name)| (number, step(name)))
}

/// The step before and the step with what it lacks.
#[track_caller]
fn before_and_after(number: usize) -> [Rung; 2] {
    [number, number + 1].map(|number| step(STEPS[number - 1]))
}

#[test]
fn every_step_serves_many_clients_on_one_thread() {
    for (_, step) in steps() {
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

/// The handler of the small servers, with nothing of the site.
#[test]
fn the_small_handler_serves_many_clients_on_one_thread() {
    let server = step("event_loop_small").start(&[]);
    let mut halves: Vec<Client> = (0..20).map(|_| Client::half_open(&server)).collect();
    let mut client = Client::asking(&server, "/");
    assert_eq!(client.response().text(), "hello\n");
    for half in halves.iter_mut().rev() {
        half.send("\r\n");
        assert_eq!(half.response().text(), "hello\n");
    }
    let mut too_long = Client::connect(&server);
    too_long.send("x".repeat(4096));
    too_long.ends();
    #[cfg(target_os = "linux")]
    assert_eq!(server.status("Threads"), 1, "{:?}", server.thread_names());
}

/// What the main thread does, in one letter: `R` runs, `S` sleeps, `T` is stopped.
#[cfg(target_os = "linux")]
fn state(server: &Server) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{0}/task/{0}/stat", server.id()));
    let stat = stat.expect("the server still runs");
    let after_its_name = stat.rsplit(") ").next().expect("there is always a last part");
    after_its_name.chars().next().expect("the state comes first")
}

/// In how many of 40 looks the thread was asleep. On a busy machine one that wants to run may have to wait: it is
/// not asleep then.
#[cfg(target_os = "linux")]
fn asleep(server: &Server) -> usize {
    let looks = (0..40).filter(|_| {
        thread::sleep(Duration::from_millis(5));
        state(server) == 'S'
    });
    looks.count()
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_step_never_sleeps_and_the_others_do() {
    for step in steps().map(|(_, step)| step).chain([*RIGHT]) {
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

/// As Ctrl-Z and `fg` do it. The call that waits fails then, although nothing has happened to any client.
#[cfg(target_os = "linux")]
#[test]
fn a_stop_ends_no_loop() {
    use ladder_tests::Signal;

    let right = steps().map(|(_, step)| step).chain([*RIGHT]).map(|rung| rung.start(&[]));
    for server in right.chain(["accept-once", "parses-nothing"].map(wrong)) {
        println!("{}", server.line);
        check_answer(&mut asking(&server, "/"));
        // It waits for its next client then.
        thread::sleep(Duration::from_millis(100));
        server.signal(Signal::Stop);
        wait_until("the server is stopped", || state(&server) == 'T');
        server.signal(Signal::Continue);
        check_answer(&mut asking(&server, "/"));
    }
}

/// mio's documentation asks for it. Linux would forget a closed socket by itself, so nothing else shows it.
#[cfg(target_os = "linux")]
#[test]
fn a_socket_is_off_the_list_before_it_is_closed() {
    if !ladder_tests::have("strace") {
        return;
    }
    let clients = 20;
    let on_mio = STEPS[1..].iter().map(|name| step(name)).chain([*RIGHT]);
    let wrong = ["accept-once", "parses-nothing"]
        .map(|fault| WRONG_SERVERS.launch().args(&["--fault", fault]));
    for launch in on_mio.map(|rung| rung.launch()).chain(wrong) {
        let calls = ladder_tests::Calls::counted(launch, |server| {
            println!("{}", server.line);
            for _ in 0..clients {
                check_answer(&mut asking(server, "/"));
            }
            // The last of them has gone a moment ago.
            thread::sleep(A_WHILE);
        });
        let told = calls.named("epoll_ctl");
        assert!(told >= 2 * clients, "{told} calls for {clients} clients");
    }
}

/// The first three steps sleep for a client as its own thread would, and have no other.
#[test]
fn a_sleep_holds_all_others_until_it_is_a_timer() {
    let second = Duration::from_secs(1);
    let check = |number: usize, step: &Rung| {
        let server = step.start(&[]);
        conclusive(second, || {
            let mut first = asking(&server, "/sleep?ms=1000");
            // A head start, within its second.
            assert!(!first.hears_within(A_WHILE), "{}", step.name);
            check_answer(&mut asking(&server, "/"));
            let second_waited = first.hears_within(Duration::from_millis(1));
            assert_eq!(second_waited, number < 4, "{}", step.name);
        });
    };
    thread::scope(|scope| {
        for (number, step) in steps() {
            scope.spawn(move || check(number, &step));
        }
    });
}

/// Without time limits nothing reminds the loop of a client that says nothing.
#[test]
fn a_silent_client_stays_until_there_are_limits() {
    let [patient, strict] = before_and_after(2).map(|step| step.start(&[]));
    let (mut stays, mut goes) = (Client::connect(&patient), Client::connect(&strict));
    let start = Instant::now();
    goes.ends();
    // Timers may be a little early.
    assert!(start.elapsed() >= HEAD_TIME - Duration::from_millis(100), "{:?}", start.elapsed());
    assert!(!stays.hears_within(A_WHILE), "step 2 ended a client by itself");
}

/// The fourth step has shares, so the loop comes back to a greedy client as it does to one that sleeps.
#[test]
fn a_client_that_never_pauses_holds_all_others_until_there_are_shares() {
    let starves = |step: &Rung| {
        let server = step.start(&["--keep-alive"]);
        let held = greedy(&server);
        let starved = !asking(&server, "/").hears_within(2 * A_WHILE);
        drop(held);
        starved
    };
    let [without, with] = before_and_after(3);
    assert!(!starves(&with));
    assert!((0..10).any(|_| starves(&without)), "in ten tries the others had their turn");
}

/// The fifth step saves the read that only finds out that there is nothing more.
#[cfg(target_os = "linux")]
#[test]
fn a_short_read_is_the_last() {
    if !ladder_tests::have("strace") {
        return;
    }
    let requests = 50;
    let [before, after] = before_and_after(4).map(|step| {
        let calls = ladder_tests::Calls::counted(step.launch().args(&["--keep-alive"]), |server| {
            let mut client = Client::connect(server);
            for _ in 0..requests {
                client.get("/");
                check_answer(&mut client);
                thread::sleep(Duration::from_millis(2));
            }
        });
        calls.named("recvfrom")
    });
    // Two for each; on a busy machine the next request may be there before the second, and saves one.
    assert!(before > requests + requests / 2, "{before} reads for {requests} requests");
    assert!(after <= requests + requests / 10, "{after} reads for {requests} requests");
}

/// The sixth step keeps what a slow client has no room for.
#[test]
fn a_slow_client_is_lost_until_a_write_may_stop_in_the_middle() {
    let is_lost = |step: &Rung| {
        let server = step.start(&["--keep-alive"]);
        let mut slow = Client::connect_with_small_buffers(&server);
        let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
        slow.flood(requests.as_bytes(), 64 * 1024 * 1024);
        check_answer(&mut asking(&server, "/"));
        slow.is_given_up()
    };
    assert_eq!(before_and_after(5).map(|step| is_lost(&step)), [true, false]);
}

/// The seventh step tries again by itself when no descriptor was left.
#[cfg(target_os = "linux")]
#[test]
fn a_client_for_whom_no_descriptor_was_left_is_forgotten_until_there_is_a_pause() {
    let is_forgotten = |step: &Rung| {
        let server = step.launch().args(&["--keep-alive"]).limit_files(32).start();
        let inside: Vec<Client> = (0..60).map(|_| Client::connect(&server)).collect();
        let mut waits = asking(&server, "/");
        thread::sleep(A_WHILE);
        drop(inside);
        !waits.hears_within(3 * A_WHILE)
    };
    assert_eq!(before_and_after(6).map(|step| is_forgotten(&step)), [true, false]);
}

/// What a request costs when a hundred clients are ready at once, as the program of the experiment counts it.
#[cfg(target_os = "linux")]
#[test]
fn clients_that_are_ready_together_share_a_wait() {
    if !ladder_tests::have("strace") {
        return;
    }
    let mut program = ladder_tests::example("ready_together");
    let finished = run(program.args(["--json", "--quick", "--clients", "100"]), 3 * DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let printed: serde_json::Value = serde_json::from_str(&finished.stdout).expect("it is JSON");
    let counted = printed["figures"]["calls_per_request"].as_f64().expect("it is a number");
    // A wait for each of them would be a call more. So few rounds don't hide what a hundred clients cost when they come.
    assert!((counted - 2.01).abs() < 0.5, "{counted}");
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

/// A client that says so much in one go that its share ends before, and a loop that waits for its next event then.
#[test]
fn never_coming_back_leaves_requests_unanswered() {
    const REQUESTS: usize = 200;
    fn saying_all(server: &Server) -> Client {
        let mut client = Client::connect(server);
        // It says all of it before the first answer is read, and waits then.
        client.send("GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(REQUESTS));
        client
    }
    let right = RIGHT.start(&["--keep-alive"]);
    let mut client = saying_all(&right);
    (0..REQUESTS).for_each(|_| check_answer(&mut client));
    let forgets = |_| {
        let launch = WRONG_SERVERS.launch().args(&["--fault", "never-comes-back", "--keep-alive"]);
        let server = launch.start();
        let mut client = saying_all(&server);
        let is_answered =
            |_: &usize| client.hears_within(A_WHILE) && client.response().status == 200;
        let answered = (0..REQUESTS).take_while(is_answered).count();
        // The server is there for others.
        check_answer(&mut asking(&server, "/"));
        (1..REQUESTS).contains(&answered)
    };
    assert!((0..10).any(forgets), "in ten tries it came back");
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

/// A client is reset when its time is over, and its event is taken in when another client has its token.
#[cfg(target_os = "linux")]
#[test]
fn a_reused_token_gets_the_event_of_another() {
    use ladder_tests::{Signal, send_signal};

    /// Whether a client that came while the loop was held, just before another was reset, gets its answer.
    fn is_answered(server: &Server) -> bool {
        // After its answer a connection has a second in which its client may close it.
        let mut goes = asking(server, "/");
        check_answer(&mut goes);
        // That second has begun only when the loop waits again.
        thread::sleep(Duration::from_millis(100));
        // A stop stands for a computation that lasts beyond that second.
        send_signal(server.id(), Signal::Stop).expect("the server runs");
        let mut comes = asking(server, "/sleep?ms=100");
        goes.reset();
        thread::sleep(DRAIN_TIME);
        send_signal(server.id(), Signal::Continue).expect("the server is still there");
        let (answer, _) = comes.rest();
        !answer.is_empty()
    }
    let right = RIGHT.start(&[]);
    assert!((0..3).all(|_| is_answered(&right)));
    let loses = |_| !is_answered(&wrong("reused-token"));
    assert!((0..5).any(loses), "in five tries no event reached another client");
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
    let wrong = WRONG_SERVERS.launch().args(&["--fault", "spin-on-accept-error"]);
    assert_eq!(asleep_without_descriptors(wrong), 0);
    // A level-triggered listener does so by itself.
    let levels = step("event_loop_levels").launch();
    assert_eq!(asleep_without_descriptors(levels), 0);
}

/// The floor with which its CPU time is compared does the same work for the kernel, and looks at no request.
#[test]
fn the_loop_that_parses_nothing_sends_the_same_answer() {
    let (floor, right) = (wrong("parses-nothing"), RIGHT.start(&["--keep-alive"]));
    let mut clients = [&floor, &right].map(|server| Client::connect(server));
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
    if ladder_tests::have("strace") {
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
