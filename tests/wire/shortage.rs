//! No descriptor is left, and nobody reads what a server prints.
#![cfg(unix)]

use std::{
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, Launch, Rung, Schedule, Server,
    cases::{HTML, INDEX, check_ok, rude::half_open, still_answers, usual},
    for_each_server, wait_until,
};
#[cfg(target_os = "linux")]
use {
    ladder_tests::{
        cases::{TEXT, check_head},
        conclusive,
    },
    site::HEAD_TIME,
};

for_each_server! {
    every: [
        #[cfg(target_os = "linux")]
        serves_files_without_descriptors,
        #[cfg(target_os = "linux")]
        survives_closed_output,
    ]
    every_slow: [survives_running_out_of_descriptors]
}

/// `EMFILE`: no descriptor is left for another connection.
fn survives_running_out_of_descriptors(rung: Rung) {
    let said = |server: &Server| server.stderr().lines().filter(|line| !line.is_empty()).count();
    let start = Instant::now();
    let check = |server: &Server, least: usize| {
        let stderr = server.stderr();
        assert!(
            stderr.lines().all(|line| line.contains("cannot accept a connection")),
            "{stderr:?}"
        );
        // Once each time it begins. A machine that stalls for a second makes one shortage look like two.
        let most = least + start.elapsed().as_secs() as usize;
        assert!((least..=most).contains(&said(server)), "{least} to {most} times: {stderr:?}");
    };
    if rung.schedule == Schedule::OneThread {
        // It holds one connection at a time, so clients alone can't exhaust it.
        let Some([lower, raise]) = limits_of_a_running_server() else { return };
        let server = rung.start(&[]);
        lower(&server);
        let mut waiting = Client::connect(&server);
        waiting.get("/");
        wait_until("the server says that it can accept nobody", || said(&server) > 0);
        thread::sleep(Duration::from_millis(300));
        raise(&server);
        check_ok(&waiting.response(), HTML, INDEX, Some("close"));
        drop(waiting);
        still_answers(&server);
        check(&server, 1);
        return;
    }
    for flags in [&[][..], &["--keep-alive"]] {
        let mut server = launch(rung).args(flags).limit_files(32).start();
        for round in 0..2 {
            println!("round {round} with the flags {flags:?}");
            let said_before = said(&server);
            let mut clients = half_open(&server, 60);
            wait_until("the server says that it can accept nobody", || said(&server) > said_before);
            // Those that were accepted first are served, and make room for the others.
            for client in &mut clients {
                client.send("\r\n");
                check_ok(&client.response(), HTML, INDEX, usual(&server));
                *client = Client::connect(&server);
            }
            drop(clients);
            still_answers(&server);
            // After a second without a failure, the next one is news.
            thread::sleep(Duration::from_millis(1200));
        }
        assert!(server.is_running());
        check(&server, 2);
    }
}

/// A start after which so many clients come that no descriptor is left.
///
/// Where each thread has a listener, one would take the descriptor that a client of another has given back.
fn launch(rung: Rung) -> Launch {
    match rung.name {
        "hyper_per_core" => rung.launch_with_threads(1),
        // It accepts no more than it has descriptors for, unless it is told a number.
        "ch07_bounded" => rung.launch().args(&["--connections", "100"]),
        _ => rung.launch(),
    }
}

/// Whoever reads the output of a server may leave, as in `2>&1 | head -1`, and then it runs out of descriptors.
#[cfg(target_os = "linux")]
fn survives_closed_output(rung: Rung) {
    let limit = 32;
    let mut server = launch(rung).args(&["--panic-route"]).limit_files(limit).unheard().start();
    for _ in 0..2 {
        if rung.schedule == Schedule::OneThread {
            // It holds one connection at a time, so clients alone can't exhaust it.
            server.limit_files(3);
            let mut waiting = Client::connect(&server);
            waiting.get("/");
            thread::sleep(Duration::from_millis(300));
            server.limit_files(limit);
            check_ok(&waiting.response(), HTML, INDEX, Some("close"));
        } else {
            let clients = Client::half_open_until_full(&server, limit);
            // Time to complain in, more than once.
            thread::sleep(Duration::from_millis(300));
            drop(clients);
        }
        // A panic has words for standard error as well.
        let mut client = Client::connect(&server);
        client.get("/panic");
        client.ends();
        still_answers(&server);
        assert!(server.is_running());
    }
}

/// A client that was accepted gets its file, or hears why not, although others have taken all descriptors.
#[cfg(target_os = "linux")]
fn serves_files_without_descriptors(rung: Rung) {
    if rung.schedule == Schedule::OneThread {
        // It accepts nobody while it serves a client.
        return;
    }
    let limit = 32;
    // A kept connection ends when it has been idle for so long.
    conclusive(HEAD_TIME, || {
        // A server of its own: the last attempt's clients would give descriptors back in the middle of this one.
        let server = launch(rung).args(&["--keep-alive"]).limit_files(limit).start();
        let mut inside = Client::connect(&server);
        inside.get("/");
        check_ok(&inside.response(), HTML, INDEX, None);
        let others = Client::half_open_until_full(&server, limit);
        inside.get("/file");
        let response = inside.response();
        check_head(&response, (503, "Service Unavailable"), TEXT, None);
        assert!(
            response.text().contains("every file that this server may open is open"),
            "{response:?}"
        );
        drop(others);
        wait_until("the descriptors are given back", || {
            inside.get("/file");
            inside.response().status == 200
        });
        still_answers(&server);
    });
}

/// How to take all free descriptors from a running server, and how to give them back; where the system can.
fn limits_of_a_running_server() -> Option<[fn(&Server); 2]> {
    #[cfg(target_os = "linux")]
    return Some([|server| server.limit_files(3), |server| server.limit_files(256)]);
    #[cfg(not(target_os = "linux"))]
    {
        ladder_tests::skip("only Linux can limit the descriptors of a process that runs");
        None
    }
}
