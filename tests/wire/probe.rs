//! The published cases of an outside judge, Http11Probe.
//!
//! The servers of the ladder share the site, which decides what is answered, so it is asked without a socket. One server
//! of each way of scheduling is asked over sockets, and so are all that do not use the site.

use std::{fs, sync::Arc};

use ladder_tests::{
    Failure, Form, On, Plain, Response, Rung, Trials, alone,
    cases::{
        http::refused,
        limits::LONG_PATH,
        published::{answers_the_published_cases, check, expected, header},
    },
    none,
    probe::{Answer, CASES, Case},
    side_by_side, tests, written_down,
};
use records::servers::FOREIGN;
use site::{Connection, Site, Step};

/// Lists the tests of this module.
pub fn list(trials: &mut Trials) {
    trials.add(
        On::EachParser,
        Plain::Three,
        tests![answers_the_published_cases, answers_the_published_cases_that_wait],
    );
    trials.alone(alone![
        the_site_answers_the_published_cases,
        what_is_written_down_of_a_library_is_a_case_and_not_our_answer
    ]);
}

/// Each case that waits has its own server: rung 1 serves one client at a time.
fn answers_the_published_cases_that_wait(rung: Rung) -> Result<(), Failure> {
    let waiting = CASES.iter().filter(|(_, case)| case.waits);
    let ways = waiting.flat_map(|it| [(it, &[][..]), (it, &["--keep-alive"])]);
    side_by_side(ways, |((name, case), flags)| check(&rung.start(flags), name, case))
}

fn the_site_answers_the_published_cases() {
    let mut complaints = Vec::new();
    for keep_alive in [false, true] {
        let site = Site::with_keep_alive(keep_alive);
        for (name, case) in CASES.iter() {
            let answer = ask_site(&site, case);
            let expected = expected(keep_alive, &case.ours);
            if answer != expected {
                complaints.push(format!("{name:?} = \"{answer}\" # and not {expected}"));
            }
        }
    }
    none(complaints);
}

/// The name by which the site is asked for.
const HOST: &str = "localhost:8080";

/// What the site answers to a case, taken through its steps. It is told of a time limit where nothing more would come.
fn ask_site(site: &Arc<Site>, case: &Case) -> Answer {
    let mut connection = Connection::new(site);
    let sends = case.sends.to_host(HOST);
    let mut pieces = sends.chunks(4096);
    let mut next = Some(case.then.to_host(HOST));
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
                    connection.received(&bytes);
                } else {
                    break;
                }
            }
            Step::Write(bytes) => {
                let is_to_head = responses.is_empty() && sends.starts_with(b"HEAD ");
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
    let response = Response::take_head(&mut bytes, Form::Plain).expect("it is a head");
    let mut response = response.expect("the site writes it whole");
    let length = response.header("Content-Length").and_then(|digits| digits.parse().ok());
    assert_eq!(bytes.len(), if has_body { length.expect("a length") } else { 0 }, "{response:?}");
    response.body = bytes;
    response
}

/// A line that no test reads would hold nothing, and one that says what the contract says would excuse nothing.
fn what_is_written_down_of_a_library_is_a_case_and_not_our_answer() {
    let ours = |name: &str| {
        let refused = refused(HOST).into_iter().find(|(case, _, _)| *case == name);
        let published = CASES.iter().find(|(case, _)| *case == name);
        match published {
            Some((_, case)) => Some(case.ours.to_string()),
            None if name == LONG_PATH => Some("414 and close".to_owned()),
            None => refused.map(|(_, _, status)| format!("{} and close", status.0)),
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
