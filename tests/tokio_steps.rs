//! The steps to rung 6: what each prints, and what the echo servers do for a client and at their end.

use std::time::Duration;
use std::{fs, thread};

use ladder_tests::{Client, DEADLINE, Rung, Server, conclusive, example, root, run, wait_until};

/// How long a client may keep an echo server with a time limit waiting.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the small server's `/sleep` waits.
const SLEEP: Duration = Duration::from_secs(2);

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

#[track_caller]
fn step(name: &'static str) -> Rung {
    Rung::step(name).expect("it is declared")
}

/// What a step prints before it ends well.
#[track_caller]
fn lines(step: &str) -> Vec<String> {
    let finished = run(&mut example(step), DEADLINE);
    assert_eq!(finished.code, Some(0), "{step}: {}", finished.stderr);
    finished.stdout.lines().map(str::to_owned).collect()
}

#[track_caller]
fn check_echo(client: &mut Client, words: &str) {
    client.send(words).unwrap();
    assert_eq!(client.bytes(words.len()).unwrap(), words.as_bytes());
}

#[test]
fn a_handle_gives_the_value_the_panic_or_the_abort() {
    let expected = [
        "a value: Ok(42)",
        "a panic: is_panic() is true",
        "an abort: is_cancelled() is true",
        "without a handle: Ok(\"done\")",
    ];
    assert_eq!(lines("tokio_spawn"), expected);
}

/// In which order the two answers come is not the same on a machine that stalls.
#[test]
fn two_futures_that_are_joined_both_begin_before_one_ends() {
    let lines = lines("tokio_join");
    let asked = |from: usize| [lines[from].as_str(), lines[from + 1].as_str()];
    assert_eq!(asked(1), ["  asks for the name", "  has the name"]);
    assert_eq!(asked(3), ["  asks for the address", "  has the address"]);
    assert_eq!(asked(6), ["  asks for the name", "  asks for the address"]);
    assert_eq!(lines[10], "name and address are here");
}

#[test]
fn a_set_gives_each_task_that_has_ended_and_goes_on_after_a_panic() {
    let mut lines = lines("tokio_join_set");
    assert_eq!(lines.len(), 4, "{lines:?}");
    lines.sort_unstable();
    assert_eq!(lines[3], "one failed: is_panic() is true");
    for (line, number) in lines.iter().zip([1, 3, 4]) {
        assert!(line.starts_with(&format!("{number} has an answer, ")), "{lines:?}");
    }
}

#[test]
fn the_loser_of_a_race_is_dropped_before_the_race_has_its_value() {
    let expected =
        ["near answers", "near is dropped", "far is dropped", "the first answer is from near"];
    assert_eq!(lines("tokio_select"), expected);
}

#[test]
fn what_a_dropped_future_had_taken_is_lost() {
    assert_eq!(lines("tokio_lost"), ["Err(Elapsed(()))", "Ok(Some((2, 3)))"]);
}

#[test]
fn an_owner_counts_every_visit_and_ends_with_its_senders() {
    assert_eq!(lines("tokio_channel"), ["visits: 8000", "every sender is gone"]);
}

/// Which of the tasks of a set ends first is not the same on a machine that stalls.
#[test]
fn the_page_shows_what_is_printed() {
    let page = fs::read_to_string(root().join("book/ch06-tokio.md")).expect("the page is there");
    let steps = ["spawn", "join", "select", "lost", "channel"];
    for name in steps.map(|step| format!("tokio_{step}")) {
        for line in lines(&name) {
            assert!(page.contains(&format!("\n{line}\n")), "the page does not show {line:?}");
        }
    }
}

/// What a reader is told to write names each feature that the small server uses, and no other.
#[test]
fn a_readers_own_manifest_is_that_of_the_small_server() {
    let page = fs::read_to_string(root().join("book/ch06-tokio.md")).expect("the page is there");
    let shown = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let small = fs::read_to_string(root().join("examples/ch06/ch06_small/Cargo.toml"));
    let features = |manifest: &str| {
        let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
        manifest["dependencies"]["tokio"]["features"].clone()
    };
    let shown = features(shown.expect("the page shows a manifest"));
    assert_eq!(shown, features(&small.expect("its manifest is there")));
    let list: Vec<&str> =
        shown.as_array().expect("a list").iter().filter_map(|it| it.as_str()).collect();
    assert!(page.contains(&format!("cargo add tokio --features {}\n", list.join(","))));
}

/// Each of the echo servers, for clients that come and go, speak in pieces, reset and send much.
#[test]
fn each_client_gets_back_what_it_sends() {
    let servers = ["tokio_echo", "tokio_timeout", "tokio_stop", "tokio_let_go", "tokio_status"];
    for server in servers.map(|name| step(name).start(&[])) {
        let mut clients: Vec<Client> = (0..20).map(|_| Client::connect(&server).unwrap()).collect();
        drop(Client::connect(&server).unwrap());
        Client::connect(&server).unwrap().reset();
        Client::half_open(&server).unwrap().reset();
        for client in clients.iter_mut().rev() {
            check_echo(client, "one");
            check_echo(client, &"two".repeat(1000));
            client.finish_sending().unwrap();
            client.ends().unwrap();
        }
        check_echo(&mut Client::connect(&server).unwrap(), "still here");
    }
}

/// One line for each, which names the client, and none for a client that leaves as it should.
#[test]
fn a_connection_that_fails_is_reported_in_one_line() {
    for name in ["tokio_echo", "tokio_timeout", "tokio_stop", "tokio_let_go", "tokio_status"] {
        let server = step(name).start(&[]);
        let mut good = Client::connect(&server).unwrap();
        check_echo(&mut good, "hello");
        good.finish_sending().unwrap();
        good.ends().unwrap();
        let mut bad = Client::connect(&server).unwrap();
        check_echo(&mut bad, "hello");
        bad.reset();
        wait_until("it reports the reset", || server.stderr().contains("reset"));
        let said = server.stderr();
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        assert!(said.starts_with("127.0.0.1:"), "{name}: {said}");
    }
    let server = step("tokio_timeout").start(&[]);
    Client::connect(&server).unwrap().ends().unwrap();
    wait_until("it reports the silence", || server.stderr().contains("timed out"));
}

/// The program that is written from memory goes on when `accept` fails; its first form ends with the error.
#[cfg(target_os = "linux")]
#[test]
fn a_server_without_descriptors_says_so_and_goes_on() {
    const DESCRIPTORS: u64 = 40;

    for name in ["tokio_stop", "tokio_let_go", "tokio_status"] {
        let server = step(name).launch().limit_files(DESCRIPTORS).start();
        let clients = Client::half_open_until_full(&server, DESCRIPTORS).unwrap();
        wait_until("it says so", || server.stderr().contains("no client accepted: "));
        drop(clients);
        check_echo(&mut Client::connect(&server).unwrap(), "hello");
    }
    let mut first = step("tokio_echo").launch().limit_files(DESCRIPTORS).start();
    let connect = |_| std::net::TcpStream::connect(first.address).ok();
    let _clients: Vec<_> = (0..60).filter_map(connect).collect();
    assert_eq!(first.wait(DEADLINE).code(), Some(1));
    assert!(first.stderr().contains("Too many open files"), "{}", first.stderr());
}

#[test]
fn a_silent_client_is_disconnected_only_where_there_is_a_time_limit() {
    let patient = step("tokio_echo").start(&[]);
    let mut stays = Client::connect(&patient).unwrap();
    check_echo(&mut stays, "hello");
    let limited = step("tokio_timeout").start(&[]);
    let mut silent = Client::connect(&limited).unwrap();
    check_echo(&mut silent, "hello");
    conclusive(PATIENCE, || {
        let mut client = Client::connect(&limited).unwrap();
        assert!(!client.hears_within(A_WHILE), "it was disconnected too soon");
        check_echo(&mut client, "each word begins the time anew");
        assert!(!client.hears_within(A_WHILE), "it was disconnected too soon");
    });
    silent.ends().unwrap();
    assert!(!stays.hears_within(A_WHILE), "it was disconnected without a limit");
}

#[cfg(unix)]
#[test]
fn after_ctrl_c_the_clients_inside_are_served_and_no_other() {
    use ladder_tests::Signal;

    conclusive(PATIENCE, || {
        let mut server = step("tokio_stop").start(&[]);
        let mut inside = Client::connect(&server).unwrap();
        check_echo(&mut inside, "before");
        server.signal(Signal::Interrupt);
        wait_until("it stops", || server.stdout().contains("stopping; clients still connected: 1"));
        assert!(Client::try_connect(&server, DEADLINE).is_err(), "it took a client more");
        check_echo(&mut inside, "after");
        inside.finish_sending().unwrap();
        inside.ends().unwrap();
        assert_eq!(server.wait(DEADLINE).code(), Some(0));
        assert!(server.stdout().ends_with("all of them have ended\n"), "{}", server.stdout());
    });
}

/// It speaks all the time, so that no time limit of its own ends it. Only the last step tells the program that started it.
#[cfg(unix)]
#[test]
fn a_client_that_never_leaves_is_cut_off() {
    for (name, status) in [("tokio_stop", 0), ("tokio_status", 1)] {
        check_cut_off(name, status);
    }
}

#[cfg(unix)]
#[track_caller]
fn check_cut_off(name: &'static str, status: i32) {
    use ladder_tests::Signal;

    let mut server = step(name).start(&[]);
    let mut inside = Client::connect(&server).unwrap();
    check_echo(&mut inside, "before");
    server.signal(Signal::Interrupt);
    while inside.try_send("x").is_ok() && server.is_running() {
        assert!(inside.hears_within(PATIENCE));
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(server.wait(DEADLINE).code(), Some(status), "{name}");
    assert!(server.stdout().ends_with("1 of them are cut off\n"), "{}", server.stdout());
}

#[cfg(unix)]
#[test]
fn a_silent_client_is_disconnected_at_once_where_it_hears_of_the_stop() {
    use ladder_tests::Signal;

    conclusive(PATIENCE, || {
        let mut server = step("tokio_let_go").start(&[]);
        let mut silent: Vec<Client> = (0..20).map(|_| Client::connect(&server).unwrap()).collect();
        silent.iter_mut().for_each(|it| check_echo(it, "before"));
        server.signal(Signal::Interrupt);
        silent.iter_mut().for_each(|it| it.ends().unwrap());
        assert_eq!(server.wait(DEADLINE).code(), Some(0));
        assert!(server.stdout().ends_with("all of them have ended\n"), "{}", server.stdout());
        // Nothing has gone wrong, so nothing is reported.
        assert_eq!(server.stderr(), "");
    });
}

/// As much as the kernel keeps for both, so that the server waits in a write when it is told.
#[cfg(unix)]
#[test]
fn what_was_sent_before_ctrl_c_comes_back() {
    use ladder_tests::Signal;

    conclusive(PATIENCE, || {
        let mut server = step("tokio_let_go").start(&[]);
        let mut client = Client::connect(&server).unwrap();
        let sent = client.flood(&[b'x'; 65536], 64 << 20);
        server.signal(Signal::Interrupt);
        wait_until("it stops", || server.stdout().contains("stopping; clients still connected: 1"));
        // A piece at a time, because a kernel may have kept more than a client takes at once.
        let mut awaited = sent;
        while awaited > 0 {
            awaited -= client.bytes(awaited.min(65536)).unwrap().len();
        }
        client.ends().unwrap();
        assert_eq!(server.wait(DEADLINE).code(), Some(0));
        assert!(server.stdout().ends_with("all of them have ended\n"), "{}", server.stdout());
    });
}

/// Whether the page came before the one that sleeps; `None` if the machine was too slow to tell.
fn overtakes(server: &Server, sleeps: &mut Client) -> Option<bool> {
    // A head start, within its time.
    if sleeps.hears_within(A_WHILE) {
        return None;
    }
    let mut page = Client::asking(server, "/").unwrap();
    assert_eq!(page.response().unwrap().text(), "hello\n");
    Some(!sleeps.hears_within(Duration::from_millis(1)))
}

#[test]
fn one_worker_that_blocks_keeps_everybody_waiting() {
    for name in ["tokio_blocking", "tokio_blocking_spawned"] {
        conclusive(SLEEP, || {
            let server = step(name).launch_with_threads(1).start();
            let mut sleeps = Client::asking(&server, "/sleep").unwrap();
            assert_eq!(overtakes(&server, &mut sleeps), Some(false), "{name}");
        });
    }
}

/// Whether this comes out at least once with eight workers: that the page comes before the one that sleeps, or after.
fn comes_out(name: &'static str, before: bool) -> bool {
    (0..20).any(|_| {
        let server = step(name).launch_with_threads(8).start();
        // Until the workers have nothing to do any more and sleep.
        thread::sleep(A_WHILE);
        let mut sleeps = Client::asking(&server, "/sleep").unwrap();
        overtakes(&server, &mut sleeps) == Some(before)
    })
}

/// A task that is spawned outside the runtime wakes a worker, and that worker wakes another.
#[test]
fn seven_free_workers_help_where_main_accepts() {
    assert!(comes_out("tokio_blocking", true), "the page never came first");
}

/// The worker that waited for events is the one that blocks, and no other looks at them.
#[test]
fn seven_free_workers_do_not_help_where_a_task_accepts() {
    assert!(comes_out("tokio_blocking_spawned", false), "the page always came first");
}
