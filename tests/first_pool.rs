//! The steps to rung 3's pool: what each of them can do, and what only the next one can.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use ladder_tests::{Client, DEADLINE, Rung, conclusive, example, root, run, wait_until};
use records::servers::Server;
use site::HEAD_TIME;

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

#[track_caller]
fn step(name: &'static str) -> Rung {
    Rung::step(name).expect("it is declared")
}

#[track_caller]
fn check_answer(client: &mut Client) {
    let response = client.response().unwrap();
    assert_eq!(response.status, 200, "{response:?}");
}

/// Each has four threads.
#[test]
fn every_step_serves_as_many_clients_as_it_has_threads() {
    let steps = &Server::named("ch03_threadpool").expect("it is declared").steps;
    assert_eq!(steps.len(), 5, "{steps:?}");
    for name in steps {
        let server = step(name).start(&[]);
        let mut held: Vec<Client> = (0..4).map(|_| Client::half_open(&server).unwrap()).collect();
        let mut fifth = Client::asking(&server, "/").unwrap();
        assert!(!fifth.hears_within(A_WHILE), "{name} served a fifth client");
        drop(held.pop());
        check_answer(&mut fifth);
    }
}

/// Eight clients have the workers and 192 want a page: in rung 2 they have it while the eight wait, in rung 3 when
/// the eight have left. Nobody is refused.
#[test]
fn a_full_queue_refuses_no_client() {
    for (name, waits) in [("ch02_thread_spawn", false), ("ch03_threadpool", true)] {
        let server = Rung::named(name).start(&[]);
        conclusive(HEAD_TIME, || {
            let held: Vec<Client> = (0..8).map(|_| Client::half_open(&server).unwrap()).collect();
            let mut others: Vec<Client> =
                (0..192).map(|_| Client::asking(&server, "/").unwrap()).collect();
            if waits {
                let heard = others.iter_mut().any(|it| it.hears_within(Duration::from_millis(1)));
                assert!(!heard, "{name} served or refused a client");
                drop(held);
                // Each leaves with its answer: a worker waits a second for that.
                others.into_iter().for_each(|mut it| check_answer(&mut it));
            } else {
                others.iter_mut().for_each(check_answer);
                drop(held);
            }
        });
    }
}

/// Of 120 clients, rung 2 and the queue without a bound accept all. With a bound, eight have a worker of rung 3, 64
/// wait in the queue, one is in the hands of the thread that accepts, and the kernel has the others. The steps have
/// four workers and four slots.
#[cfg(target_os = "linux")]
#[test]
fn a_bound_leaves_the_others_in_the_backlog() {
    let rungs = [
        (Rung::named("ch02_thread_spawn"), 120),
        (step("first_pool"), 120),
        (step("first_pool_bounded"), 4 + 4 + 1),
        (step("first_pool_surviving"), 4 + 4 + 1),
        (Rung::named("ch03_threadpool"), 8 + 64 + 1),
    ];
    for (rung, accepted) in rungs {
        conclusive(HEAD_TIME, || {
            let server = rung.start(&[]);
            let before = server.open_sockets();
            let clients: Vec<Client> =
                (0..120).map(|_| Client::half_open(&server).unwrap()).collect();
            let as_expected = || server.open_sockets() == before + accepted;
            wait_until(&format!("{} accepts {accepted} of 120", rung.name), as_expected);
            std::thread::sleep(A_WHILE);
            assert!(as_expected(), "{}: {} sockets", rung.name, server.open_sockets() - before);
            drop(clients);
        });
    }
}

/// A job holds an open connection, and a process may have so many files and no more.
#[cfg(unix)]
#[test]
fn a_queue_without_a_bound_uses_up_the_descriptors() {
    for (name, lives) in [("first_pool", false), ("first_pool_bounded", true)] {
        let mut server = step(name).launch().limit_files(100).start();
        // The later ones find no server, if it has ended.
        let clients: Vec<_> = (0..120).map(|_| Client::try_connect(&server, DEADLINE)).collect();
        if lives {
            drop(clients);
            check_answer(&mut Client::asking(&server, "/").unwrap());
        } else {
            let status = server.wait(DEADLINE);
            assert!(!status.success(), "{name} ends with {status}");
        }
    }
}

/// Three clients ask for the page whose handler panics. Of four workers all are left if they survive that; otherwise
/// one is, and with it the process ends: nothing takes what is sent.
#[test]
fn a_panic_costs_a_worker_until_it_is_caught() {
    let steps =
        [("first_pool", false), ("first_pool_bounded", false), ("first_pool_surviving", true)];
    for (name, survives) in steps {
        let mut server = step(name).start(&[]);
        let panic = || {
            let (answer, _) = Client::asking(&server, "/panic").unwrap().rest().unwrap();
            assert!(answer.is_empty(), "{name}: a handler that panicked answered");
        };
        (0..3).for_each(|_| panic());
        check_answer(&mut Client::asking(&server, "/").unwrap());
        let held = Client::half_open(&server).unwrap();
        let mut second = Client::asking(&server, "/").unwrap();
        if survives {
            check_answer(&mut second);
            continue;
        }
        assert!(!second.hears_within(A_WHILE), "{name} has a second worker left");
        drop(held);
        check_answer(&mut second);
        panic();
        // The thread that accepts finds that nothing takes what it sends.
        wait_until("it ends", || {
            let _ = Client::try_connect(&server, A_WHILE);
            !server.is_running()
        });
        let status = server.wait(DEADLINE);
        assert!(!status.success(), "{name} ends with {status}");
    }
}

/// Appended to a program, a value that panics when it is dropped: a panic may carry any value.
pub const PANICS_AGAIN: &str = r#"
struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("and again");
    }
}
"#;

/// The program that these files make, the first of which has its `main`, compiled with these flags.
#[track_caller]
pub fn compiled(files: &[(&str, String)], flags: &[&str], folder: &Path) -> PathBuf {
    for (name, source) in files {
        fs::write(folder.join(name), source).expect("the folder is there");
    }
    let program = folder.join("server").with_extension(env::consts::EXE_EXTENSION);
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "-o"]).arg(&program).args(flags).arg(files[0].0);
    // Many compilers and linkers may run at the same time.
    let said = run(command.current_dir(folder), 10 * DEADLINE);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    program
}

/// Dropping what `catch_unwind` returns may panic again, as its documentation warns.
#[test]
fn a_payload_that_panics_costs_no_worker() {
    for (name, file) in
        [("first_pool_surviving", "surviving.rs"), ("first_pool_stopping", "stopping.rs")]
    {
        let read = |file: &str| {
            let path = root().join("examples/ch03/first_pool").join(file);
            fs::read_to_string(path).expect("the step")
        };
        let (handler, bug) = (read("handler.rs"), "panic!(\"this page always panics\")");
        assert!(handler.contains(bug), "the handler has another bug");
        let worse = handler.replace(bug, "std::panic::panic_any(crate::PanicsAgain)");
        let files = [("main.rs", read(file) + PANICS_AGAIN), ("handler.rs", worse)];
        let folder = tempfile::tempdir().expect("a folder for what is compiled");
        let program = compiled(&files, &[], folder.path());
        let server = step(name).launch().copied(&program, folder.path()).start();
        for _ in 0..4 {
            let (answer, _) = Client::asking(&server, "/panic").unwrap().rest().unwrap();
            assert!(answer.is_empty(), "{name}: a handler that panicked answered");
        }
        check_answer(&mut Client::asking(&server, "/").unwrap());
    }
}

/// Four workers sleep for six clients, so two of them are still in the queue when it is closed.
#[test]
fn the_last_step_serves_whom_it_has_accepted_and_ends() {
    let mut server = step("first_pool_stopping").start(&[]);
    let mut clients: Vec<Client> =
        (0..6).map(|_| Client::asking(&server, "/sleep").unwrap()).collect();
    clients.iter_mut().for_each(check_answer);
    let status = server.wait(DEADLINE);
    assert!(status.success(), "{status}");
}

/// A machine that stalls for half a second can be seen in it, so the picture has more than one chance.
#[test]
fn the_picture_of_the_full_queue_is_that_of_the_page() {
    let page = fs::read_to_string(root().join("book/ch03-threadpool.md")).expect("the page");
    let page = page.replace('\r', "");
    let pictures = (0..3).map(|_| run(&mut example("full_queue"), DEADLINE).stdout);
    let wrong: Vec<String> =
        pictures.take_while(|picture| picture.is_empty() || !page.contains(picture)).collect();
    assert!(wrong.len() < 3, "none of these is on the page:\n{}", wrong.join("\n"));
}

/// What the page shows is what the compiler says where the last step's sender is no `Option`.
#[test]
fn drop_may_not_move_the_sender_out_of_the_pool() {
    let steps = root().join("examples/ch03/first_pool");
    let mut source = fs::read_to_string(steps.join("stopping.rs")).expect("the step");
    for (part, by) in [
        ("Option<mpsc::SyncSender<Job>>", "mpsc::SyncSender<Job>"),
        ("Some(queue)", "queue"),
        ("self.queue.as_ref().expect(\"only `drop` takes it\")", "&self.queue"),
        ("drop(self.queue.take())", "drop(self.queue)"),
    ] {
        assert!(source.contains(part), "no {part:?} in the last step");
        source = source.replace(part, by);
    }
    let folder = tempfile::tempdir().expect("a folder for what is compiled");
    fs::write(folder.path().join("main.rs"), source).expect("the folder is there");
    fs::copy(steps.join("handler.rs"), folder.path().join("handler.rs")).expect("the handler");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "--emit", "metadata", "main.rs"]);
    let said = run(command.current_dir(folder.path()), DEADLINE).stderr;
    let page = fs::read_to_string(root().join("book/ch03-threadpool.md")).expect("the page");
    for shown in ["cannot move out of `self.queue`", "move occurs because `self.queue` has type"] {
        let line = page.lines().find(|line| line.contains(shown)).expect("the page shows it");
        assert!(said.contains(line.trim_start_matches([' ', '|'])), "{line:?} is not in:\n{said}");
    }
}
