//! The published cases of an outside judge, Http11Probe: each server must answer each of them as `tests/wire/probe/` has it.

use std::thread;

use ladder_tests::{
    Client, Rung, Server, conclusive, for_each_rung, none,
    probe::{Answer, Case, Group, groups},
};
use site::DRAIN_TIME;

for_each_rung! {
    every: [answers_the_published_cases]
    slow_every: [answers_the_published_cases_that_wait]
}

/// What follows where a case does not say it. It is answered only if nothing of the case is left on the connection.
const NEXT: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn answers_the_published_cases(rung: Rung) {
    let groups = groups();
    rung.in_both_modes(|server| {
        let quick = cases(&groups).filter(|(_, case)| !case.waits);
        none(quick.filter_map(|(name, case)| complaint(server, name, case)).collect());
    });
}

/// Each case that waits has its own server: rung 1 serves one client at a time.
fn answers_the_published_cases_that_wait(rung: Rung) {
    let groups = groups();
    thread::scope(|scope| {
        for (name, case) in cases(&groups).filter(|(_, case)| case.waits) {
            for flags in [&[][..], &["--keep-alive"]] {
                scope.spawn(move || {
                    let server = rung.start(flags);
                    none(complaint(&server, name, case).into_iter().collect());
                });
            }
        }
    });
}

fn cases(groups: &[Group]) -> impl Iterator<Item = (&String, &Case)> {
    groups.iter().flat_map(|group| &group.case)
}

/// What is wrong with the server's answer to this case.
fn complaint(server: &Server, name: &str, case: &Case) -> Option<String> {
    println!("{name} ({})", case.section());
    // The client sends everything first, and reads then: after `DRAIN_TIME` a slow one may find a reset.
    let answer = conclusive(DRAIN_TIME, || ask(server, case));
    let expected = expected(server, &case.ours);
    (answer != expected)
        .then(|| format!("{name} ({}): answered {answer}, not {expected}", case.section()))
}

/// What this server answers, if it answers as the case says: without `--keep-alive`, every answer closes.
fn expected(server: &Server, ours: &Answer) -> Answer {
    let mut answer = ours.clone();
    if let Answer::Status { closes, then, .. } = &mut answer {
        if !server.keep_alive {
            (*closes, *then) = (true, None);
        } else if !*closes {
            then.get_or_insert("200".to_owned());
        }
    }
    answer
}

/// Sends what the case sends, and reads what comes.
fn ask(server: &Server, case: &Case) -> Answer {
    let mut client = Client::connect(server);
    let sends = &case.sends.0;
    // A server may refuse, and close, before it has everything.
    let _ = client.try_send(sends);
    let Answer::Status { header, .. } = &case.ours else {
        client.ends();
        return Answer::Close;
    };
    let response = match sends.starts_with(b"HEAD ") {
        true => client.response_to_head(),
        false => client.response(),
    };
    let header =
        header.as_ref().map(|(_, name)| (response.header(name).is_some(), name.to_owned()));
    let closes = response.header("Connection") == Some("close");
    let then = if closes {
        // Nothing else may come: the case must not be taken for two requests.
        client.ends();
        None
    } else {
        client.send(case.then.as_ref().map_or(NEXT, |then| &then.0));
        Some(client.response().status.to_string())
    };
    Answer::Status { status: response.status.to_string(), header, closes, then }
}
