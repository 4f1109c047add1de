//! The small servers: who waits while another client waits, and what a client and a terminal can do to them.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, thread};

use ladder_tests::{
    Client, DEADLINE, Rung, Server, conclusive, example, join_all, root, run, wait_until,
};
use records::servers::Schedule;

/// Each, and how many clients that wait hold all that it has; `None` where no number does.
const SMALL: [(&str, Option<usize>); 9] = [
    ("ch01_small", Some(1)),
    ("ch02_small", None),
    ("ch03_small", Some(4)),
    ("ch04_small", None),
    ("ch04_smol_small", None),
    ("ch05_small_blocking", Some(4)),
    ("ch05_small", None),
    ("ch06_small", None),
    ("ch07_small", Some(4)),
];

/// What `/sleep` waits, in each of them.
const SLEEP: Duration = Duration::from_secs(2);

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

/// Each is declared nowhere: only its name counts here, and what it can do is in [`SMALL`].
fn start(name: &str) -> Server {
    small(name).start(&[])
}

fn small(name: &str) -> Rung {
    let whole = records::servers::Server::named("ch01_single_threaded").expect("it is declared");
    let declared = records::servers::Server { name: name.to_owned(), ..whole.clone() };
    assert_eq!(declared.schedule, Schedule::OneThread);
    Rung::from(&*Box::leak(Box::new(declared)))
}

/// Runs `test` on all of them at the same time.
#[track_caller]
fn on_each(test: impl Fn(&'static str, Option<usize>) + Sync) {
    let test = &test;
    thread::scope(|scope| {
        join_all(SMALL.map(|(name, most)| scope.spawn(move || test(name, most))).into());
    });
}

#[track_caller]
fn check_page(client: &mut Client, body: &str) {
    let response = client.response().unwrap();
    assert_eq!((response.status, response.text()), (200, body), "{response:?}");
    assert_eq!(response.header("connection"), Some("close"), "{response:?}");
    client.ends().unwrap();
}

#[track_caller]
fn check_serves(server: &Server) {
    check_page(&mut Client::asking(server, "/").unwrap(), "hello\n");
}

/// The page that all threads share, and the one that they borrow, while another client waits.
#[test]
fn all_threads_serve_one_page() {
    for name in ["ch02_small_shared", "ch02_small_scoped"] {
        let server = start(name);
        let page = format!("hello from process {}\n", server.id());
        let mut asleep = Client::asking(&server, "/sleep").unwrap();
        assert!(!asleep.hears_within(A_WHILE), "{name}: it did not sleep");
        check_page(&mut Client::asking(&server, "/").unwrap(), &page);
        check_page(&mut asleep, &page);
    }
}

/// While so many clients have the page that waits, another asks for the one that does not.
#[test]
fn who_waits_while_others_sleep() {
    on_each(|name, most| {
        let sleepers = most.unwrap_or(50);
        conclusive(SLEEP, || {
            let server = start(name);
            let mut asleep: Vec<Client> =
                (0..sleepers).map(|_| Client::asking(&server, "/sleep").unwrap()).collect();
            let mut page = Client::asking(&server, "/").unwrap();
            if most.is_some() {
                assert!(!page.hears_within(A_WHILE), "{name} served a client more");
            }
            check_page(&mut page, "hello\n");
            let awake = asleep.iter_mut().any(|it| it.hears_within(Duration::from_millis(1)));
            assert_eq!(awake, most.is_some(), "{name}: whether one had slept enough before");
            asleep.iter_mut().for_each(|it| check_page(it, "hello\n"));
        });
    });
}

/// A task that waits holds no thread, so one is enough for all.
#[test]
fn one_thread_serves_while_fifty_tasks_sleep() {
    let variables = [
        ("ch04_small", "ASYNC_STD_THREAD_COUNT"),
        ("ch04_smol_small", "SMOL_THREADS"),
        ("ch06_small", "TOKIO_WORKER_THREADS"),
    ];
    for (name, variable) in variables {
        conclusive(SLEEP, || {
            let server = small(name).launch().env(variable, "1").start();
            let mut asleep: Vec<Client> =
                (0..50).map(|_| Client::asking(&server, "/sleep").unwrap()).collect();
            check_serves(&server);
            let awake = asleep.iter_mut().any(|it| it.hears_within(Duration::from_millis(1)));
            assert!(!awake, "{name}: the page came after a sleeper's");
        });
    }
}

/// A pool serves others as long as one of its threads is free; so does an executor whose tasks block.
#[test]
fn three_sleepers_leave_one_of_four_threads() {
    for name in ["ch03_small", "ch05_small_blocking"] {
        conclusive(SLEEP, || {
            let server = start(name);
            let mut asleep: Vec<Client> =
                (0..3).map(|_| Client::asking(&server, "/sleep").unwrap()).collect();
            check_serves(&server);
            let awake = asleep.iter_mut().any(|it| it.hears_within(Duration::from_millis(1)));
            assert!(!awake, "{name}: the page came after a sleeper's");
        });
    }
}

/// None has a limit of time: a silent client holds what it has until it leaves.
#[test]
fn who_waits_while_others_say_nothing() {
    on_each(|name, most| {
        let server = start(name);
        let silent: Vec<Client> =
            (0..most.unwrap_or(50)).map(|_| Client::half_open(&server).unwrap()).collect();
        let mut page = Client::asking(&server, "/").unwrap();
        if most.is_some() {
            assert!(!page.hears_within(A_WHILE), "{name} served a client more");
            drop(silent);
            check_page(&mut page, "hello\n");
        } else {
            check_page(&mut page, "hello\n");
            drop(silent);
        }
    });
}

#[test]
fn a_client_that_leaves_or_resets_ends_nothing() {
    on_each(|name, _| {
        let mut server = start(name);
        for _ in 0..20 {
            drop(Client::connect(&server).unwrap());
            Client::connect(&server).unwrap().reset();
            drop(Client::half_open(&server).unwrap());
            Client::half_open(&server).unwrap().reset();
        }
        // Gone before they have their answer.
        drop(Client::asking(&server, "/sleep").unwrap());
        Client::asking(&server, "/sleep").unwrap().reset();
        check_serves(&server);
        assert!(server.is_running(), "{name}");
        assert_eq!(server.stderr(), "", "{name}");
    });
}

#[test]
fn a_request_in_pieces_is_answered_and_one_without_end_is_not() {
    on_each(|name, _| {
        let server = start(name);
        let mut client = Client::connect(&server).unwrap();
        for piece in ["G", "ET / HTTP/1.1\r\nHost: a\r", "\n\r", "\n"] {
            client.send(piece).unwrap();
            thread::sleep(Duration::from_millis(30));
        }
        check_page(&mut client, "hello\n");
        // As many bytes as there is room for. Not one is left unread, so the end is no reset.
        let mut endless = Client::connect(&server).unwrap();
        endless.send("x".repeat(4096)).unwrap();
        endless.ends().unwrap();
        check_serves(&server);
    });
}

/// A head of exactly so many bytes.
fn head(length: usize) -> String {
    let start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    format!("{start}{}\r\n\r\n", "x".repeat(length - start.len() - 4))
}

/// The longest head there is room for has come as a whole, and so has a short one whose body fills the buffer. The servers
/// that are like these answer them too.
#[test]
fn a_head_that_fills_the_buffer_is_answered_and_a_longer_one_is_not() {
    let like_them = [
        "ch02_small_shared",
        "ch02_small_scoped",
        "first_pool",
        "tokio_blocking",
        "tokio_blocking_spawned",
    ];
    let check = |name: &str| {
        let server = start(name);
        let mut longest = Client::connect(&server).unwrap();
        longest.send(head(4096)).unwrap();
        let response = longest.response().unwrap();
        assert_eq!(response.status, 200, "{name}: {response:?}");
        longest.ends().unwrap();
        let mut with_body = Client::connect(&server).unwrap();
        with_body.send(head(96) + &"x".repeat(4000)).unwrap();
        let response = with_body.response().unwrap();
        assert_eq!(response.status, 200, "{name}: the head is whole: {response:?}");
        // A byte of it stays unread, so the end may be a reset.
        let mut longer = Client::connect(&server).unwrap();
        longer.send(head(4097)).unwrap();
        let (answer, _) = longer.rest().unwrap();
        assert!(answer.is_empty(), "{name} answered a head that it has not read");
    };
    let check = &check;
    thread::scope(|scope| {
        let names = SMALL.map(|(name, _)| name).into_iter().chain(like_them);
        join_all(names.map(|name| scope.spawn(move || check(name))).collect());
    });
}

#[test]
fn two_hundred_requests_are_answered() {
    on_each(|name, _| {
        let server = start(name);
        thread::scope(|scope| {
            let asks = || (0..20).for_each(|_| check_serves(&server));
            join_all((0..10).map(|_| scope.spawn(asks)).collect());
        });
    });
}

#[test]
fn a_taken_port_is_one_line() {
    on_each(|name, _| {
        let server = start(name);
        let port = server.address.port().to_string();
        let second = run(example(name).args(["--port", &port]), DEADLINE);
        assert_eq!((second.code, second.stdout.as_str()), (Some(1), ""), "{name}");
        assert_eq!(second.stderr.lines().count(), 1, "{name}: {}", second.stderr);
        assert!(second.stderr.contains("Address already in use"), "{name}: {}", second.stderr);
    });
}

/// The small servers, and the steps that take a port as they do.
const TAKE_A_PORT: [&str; 37] = [
    "first_server",
    "first_server_pieces",
    "first_server_long",
    "first_server_left",
    "first_server_silent",
    "first_server_drained",
    "first_server_caught",
    "first_server_deadline",
    "ch01_small",
    "ch02_small",
    "ch02_small_shared",
    "ch02_small_scoped",
    "ch03_small",
    "first_pool",
    "first_pool_bounded",
    "first_pool_surviving",
    "first_pool_stopping",
    "ch04_small",
    "ch04_smol_small",
    "event_loop_small",
    "ch05_small_blocking",
    "ch05_small",
    "ch06_small",
    "tokio_echo",
    "tokio_timeout",
    "tokio_stop",
    "tokio_let_go",
    "tokio_status",
    "tokio_blocking",
    "tokio_blocking_spawned",
    "ch07_small",
    "rush_none",
    "rush_permit",
    "rush_queue",
    "rush_newest",
    "rush_refuse",
    "rush_deadline",
];

/// Whoever asks for a port in another way would look for the server where it is not.
#[test]
fn what_is_no_port_is_refused() {
    let wrong: [&[&str]; 6] = [
        &["--port=8081"],
        &["8081"],
        &["--port"],
        &["--port", "x"],
        &["--threads", "2"],
        &["--port", "0", "--threads", "2"],
    ];
    for name in TAKE_A_PORT {
        for words in wrong {
            let refused = run(example(name).args(words), DEADLINE);
            assert_eq!((refused.code, &*refused.stdout), (Some(101), ""), "{name} {words:?}");
            assert!(refused.stderr.contains("port"), "{name} {words:?}: {}", refused.stderr);
        }
    }
}

/// The small server in this file, with a bug for whoever asks for `/panic`: no client finds one in it as it is.
#[track_caller]
fn with_a_bug(file: &str, folder: &Path) -> PathBuf {
    let source = fs::read_to_string(root().join("examples").join(file)).expect("it is there");
    let sleeps = "    if buffer.starts_with(b\"GET /sleep \") {\n";
    assert!(source.contains(sleeps), "{file} has another handler");
    let bug = "    assert!(!buffer.starts_with(b\"GET /panic \"), \"a bug\");\n";
    let written = folder.join("main.rs");
    fs::write(&written, source.replace(sleeps, &format!("{bug}{sleeps}"))).expect("it is written");
    let libraries = env::current_exe().expect("a test knows its own path");
    let libraries = libraries.parent().expect("it lies in a folder");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let program = folder.join("server").with_extension(env::consts::EXE_EXTENSION);
    // Cargo has compiled the libraries when it says where an example is. There may be several builds of one.
    let _ = example("ch05_small_blocking");
    let files = fs::read_dir(libraries).expect("it is a folder").map(|it| it.expect("a file"));
    let is_futures = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with("libfutures-") && name.ends_with(".rlib")
    };
    let compiled = files.map(|it| it.path()).filter(is_futures).any(|futures| {
        let mut command = Command::new(&rustc);
        command.args(["--edition", "2024", "-o"]).arg(&program).arg(&written);
        command.arg("-L").arg(format!("dependency={}", libraries.display()));
        command.arg("--extern").arg(format!("futures={}", futures.display()));
        // Many compilers and linkers may run at the same time.
        run(&mut command, 10 * DEADLINE).code == Some(0)
    });
    assert!(compiled, "{file} is not compiled with any build of its libraries");
    program
}

/// What three of them do after a handler has panicked once for each of their threads. On the other runtimes a panic ends
/// its task: `survives_panics` has that, with the whole servers.
#[test]
fn what_a_handler_that_panics_costs() {
    let servers = [
        ("ch02_small", "ch02/ch02_small/main.rs", true),
        ("ch03_small", "ch03/ch03_small/main.rs", false),
        ("ch05_small_blocking", "ch05/ch05_small/blocking.rs", false),
    ];
    thread::scope(|scope| {
        let check = |name: &'static str, file, serves| {
            let folder = tempfile::tempdir().expect("a folder for what is compiled");
            let program = with_a_bug(file, folder.path());
            let mut server = small(name).launch().copied(&program, folder.path()).start();
            for panics in 0..4 {
                check_serves(&server);
                let (answer, _) = Client::asking(&server, "/panic").unwrap().rest().unwrap();
                assert!(answer.is_empty(), "{name}: a handler that panicked answered");
                let seen = || server.stderr().matches("panicked at").count() > panics;
                wait_until("the panic is seen", seen);
            }
            let mut page = Client::asking(&server, "/").unwrap();
            if serves {
                check_page(&mut page, "hello\n");
            } else {
                assert!(!page.hears_within(A_WHILE), "{name} has a thread left");
            }
            assert!(server.is_running(), "{name}");
        };
        join_all(servers.map(|it| scope.spawn(move || check(it.0, it.1, it.2))).into());
    });
}

/// Its only thread is the process.
#[test]
fn a_panic_ends_the_server_on_one_thread() {
    let folder = tempfile::tempdir().expect("a folder for what is compiled");
    let program = with_a_bug("ch01/ch01_small/main.rs", folder.path());
    let mut server = small("ch01_small").launch().copied(&program, folder.path()).start();
    check_serves(&server);
    assert!(Client::asking(&server, "/panic").unwrap().rest().unwrap().0.is_empty());
    let status = server.wait(DEADLINE);
    assert_eq!(status.code(), Some(101), "{status}");
}

/// The page on one thread lets its reader try all seven.
#[test]
fn of_seven_attacks_only_a_silent_client_holds_the_first() {
    thread::scope(|scope| {
        let check = |attack: &'static str, survives: bool| {
            let server = start("ch01_small");
            let port = server.address.port().to_string();
            let said = run(example("break_it").args([attack, "--port", &port]), DEADLINE).stdout;
            assert_eq!(said.contains("  survived: "), survives, "{said}");
        };
        let attacks = ["two-pieces", "long-head", "leave", "lost-response", "panic", "drip"];
        let survived = attacks.map(|attack| scope.spawn(move || check(attack, true)));
        let silent = scope.spawn(move || check("silent", false));
        join_all(survived.into_iter().chain([silent]).collect());
    });
}

/// As any plain program: at once, whatever a client waits for.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_cuts_off_who_waits() {
    use std::os::unix::process::ExitStatusExt;

    use ladder_tests::Signal;

    on_each(|name, _| {
        let mut server = start(name);
        let mut asleep = Client::asking(&server, "/sleep").unwrap();
        assert!(!asleep.hears_within(A_WHILE), "{name}: it did not sleep");
        server.signal(Signal::Interrupt);
        let status = server.wait(DEADLINE);
        assert_eq!(status.signal(), Some(Signal::Interrupt.number()), "{name}: {status}");
        assert!(
            asleep.rest().unwrap().0.is_empty(),
            "{name}: an answer from a server that is gone"
        );
    });
}

/// What Ctrl-Z and `fg` do, while it waits for clients, for the rest of a request, and for a sleep to end.
#[cfg(unix)]
#[test]
fn it_goes_on_after_a_stop() {
    use ladder_tests::Signal;

    on_each(|name, _| {
        let server = start(name);
        let stop_and_continue = || {
            thread::sleep(Duration::from_millis(100));
            server.signal(Signal::Stop);
            thread::sleep(Duration::from_millis(100));
            server.signal(Signal::Continue);
        };
        stop_and_continue();
        let mut half = Client::half_open(&server).unwrap();
        stop_and_continue();
        half.send("\r\n").unwrap();
        check_page(&mut half, "hello\n");
        let mut asleep = Client::asking(&server, "/sleep").unwrap();
        stop_and_continue();
        check_page(&mut asleep, "hello\n");
        check_serves(&server);
    });
}

/// A server that accepts whoever comes ends when it has no descriptor left, and its last line says why.
#[cfg(target_os = "linux")]
#[test]
fn a_server_without_descriptors_ends_with_its_error() {
    on_each(|name, _| {
        if ["ch01_small", "ch03_small", "ch07_small"].contains(&name) {
            // It accepts no more than it has threads and places, and never gets there.
            return;
        }
        let mut server = small(name).launch().limit_files(64).start();
        // The last of them may find nobody.
        let connect = |_| TcpStream::connect(server.address).ok();
        let clients: Vec<TcpStream> = (0..80).filter_map(connect).collect();
        let status = server.wait(DEADLINE);
        assert_eq!(status.code(), Some(1), "{name}: {status}");
        let said = server.stderr();
        assert!(said.contains("Too many open files"), "{name}: {said}");
        drop(clients);
    });
}
