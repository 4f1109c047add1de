//! The published cases of an outside judge, Http11Probe: each server must answer each of them as `tests/wire/probe/` has it.
//!
//! The servers of the ladder share the site, which decides what is answered, so it is asked without a socket. One server
//! of each way of scheduling is asked over sockets, and so are all that do not use the site.

use std::{fs, sync::Arc, thread};

use ladder_tests::{
    Client, Response, Rung, Server, conclusive, for_each_server, join_all, none,
    probe::{Answer, Case, Group, groups},
    written_down,
};
use servers::FOREIGN;
use site::{Connection, DRAIN_TIME, Site, Step};

for_each_server! {
    for_each_parser: [answers_the_published_cases, answers_the_published_cases_that_wait]
}

/// What follows where a case does not say it. It is answered only if nothing of the case is left on the connection.
pub(super) const NEXT: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[test]
fn the_site_answers_the_published_cases() {
    let groups = groups();
    let mut complaints = Vec::new();
    for keep_alive in [false, true] {
        let site = Site::with_keep_alive(keep_alive);
        for (name, case) in cases(&groups) {
            println!("{name} ({}), keep-alive: {keep_alive}", case.section());
            let answer = ask_site(&site, case);
            let expected = expected(keep_alive, &case.ours);
            if answer != expected {
                complaints.push(format!("{name:?} = \"{answer}\" # and not {expected}"));
            }
        }
    }
    none(complaints);
}

/// What the site answers to a case, taken through its steps. It is told of a time limit where nothing more would come.
fn ask_site(site: &Arc<Site>, case: &Case) -> Answer {
    let mut connection = Connection::new(site);
    let mut pieces = case.sends.0.chunks(4096);
    let mut next = Some(then(case));
    let mut responses: Vec<Response> = Vec::new();
    let mut has_ended = false;
    loop {
        match connection.next_step() {
            Step::Read { .. } => {
                if let Some(piece) = pieces.next() {
                    connection.received(piece);
                } else if has_ended {
                    connection.ended();
                } else if responses.is_empty() {
                    connection.timed_out();
                } else if let Some(bytes) = next.take() {
                    connection.received(bytes);
                } else {
                    break;
                }
            }
            Step::Write(bytes) => {
                let is_to_head = responses.is_empty() && case.sends.0.starts_with(b"HEAD ");
                responses.push(whole(bytes, !is_to_head));
            }
            Step::FinishWriting => has_ended = true,
            Step::Close => break,
            Step::ReadFile(path) => connection.file_read(fs::read(path)),
            Step::Compute(rounds) => connection.computed(site::compute(rounds)),
            Step::Sleep(_) => {}
        }
    }
    let Some(first) = responses.first() else { return Answer::Close };
    let closes = first.header("Connection") == Some("close");
    if closes {
        // Nothing else may come: the case must not be taken for two requests.
        assert!(has_ended && responses.len() == 1, "{responses:?}");
    }
    let then = responses.get(1).map(|second| second.status.to_string());
    let header = header(first, &case.ours);
    Answer::Status { status: first.status.to_string(), header, closes, then }
}

/// The response that is in these bytes, and nothing else.
fn whole(mut bytes: Vec<u8>, has_body: bool) -> Response {
    let mut response = Response::take_head(&mut bytes, false).expect("the site writes it whole");
    let length = response.header("Content-Length").and_then(|digits| digits.parse().ok());
    assert_eq!(bytes.len(), if has_body { length.expect("a length") } else { 0 }, "{response:?}");
    response.body = bytes;
    response
}

/// What the client sends next where the connection is still open.
fn then(case: &Case) -> &[u8] {
    case.then.as_ref().map_or(NEXT, |then| &then.0)
}

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
        let mut threads = Vec::new();
        for (name, case) in cases(&groups).filter(|(_, case)| case.waits) {
            for flags in [&[][..], &["--keep-alive"]] {
                threads.push(scope.spawn(move || {
                    let server = rung.start(flags);
                    none(complaint(&server, name, case).into_iter().collect());
                }));
            }
        }
        join_all(threads);
    });
}

fn cases(groups: &[Group]) -> impl Iterator<Item = (&String, &Case)> {
    groups.iter().flat_map(|group| &group.case)
}

/// What is wrong with the server's answer to this case.
fn complaint(server: &Server, name: &str, case: &Case) -> Option<String> {
    println!("{name} ({})", case.section());
    unexpected(server, name, &case.sends.0, then(case), &case.ours)
}

/// What the server answers to these bytes, where that is not as it should be: as the contract has it or, for a server
/// on a library, as `tests/wire/foreign.toml` does, in whose form it is told.
pub(super) fn unexpected(
    server: &Server,
    name: &str,
    sends: &[u8],
    then: &[u8],
    ours: &Answer,
) -> Option<String> {
    let ours = server.rung.instead(name).unwrap_or(ours);
    // The client sends everything first, and reads then: after `DRAIN_TIME` a slow one may find a reset.
    let answer = conclusive(DRAIN_TIME, || ask(server, sends, then, ours));
    let expected = expected(server.keep_alive, ours);
    (answer != expected).then(|| format!("{name:?} = \"{answer}\" # and not {expected}"))
}

/// What a server answers that answers as the case says: without `--keep-alive`, every answer closes, but one that came
/// before the request was whole.
fn expected(keep_alive: bool, ours: &Answer) -> Answer {
    let mut answer = ours.clone();
    if let Answer::Status { closes, then, .. } = &mut answer {
        if then.as_deref() == Some("silence") {
            // It waits for more of this request, in either mode.
        } else if !keep_alive {
            (*closes, *then) = (true, None);
        } else if !*closes {
            then.get_or_insert("200".to_owned());
        }
    }
    answer
}

/// Sends these bytes, reads what comes, and sends the next bytes where the connection is still open.
fn ask(server: &Server, sends: &[u8], then: &[u8], ours: &Answer) -> Answer {
    let mut client = Client::connect(server);
    // A server may refuse, and close, before it has everything.
    let _ = client.try_send(sends);
    let has_body = !sends.starts_with(b"HEAD ");
    // It may do what a rung may not: close without a word or with a reset, or say nothing.
    let is_on_a_library = server.rung.library().is_some();
    let response = match (is_on_a_library, ours) {
        (true, _) => match client.response_if_any(has_body) {
            Ok(response) => response,
            Err(answer) => return answer,
        },
        (false, Answer::Status { .. }) if has_body => client.response(),
        (false, Answer::Status { .. }) => client.response_to_head(),
        (false, _) => {
            client.ends();
            return Answer::Close;
        }
    };
    let header = header(&response, ours);
    let says = |option| response.header("Connection") == Some(option);
    let is_old = response.head.starts_with(b"HTTP/1.0 ");
    let closes = says("close") || is_old && !says("keep-alive");
    // A server that is declared to close nothing would be waited for in vain, each time.
    let never_closes = server.rung.closes_nothing();
    let (closes, then) = if closes && never_closes {
        (true, None)
    } else if is_on_a_library {
        next_on_a_library(&mut client, closes, then)
    } else if closes {
        // Nothing else may come: the case must not be taken for two requests.
        client.ends();
        (true, None)
    } else {
        client.send(then);
        (false, Some(client.response().status.to_string()))
    };
    Answer::Status { status: response.status.to_string(), header, closes, then }
}

/// Whether the response has the header line that the case is about, if it is about one.
fn header(response: &Response, ours: &Answer) -> Option<(bool, String)> {
    match ours {
        Answer::Status { header: Some((_, name)), .. } => {
            Some((response.header(name).is_some(), name.to_owned()))
        }
        _ => None,
    }
}

/// Sends the next bytes unless the server `closes`, as it says: whether it does so, and what it answers otherwise.
fn next_on_a_library(client: &mut Client, closes: bool, then: &[u8]) -> (bool, Option<String>) {
    if !closes {
        // It may close without having said so.
        let _ = client.try_send(then);
    }
    match client.response_if_any(true) {
        // After a close that was said, this means that the case was taken for two requests.
        Ok(response) => (closes, Some(response.status.to_string())),
        Err(Answer::Silence) => (false, Some("silence".to_owned())),
        Err(_) => (true, None),
    }
}

/// A line that no test reads would hold nothing, and one that says what the contract says would excuse nothing.
#[test]
fn what_is_written_down_of_a_library_is_a_case_and_not_our_answer() {
    let groups = groups();
    let ours = |name: &str| {
        let is_malformed = super::http::malformed().iter().any(|(case, _)| *case == name);
        let is_other = super::http::other_versions().iter().any(|(case, _)| *case == name);
        let published = cases(&groups).find(|(case, _)| *case == name);
        match published {
            Some((_, case)) => Some(case.ours.to_string()),
            None if name == super::limits::LONG_PATH => Some("414 and close".to_owned()),
            None if is_malformed => Some("400 and close".to_owned()),
            None if is_other => Some("505 and close".to_owned()),
            None => None,
        }
    };
    let mut complaints = Vec::new();
    for (library, answers) in written_down() {
        if !FOREIGN.iter().any(|server| server.library.as_ref() == Some(library)) {
            complaints.push(format!("no server is on the library {library}"));
        }
        for (name, answer) in answers {
            match ours(name) {
                None => complaints.push(format!("{library}: there is no case {name}")),
                Some(ours) if ours == answer.to_string() => {
                    complaints.push(format!("{library} answers {name} as the rungs do"));
                }
                Some(_) => {}
            }
        }
    }
    none(complaints);
}
