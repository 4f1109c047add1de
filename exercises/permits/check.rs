//! Twelve clients, three permits: three handlers run, and the others follow as permits come back.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use ex_permits::{Permits, serve};
use exercise_kit::{
    Gate, Server, a_moment, answer, check, check_idle, comes_true, deadline, within,
};

exercise_kit::checks![
    no_more_than_three_are_handled_at_once,
    who_waits_is_woken,
    who_is_woken_looks_again,
];

fn no_more_than_three_are_handled_at_once() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let inside = Arc::clone(&gate);
    let server = Server::start(move |listener| {
        serve(listener, 3, move |stream| {
            inside.pass();
            answer(&stream, "done\n");
        });
    });
    let mut clients: Vec<_> = (0..12).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    let three = gate.wait_for_entered(3);
    check(
        three,
        format_args!("{} handlers ran at the same time, of twelve clients", gate.inside()),
        "three handlers, for three permits; look at what `acquire` does when one is free",
    );
    // For a handler too many to show itself. A right solution is not hurried by it.
    a_moment();
    let seen = format!("{} handlers ran at the same time", gate.most());
    check(
        gate.most() == 3,
        seen,
        "never more than three, for three permits; look at what `acquire` does at 0",
    );
    gate.open();
    for mut client in clients {
        client.response(
            "a response to each of the twelve clients, once permits are given back; look at what \
             `release` wakes",
        );
    }
    check(
        gate.most() == 3,
        format_args!("{} handlers ran at the same time", gate.most()),
        "never more than three",
    );
}

fn who_waits_is_woken() {
    let permits = Arc::new(Permits::new(1));
    let first = Arc::clone(&permits);
    within("acquiring the one permit", "`acquire` to return while a permit is free", move || {
        first.acquire()
    });
    let (sender, receiver) = mpsc::channel();
    for _ in 0..3 {
        let permits = Arc::clone(&permits);
        let sender = sender.clone();
        thread::spawn(move || {
            permits.acquire();
            let _ = sender.send(());
        });
    }
    a_moment();
    let early = receiver.try_recv().is_ok();
    check(!early, "`acquire` gave a second permit where there is one", "`acquire` to wait");
    check_idle("while three threads wait for a permit");
    for number in 1..=3 {
        let permits = Arc::clone(&permits);
        within("giving a permit back", "`release` to return", move || permits.release());
        let woken = receiver.recv_timeout(deadline()).is_ok();
        check(
            woken,
            format_args!("no thread woke at release {number}"),
            "one thread for each release; look at whom `release` tells",
        );
    }
}

fn who_is_woken_looks_again() {
    const EXPECTED: &str = "never two for one permit: a woken thread looks again before it takes";
    let permits = Arc::new(Permits::new(1));
    let gate = Arc::new(Gate::new(usize::MAX));
    let over = Arc::new(AtomicBool::new(false));
    let waiting = {
        let permits = Arc::clone(&permits);
        let gate = Arc::clone(&gate);
        let over = Arc::clone(&over);
        within(
            "acquiring the one permit",
            "`acquire` to return while a permit is free",
            move || {
                permits.acquire();
                gate.enter();
                let wait = || {
                    let permits = permits.clone();
                    let gate = gate.clone();
                    let over = over.clone();
                    thread::spawn(move || {
                        while !over.load(Ordering::SeqCst) {
                            permits.acquire();
                            gate.enter();
                            gate.leave();
                            permits.release();
                        }
                    })
                };
                [wait(), wait(), wait()]
            },
        )
    };
    a_moment();
    let seen = Arc::clone(&gate);
    within("giving a permit back and taking it again", EXPECTED, move || {
        let start = Instant::now();
        let mut faster = 0;
        while faster < 30 && start.elapsed() < deadline() / 4 {
            let entered = gate.entered();
            gate.leave();
            permits.release();
            permits.acquire();
            // No thread has entered, so this thread was faster than the thread it has woken.
            faster += usize::from(gate.entered() == entered);
            gate.enter();
            // That one looks now, and there is no permit.
            thread::sleep(Duration::from_millis(5));
        }
        over.store(true, Ordering::SeqCst);
        gate.leave();
        permits.release();
    });
    let ended = comes_true(|| waiting.iter().all(thread::JoinHandle::is_finished));
    check(ended, "threads still waited although the permit was free", "each to get it in turn");
    let panics = waiting.into_iter().filter_map(|it| it.join().err()).count();
    check(
        panics == 0,
        format_args!("{panics} threads panicked in `acquire` or `release`"),
        EXPECTED,
    );
    check(
        seen.most() == 1,
        format_args!("{} threads held the one permit at the same time", seen.most()),
        EXPECTED,
    );
}
