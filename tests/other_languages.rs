//! What the page on other languages claims: who waits, who computes, and whom that concerns. By order and by counting.

use std::{
    env, fs,
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, ExitCode, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, DEADLINE, Launch, On, Plain, Rung, Server, Trials, alone, is_here, root, run, tests,
    tool, tutorial, wait_until,
};
#[cfg(target_os = "linux")]
use ladder_tests::{Signal, below_strace, have, raise_file_limit, skip};
#[cfg(target_os = "linux")]
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};
use records::servers::{FOREIGN, Server as Declared};
use site::HEAD_TIME;
#[cfg(target_os = "linux")]
use site::{DRAIN_TIME, hello_html};

fn main() -> ExitCode {
    let mut trials = Trials::of_all_servers();
    trials.add(
        On::Named("go_http"),
        Plain::Nowhere,
        tests![
            finds_the_pages_where_it_lies_or_is_started,
            writes_a_line_about_each_request,
            serves_another_beside_a_hundred_sleepers,
            serves_another_during_a_hundred_computations,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_nobody,
            #[cfg(target_os = "linux")]
            sees_how_many_processors_it_may_use,
        ],
    );
    trials.add(
        On::Named("go_tcp"),
        Plain::Nowhere,
        tests![
            finds_the_pages_where_it_lies_or_is_started,
            serves_another_beside_a_hundred_sleepers,
            #[cfg(target_os = "linux")]
            a_late_wake_up_cuts_nobody_off,
            serves_another_during_a_hundred_computations,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_nobody,
            #[cfg(target_os = "linux")]
            sees_how_many_processors_it_may_use,
        ],
    );
    trials.add(
        On::Named("java_pool"),
        Plain::Nowhere,
        tests![
            #[cfg(target_os = "linux")]
            accepts_a_ninth_client_and_lets_it_wait,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_nobody,
        ],
    );
    trials.add(
        On::Named("java_threads"),
        Plain::Nowhere,
        tests![
            serves_another_beside_a_hundred_sleepers,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_nobody,
        ],
    );
    trials.add(
        On::Named("java_nio2"),
        Plain::Nowhere,
        tests![
            serves_another_beside_a_hundred_sleepers,
            a_computation_holds_all,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_all,
            #[cfg(target_os = "linux")]
            sees_how_many_processors_it_may_use,
        ],
    );
    trials.add(
        On::Named("java_virtual"),
        Plain::Nowhere,
        tests![
            serves_another_beside_a_hundred_sleepers,
            a_computation_holds_all,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_all,
            #[cfg(target_os = "linux")]
            sees_how_many_processors_it_may_use,
        ],
    );
    trials.add(
        On::Named("node_http"),
        Plain::Nowhere,
        tests![
            serves_another_beside_a_hundred_sleepers,
            serves_another_after_a_hundred_computations,
            a_computation_holds_all,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_nobody,
        ],
    );
    trials.add(
        On::Named("node_cluster"),
        Plain::Nowhere,
        tests![
            serves_another_beside_a_hundred_sleepers,
            // Elsewhere it can't be bound to a processor, and has a process for each.
            #[cfg(target_os = "linux")]
            a_computation_holds_all,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_nobody,
            #[cfg(target_os = "linux")]
            sees_how_many_processors_it_may_use,
        ],
    );
    trials.add(
        On::Named("deno_http"),
        Plain::Nowhere,
        tests![
            serves_another_beside_a_hundred_sleepers,
            a_computation_holds_all,
            #[cfg(target_os = "linux")]
            a_slow_file_holds_nobody,
        ],
    );
    trials.alone(alone![
        a_write_that_ends_while_it_is_looked_at_is_not_cut_off,
        go_servers_are_built_whatever_a_users_settings_are,
        eight_silent_clients_hold_the_pool_of_a_tutorial
    ]);
    trials.alone_and_slow(alone![a_tutorials_server_keeps_a_silent_client]);
    trials.run()
}

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

/// How many computations the greedy client asks for.
const MANY: usize = 100;

fn sleepers(server: &Server, count: usize, ms: u32) -> Vec<Client> {
    let target = format!("/sleep?ms={ms}");
    (0..count).map(|_| Client::asking(server, &target).unwrap()).collect()
}

fn serves_another_beside_a_hundred_sleepers(rung: Rung) {
    let server = rung.start(&[]);
    let mut sleepers = sleepers(&server, 100, 10_000);
    assert_eq!(Client::asking(&server, "/sleep?ms=10").unwrap().response().unwrap().status, 200);
    // It would take a machine that stalls for ten seconds to get this wrong.
    let awake = sleepers
        .iter_mut()
        .filter_map(|it| it.hears_within(Duration::from_millis(1)).then_some(()))
        .count();
    assert_eq!(awake, 0, "so many long sleeps were over first");
}

fn writes_a_line_about_each_request(rung: Rung) {
    let server = rung.start(&["--log"]);
    assert_eq!(Client::asking(&server, "/sleep?ms=10").unwrap().response().unwrap().status, 200);
    wait_until("the line is there", || server.stderr().contains("GET /sleep in "));
    let silent = rung.start(&[]);
    assert_eq!(Client::asking(&silent, "/").unwrap().response().unwrap().status, 200);
    assert_eq!(silent.stderr(), "");
}

/// Eight clients hold the eight threads. The ninth is accepted all the same: the queue in front of the threads takes it.
#[cfg(target_os = "linux")]
fn accepts_a_ninth_client_and_lets_it_wait(rung: Rung) {
    let server = rung.start(&[]);
    // The first request loads what else the server opens, and its own connection has to be gone again.
    assert_eq!(Client::asking(&server, "/").unwrap().response().unwrap().status, 200);
    thread::sleep(A_WHILE);
    let before = server.open_sockets();
    let held = sleepers(&server, 8, 10_000);
    let mut ninth = Client::asking(&server, "/").unwrap();
    wait_until("all nine are accepted", || server.open_sockets() >= before + 9);
    assert!(!ninth.hears_within(A_WHILE), "the ninth client was served beside the eight");
    drop(held);
}

/// One client sends a hundred requests for a computation at once, and then another asks for a page: how many of the
/// hundred responses had come when it had its own, or shortly after.
fn computed_before_another_was_served(rung: Rung, rounds: u32) -> usize {
    let server = rung.launch_with_threads(1).args(&["--keep-alive"]).start();
    let mut greedy = Client::connect(&server).unwrap();
    greedy.send(format!("GET /work?n={rounds} HTTP/1.1\r\nHost: a\r\n\r\n").repeat(MANY)).unwrap();
    let computed = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&computed);
    thread::spawn(move || {
        for _ in 0..MANY {
            // The server may be gone before it has answered all of them, and then this thread is no longer needed.
            if greedy.response_if_any(true).unwrap().is_err() {
                return;
            }
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!(Client::asking(&server, "/").unwrap().response().unwrap().status, 200);
    // What had been sent by then has been read after this.
    thread::sleep(A_WHILE);
    computed.load(Ordering::Relaxed)
}

/// The runtime takes the only processor away from the computation, again and again, and gives it to the other client.
fn serves_another_during_a_hundred_computations(rung: Rung) {
    let computed = computed_before_another_was_served(rung, 100_000);
    assert!(computed < MANY, "all of the computations came first");
}

/// All hundred requests arrive in one read, and their handlers run one after the other before the loop waits again.
fn serves_another_after_a_hundred_computations(rung: Rung) {
    // All of them within the five seconds after which Node.js gives up a client that it has not yet read from.
    assert_eq!(computed_before_another_was_served(rung, 10_000), MANY);
}

/// A server that may use one processor: Go runs one goroutine at a time, and Java has one carrier or callback thread.
fn on_one_processor(rung: Rung) -> Launch {
    let launch = rung.launch().env("GOMAXPROCS", "1");
    launch.env("JAVA_TOOL_OPTIONS", "-XX:ActiveProcessorCount=1")
}

/// On Linux, what a thread starts may use the processors that the thread may use: here one.
#[cfg(target_os = "linux")]
fn bound<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let bind_and_work = || {
        let this_thread = Pid::from_raw(0);
        let allowed = sched_getaffinity(this_thread).expect("Linux says where it may run");
        let first = (0..CpuSet::count()).find(|cpu| allowed.is_set(*cpu) == Ok(true));
        let mut only = CpuSet::new();
        only.set(first.expect("there is one processor")).expect("it is a processor's number");
        sched_setaffinity(this_thread, &only).expect("it may run there");
        work()
    };
    let done = thread::scope(|scope| scope.spawn(bind_and_work).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(not(target_os = "linux"))]
fn bound<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Nobody interrupts a computation that holds the only thread for clients: who comes later is answered later, always.
fn a_computation_holds_all(rung: Rung) {
    let server = bound(|| on_one_processor(rung).start());
    for attempt in 1..=20 {
        let mut first = Client::asking(&server, "/work?n=100000").unwrap();
        // A head start, within its time.
        if first.hears_within(Duration::from_millis(5 * attempt)) {
            continue;
        }
        assert_eq!(Client::asking(&server, "/").unwrap().response().unwrap().status, 200);
        assert!(first.hears_within(Duration::from_millis(1)), "somebody was served meanwhile");
        return;
    }
    panic!("twenty times the first client's answer came before the second client");
}

#[cfg(target_os = "linux")]
fn a_slow_file_holds_nobody(rung: Rung) {
    a_slow_file_and_another(rung, false);
}

/// Until JDK 23 a virtual thread that opened a file let the runtime start another carrier for as long (JDK-8329593).
#[cfg(target_os = "linux")]
fn a_slow_file_holds_all(rung: Rung) {
    let toolchain = rung.toolchain().expect("it is in Java");
    let version = toolchain.require().expect("it is here");
    let digits = version.split(|letter: char| !letter.is_ascii_digit()).find(|it| !it.is_empty());
    let version: u32 = digits.and_then(|it| it.parse().ok()).expect("javac names its version");
    a_slow_file_and_another(rung, version >= 23 || rung.name != "java_virtual");
}

/// A disk that takes two seconds, because strace delays the call that opens the file, as it does for the rungs.
#[cfg(target_os = "linux")]
fn a_slow_file_and_another(rung: Rung, another_waits: bool) {
    if !have("strace") {
        return;
    }
    let file = hello_html().to_str().expect("the path is text");
    let slow = ["-P", file, "-e", "trace=openat", "-e", "inject=openat:delay_enter=2000000"];
    let ask = |server: &Server| {
        let mut first = Client::asking(server, "/file").unwrap();
        assert!(!first.hears_within(A_WHILE), "the file was not slow");
        assert_eq!(Client::asking(server, "/").unwrap().response().unwrap().status, 200);
        assert_eq!(first.hears_within(A_WHILE), another_waits, "whether the other client waited");
        assert_eq!(first.response().unwrap().status, 200);
    };
    bound(|| below_strace(on_one_processor(rung), &slow, ask));
}

/// A stop wakes each connection by a goroutine of its own, which waits for its turn. One that is late must not end the
/// reading of what a client still sends after its answer: the client would be sent a reset.
#[cfg(target_os = "linux")]
fn a_late_wake_up_cuts_nobody_off(rung: Rung) {
    const IDLE: usize = 3000;
    const ASKING: usize = 300;
    if !raise_file_limit(IDLE + ASKING) {
        return skip("a test with 3,300 clients: the limit of open files can't be raised so far");
    }
    for _ in 0..3 {
        let server = on_one_processor(rung).start();
        let idle: Vec<Client> = (0..IDLE).map(|_| Client::connect(&server).unwrap()).collect();
        // Connections are accepted in order, so by now all those are. A stop resets who is still in the backlog.
        assert_eq!(Client::asking(&server, "/").unwrap().response().unwrap().status, 200);
        let mut asking = sleepers(&server, ASKING, 300);
        // The answers are due when the goroutines are.
        thread::sleep(Duration::from_millis(280));
        let told = Instant::now();
        server.signal(Signal::Terminate);
        for client in &mut asking {
            assert_eq!(client.response().unwrap().status, 200);
        }
        // The first bytes are answered by a reset where nobody reads, and then the others can't be sent.
        let mut cut_off = 0;
        for _ in 0..2 {
            cut_off = asking.iter_mut().filter_map(|it| it.try_send("more").err()).count();
            thread::sleep(Duration::from_millis(50));
        }
        // On a machine that stalls, the time of the reading may be over.
        assert!(cut_off == 0 || told.elapsed() > DRAIN_TIME, "{cut_off} of {ASKING} clients");
        drop(idle);
    }
}

/// A repository may be moved after its build, and a build may know no path of its sources (`-trimpath`).
fn finds_the_pages_where_it_lies_or_is_started(rung: Rung) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let moved = folder.path().join("moved");
    let pages = moved.join("examples/site");
    fs::create_dir_all(&pages).expect("a folder can be made");
    for page in ["index.html", "hello.html"] {
        fs::write(pages.join(page), page).expect("a file can be written");
    }
    // The program lies in the repository, or the current folder does.
    for (lies, start) in [(moved.as_path(), folder.path()), (folder.path(), pages.as_path())] {
        let copy = lies.join(rung.name).with_extension(env::consts::EXE_EXTENSION);
        fs::copy(rung.launch().program(), &copy).expect("it is built");
        let server = rung.launch().copied(&copy, start).start();
        assert_eq!(Client::asking(&server, "/").unwrap().response().unwrap().text(), "index.html");
        assert_eq!(
            Client::asking(&server, "/file").unwrap().response().unwrap().text(),
            "hello.html"
        );
    }
}

/// The measurements bind a server to one processor and set nothing else: its runtime has to see that by itself.
#[cfg(target_os = "linux")]
fn sees_how_many_processors_it_may_use(rung: Rung) {
    let words = match rung.name {
        "go_http" | "go_tcp" => "1 running at a time",
        "java_nio2" => "1 threads for all",
        "java_virtual" => "carried by 1 threads",
        "node_cluster" => "1 processes",
        name => panic!("{name} does not say it"),
    };
    let server = bound(|| rung.start(&[]));
    assert!(server.line.contains(words), "{}", server.line);
}

/// Whoever closes what is written too slowly must not take the end of a write for its beginning.
fn a_write_that_ends_while_it_is_looked_at_is_not_cut_off() {
    let server = Declared::named("java_pool").expect("it is declared");
    if !is_here(server) {
        return;
    }
    // This builds it.
    drop(Rung::named("java_pool").start(&[]));
    let java = server.command(root()).expect("it is in Java");
    let classes = java.get_args().skip_while(|word| *word != "-cp").nth(1).expect("-cp has one");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ending_write");
    let mut javac = Command::new(Path::new(java.get_program()).with_file_name("javac"));
    javac.arg("-cp").arg(classes).arg("-d").arg(&out);
    javac.arg(root().join("tests/other_languages/EndingWrite.java"));
    let compiled = run(&mut javac, DEADLINE);
    assert_eq!(compiled.code, Some(0), "{compiled:?}");
    let both = env::join_paths([Path::new(classes), &out]).expect("no path has a separator in it");
    let ran =
        run(Command::new(java.get_program()).arg("-cp").arg(both).arg("EndingWrite"), DEADLINE);
    assert_eq!(ran.stdout, "it was looked at\n", "{ran:?}");
}

/// A workspace around the repository, another system to build for, other modes and flags: they are about other programs.
fn go_servers_are_built_whatever_a_users_settings_are() {
    if !is_here(Declared::named("go_http").expect("it is declared")) {
        return;
    }
    let mut command = tool();
    command.current_dir(root()).args(["run", "go_http", "--", "--help"]);
    command.env("GOWORK", "/no/such/go.work").env("GO111MODULE", "off").env("GOOS", "plan9");
    command.env("GOFLAGS", "-mod=vendor -trimpath");
    let helped = run(&mut command, Duration::from_secs(120));
    assert!(helped.stdout.starts_with("Usage: go_http"), "{helped:?}");
}

/// A process that is killed when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Connects to a server that has just been started, and may not listen yet.
fn connect(port: u16) -> TcpStream {
    let start = Instant::now();
    loop {
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(start.elapsed() < DEADLINE, "port {port}: {error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The server as tutorials have it, on a free port; `None` where there is none.
fn start_tutorial(server: &'static Declared) -> Option<(Killed, u16)> {
    let mut command = tutorial(server)?;
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = free.local_addr().expect("it is bound").port();
    drop(free);
    command.env("PORT", port.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Some((Killed(child), port))
}

/// Whether nothing comes for so long, and the connection does not end either.
fn hears_nothing(client: &mut TcpStream, time: Duration) -> bool {
    client.set_read_timeout(Some(time)).expect("it is not zero");
    let heard = client.read(&mut [0]).map_err(|error| error.kind());
    matches!(heard, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut))
}

/// As tutorials have it, a server keeps a client that says nothing, long after ours would have closed.
fn a_tutorials_server_keeps_a_silent_client() {
    for server in FOREIGN.iter().filter(|server| server.toolchain().is_some() && is_here(server)) {
        let Some((started, port)) = start_tutorial(server) else { continue };
        let mut silent = connect(port);
        let time = HEAD_TIME + Duration::from_secs(2);
        assert!(hears_nothing(&mut silent, time), "{:?} ended it", server.tutorial);
        drop(started);
    }
}

/// Eight clients that say nothing hold the eight threads of a tutorial's pool, until one of them leaves.
fn eight_silent_clients_hold_the_pool_of_a_tutorial() {
    let server = Declared::named("java_pool").expect("it is declared");
    if !is_here(server) {
        return;
    }
    let (started, port) = start_tutorial(server).expect("it has a tutorial");
    let mut silent: Vec<TcpStream> = (0..8).map(|_| connect(port)).collect();
    let mut ninth = connect(port);
    ninth.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("it is connected");
    assert!(hears_nothing(&mut ninth, A_WHILE), "the ninth client was served beside the eight");
    drop(silent.pop());
    assert!(!hears_nothing(&mut ninth, DEADLINE), "no thread came free");
    drop(started);
}
