//! The steps to rung 3's pool: what each of them can do, and what only the next one can.

use std::{fs, time::Duration};

use ladder_tests::{Client, DEADLINE, Rung, conclusive, example, root, run};
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
    let response = client.response();
    assert_eq!(response.status, 200, "{response:?}");
}

/// Three clients on two threads: the last step takes no more than these.
#[test]
fn every_step_serves_as_many_clients_as_it_has_threads() {
    let steps = &Server::named("ch03_threadpool").expect("it is declared").steps;
    assert_eq!(steps.len(), 4, "{steps:?}");
    for name in steps {
        conclusive(HEAD_TIME, || {
            let server = step(name).launch_with_threads(2).start();
            let held = [Client::half_open(&server), Client::half_open(&server)];
            let mut third = Client::asking(&server, "/");
            assert!(!third.hears_within(A_WHILE), "{name} served a third client");
            drop(held);
            check_answer(&mut third);
        });
    }
}

/// Eight clients have the workers and 192 want a page: in rung 2 they have it while the eight wait, in rung 3 when
/// the eight have left. Nobody is refused.
#[test]
fn a_full_queue_refuses_no_client() {
    for (name, waits) in [("ch02_thread_spawn", false), ("ch03_threadpool", true)] {
        let server = Rung::named(name).start(&[]);
        conclusive(HEAD_TIME, || {
            let held: Vec<Client> = (0..8).map(|_| Client::half_open(&server)).collect();
            let mut others: Vec<Client> = (0..192).map(|_| Client::asking(&server, "/")).collect();
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

/// Of 200 clients, rung 2 and the queue without a bound accept all. With a bound, eight have a worker, 64 wait in
/// the queue, one is in the hands of the thread that accepts, and the kernel has the others.
#[cfg(target_os = "linux")]
#[test]
fn a_bound_leaves_the_others_in_the_backlog() {
    use ladder_tests::wait_until;

    let rungs = [
        (Rung::named("ch02_thread_spawn"), 200),
        (step("first_pool"), 200),
        (step("first_pool_bounded"), 8 + 64 + 1),
        (step("first_pool_surviving"), 8 + 64 + 1),
        (Rung::named("ch03_threadpool"), 8 + 64 + 1),
    ];
    for (rung, accepted) in rungs {
        conclusive(HEAD_TIME, || {
            let server = rung.start(&[]);
            let before = server.open_sockets();
            let clients: Vec<Client> = (0..200).map(|_| Client::half_open(&server)).collect();
            let as_expected = || server.open_sockets() == before + accepted;
            wait_until(&format!("{} accepts {accepted} of 200", rung.name), as_expected);
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
        let clients: Vec<_> = (0..150).map(|_| Client::try_connect(&server, DEADLINE)).collect();
        if lives {
            drop(clients);
            check_answer(&mut Client::asking(&server, "/"));
        } else {
            let status = server.wait(DEADLINE);
            assert!(!status.success(), "{name} ends with {status}");
        }
    }
}

/// The page whose handler panics, and then another: with one worker it is served only by a worker that survives.
#[test]
fn a_panic_costs_a_worker_until_it_is_caught() {
    let steps =
        [("first_pool", false), ("first_pool_bounded", false), ("first_pool_surviving", true)];
    for (name, survives) in steps {
        let server = step(name).launch_with_threads(1).args(&["--panic-route"]).start();
        let (answer, _) = Client::asking(&server, "/panic").rest();
        assert!(answer.is_empty(), "{name}: a handler that panicked answered");
        let mut next = Client::asking(&server, "/");
        match survives {
            true => check_answer(&mut next),
            false => assert!(!next.hears_within(A_WHILE), "{name} has a worker left"),
        }
    }
}

/// One worker, so that two of the three clients are still in the queue when it is closed.
#[test]
fn the_last_step_serves_whom_it_has_accepted_and_ends() {
    let mut server = step("first_pool_stopping").launch_with_threads(1).start();
    let mut clients: Vec<Client> =
        (0..3).map(|_| Client::asking(&server, "/sleep?ms=300")).collect();
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
