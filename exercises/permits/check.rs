//! Twelve clients, three permits: three handlers run, and the others follow as permits come back.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use ex_permits::{Permits, serve};
use exercise_kit::{Gate, Server, answer, check, deadline, within};

/// How long a handler too many has to show itself. A right solution is not hurried by it.
const A_MOMENT: Duration = Duration::from_millis(700);

#[test]
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
    check(three, format_args!("{} handlers", gate.inside()), "three handlers, for three permits");
    thread::sleep(A_MOMENT);
    let seen = format!("{} handlers at the same time", gate.most());
    check(gate.most() == 3, seen, "never more than three, for three permits");
    gate.open();
    for mut client in clients {
        client.response("an answer to each of the twelve clients, once permits are given back");
    }
    check(gate.most() == 3, format_args!("{} at the same time", gate.most()), "never more than 3");
}

#[test]
fn who_waits_is_woken() {
    within("acquiring a permit that is given back", "that `acquire` returns", || {
        let permits = Arc::new(Permits::new(1));
        permits.acquire();
        let (sender, receiver) = mpsc::channel();
        for _ in 0..3 {
            let (permits, sender) = (Arc::clone(&permits), sender.clone());
            thread::spawn(move || {
                permits.acquire();
                let _ = sender.send(());
            });
        }
        let early = receiver.recv_timeout(A_MOMENT / 2).is_ok();
        check(!early, "a second permit where there is one", "that `acquire` waits");
        for number in 1..=3 {
            permits.release();
            let woken = receiver.recv_timeout(deadline()).is_ok();
            check(woken, format_args!("nobody woke at release {number}"), "one thread a release");
        }
    });
}
