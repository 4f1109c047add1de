//! No descriptor is left, and nobody reads what a server prints.
#![cfg(unix)]

use std::{
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, Failure, Launch, On, Plain, Rung, Schedule, Server, Trials,
    cases::{HTML, INDEX, check_ok, rude::half_open, still_answers, usual},
    ensure, tests, wait_for,
};
#[cfg(target_os = "linux")]
use {
    ladder_tests::{
        cases::{TEXT, check_head},
        try_again,
    },
    site::HEAD_TIME,
};

/// Lists the tests of this module.
pub fn list(trials: &mut Trials) {
    trials.add(
        On::Every,
        Plain::Three,
        tests![
            #[cfg(target_os = "linux")]
            serves_files_without_descriptors,
            #[cfg(target_os = "linux")]
            survives_closed_output,
        ],
    );
    trials.add(On::Every, Plain::One, tests![survives_running_out_of_descriptors]);
}

/// `EMFILE`: no descriptor is left for another connection.
fn survives_running_out_of_descriptors(rung: Rung) -> Result<(), Failure> {
    let said = |server: &Server| server.stderr().lines().filter(|line| !line.is_empty()).count();
    let start = Instant::now();
    let check = |server: &Server, least: usize| {
        let stderr = server.stderr();
        let is_known = stderr.lines().all(|line| line.contains("cannot accept a connection"));
        ensure(is_known, &stderr, "only that the server can accept nobody")?;
        // Once each time it begins. A machine that stalls for a second makes one shortage look like two.
        let most = least + start.elapsed().as_secs() as usize;
        let is_counted = (least..=most).contains(&said(server));
        ensure(is_counted, &stderr, format_args!("that {least} to {most} times"))
    };
    if rung.schedule == Schedule::OneThread {
        // It holds one connection at a time, so clients alone can't exhaust it.
        let Some([lower, raise]) = limits_of_a_running_server() else { return Ok(()) };
        let server = rung.start(&[]);
        lower(&server);
        let mut waiting = Client::connect(&server)?;
        waiting.get("/")?;
        wait_for("the server says that it can accept nobody", || Ok(said(&server) > 0))?;
        thread::sleep(Duration::from_millis(300));
        raise(&server);
        check_ok(&waiting.response()?, HTML, INDEX, Some("close"))?;
        drop(waiting);
        still_answers(&server)?;
        return check(&server, 1);
    }
    for flags in [&[][..], &["--keep-alive"]] {
        let mut server = launch(rung).args(flags).limit_files(32).start();
        for _ in 0..2 {
            let said_before = said(&server);
            let mut clients = half_open(&server, 60)?;
            wait_for("the server says that it can accept nobody", || {
                Ok(said(&server) > said_before)
            })?;
            // Those that were accepted first are served, and make room for the others.
            for client in &mut clients {
                client.send("\r\n")?;
                check_ok(&client.response()?, HTML, INDEX, usual(&server))?;
                *client = Client::connect(&server)?;
            }
            drop(clients);
            still_answers(&server)?;
            // After a second without a failure, the next one is news.
            thread::sleep(Duration::from_millis(1200));
        }
        assert!(server.is_running());
        check(&server, 2)?;
    }
    Ok(())
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
fn survives_closed_output(rung: Rung) -> Result<(), Failure> {
    let limit = 32;
    let mut server = launch(rung).args(&["--panic-route"]).limit_files(limit).unheard().start();
    for _ in 0..2 {
        if rung.schedule == Schedule::OneThread {
            // It holds one connection at a time, so clients alone can't exhaust it.
            server.limit_files(3);
            let mut waiting = Client::connect(&server)?;
            waiting.get("/")?;
            thread::sleep(Duration::from_millis(300));
            server.limit_files(limit);
            check_ok(&waiting.response()?, HTML, INDEX, Some("close"))?;
        } else {
            let clients = Client::half_open_until_full(&server, limit)?;
            // Time to complain in, more than once.
            thread::sleep(Duration::from_millis(300));
            drop(clients);
        }
        // A panic has words for standard error as well.
        let mut client = Client::connect(&server)?;
        client.get("/panic")?;
        client.ends()?;
        still_answers(&server)?;
        assert!(server.is_running());
    }
    Ok(())
}

/// A client that was accepted gets its file, or hears why not, although others have taken all descriptors.
#[cfg(target_os = "linux")]
fn serves_files_without_descriptors(rung: Rung) -> Result<(), Failure> {
    if rung.schedule == Schedule::OneThread {
        // It accepts nobody while it serves a client.
        return Ok(());
    }
    let limit = 32;
    // A kept connection ends when it has been idle for so long.
    try_again(HEAD_TIME, || {
        // A server of its own: the last attempt's clients would give descriptors back in the middle of this one.
        let server = launch(rung).args(&["--keep-alive"]).limit_files(limit).start();
        let mut inside = Client::connect(&server)?;
        inside.get("/")?;
        check_ok(&inside.response()?, HTML, INDEX, None)?;
        let others = Client::half_open_until_full(&server, limit)?;
        inside.get("/file")?;
        let response = inside.response()?;
        check_head(&response, (503, "Service Unavailable"), TEXT, None)?;
        let words = "every file that this server may open is open";
        response.ensure(response.text().contains(words), words)?;
        drop(others);
        wait_for("the descriptors are given back", || {
            inside.get("/file")?;
            Ok(inside.response()?.status == 200)
        })?;
        still_answers(&server)
    })
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
