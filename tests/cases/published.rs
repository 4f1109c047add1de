//! The published cases of an outside judge, Http11Probe: a server must answer each of them as `tests/wire/probe.toml` has it.

use site::DRAIN_TIME;

use super::Target;
use crate::{
    Client, Excerpt, Failure, Response,
    probe::{Answer, CASES, Case},
};

/// All cases but those that wait for a time limit.
pub fn answers_the_published_cases(server: &Target) -> Result<(), Failure> {
    let quick = CASES.iter().filter(|(_, case)| !case.waits);
    all(server, quick.filter_map(|(name, case)| check(server, name, case).err()))
}

/// Checks the server's answer to this case.
pub fn check(server: &Target, name: &str, case: &Case) -> Result<(), Failure> {
    let host = server.host();
    check_answer(server, name, &case.sends.to_host(&host), &case.then.to_host(&host), &case.ours)
}

/// Checks what the server answers to these bytes: it should be as the contract has it or, for a server on a library, as
/// `tests/wire/foreign.toml` does.
pub fn check_answer(
    server: &Target,
    name: &str,
    sends: &[u8],
    then: &[u8],
    ours: &Answer,
) -> Result<(), Failure> {
    let ours = server.instead(name).unwrap_or(ours);
    // The client sends everything first, and reads then: after `DRAIN_TIME` a slow one may find a reset.
    let answer = server.conclusive(DRAIN_TIME, || ask(server, sends, then, ours));
    let answer = answer.map_err(|failure| failure.part(name))?;
    let expected = expected(server.can.keep_alive, ours);
    if answer == expected {
        return Ok(());
    }
    let sent = Excerpt::of(sends).to_string();
    if server.is_theirs() {
        let wanted = format!("{expected} for {name}");
        return Err(Failure { sent, came: answer.to_string(), wanted, ..Failure::default() });
    }
    // In the form of a line of that file.
    let came = format!("{name:?} = \"{answer}\"");
    Err(Failure { sent, came, wanted: expected.to_string(), ..Failure::default() })
}

/// Of several failures the first; the judge tells no more, and a test has a line for each of the others.
///
/// # Errors
/// Where there is one.
pub fn all(server: &Target, failures: impl IntoIterator<Item = Failure>) -> Result<(), Failure> {
    let mut failures = failures.into_iter();
    let Some(mut first) = failures.next() else { return Ok(()) };
    if server.until.is_none() {
        for Failure { came, wanted, .. } in failures {
            first.wanted += &format!("\ncame    {came}\nwanted  {wanted}");
        }
    }
    Err(first)
}

/// What a server answers that answers as the case says: without `--keep-alive`, every answer closes, but one that came
/// before the request was whole.
pub fn expected(keep_alive: bool, ours: &Answer) -> Answer {
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
pub fn ask(server: &Target, sends: &[u8], then: &[u8], ours: &Answer) -> Result<Answer, Failure> {
    let mut client = Client::connect(server)?;
    // A server may refuse, and close, before it has everything.
    let _ = client.try_send(sends);
    let has_body = !sends.starts_with(b"HEAD ");
    // It may do what a rung may not: close without a word or with a reset, or say nothing.
    let is_on_a_library = server.library.is_some();
    let response = match (is_on_a_library, ours) {
        (true, _) => match client.response_if_any(has_body)? {
            Ok(response) => response,
            Err(answer) => return Ok(answer),
        },
        (false, Answer::Status { .. }) if has_body => client.response()?,
        (false, Answer::Status { .. }) => client.response_to_head()?,
        (false, _) => {
            client.ends()?;
            return Ok(Answer::Close);
        }
    };
    let header = header(&response, ours);
    let says = |option| response.header("Connection") == Some(option);
    let is_old = response.head.starts_with(b"HTTP/1.0 ");
    let closes = says("close") || is_old && !says("keep-alive");
    // A server that is declared to close nothing would be waited for in vain, each time.
    let never_closes = !server.can.close;
    let (closes, then) = if closes && never_closes {
        (true, None)
    } else if is_on_a_library {
        next_on_a_library(&mut client, closes, then)?
    } else if closes {
        // Nothing else may come: the case must not be taken for two requests.
        client.ends()?;
        (true, None)
    } else {
        client.send(then)?;
        (false, Some(client.response()?.status.to_string()))
    };
    Ok(Answer::Status { status: response.status.to_string(), header, closes, then })
}

/// Whether the response has the header line that the case is about, if it is about one.
pub fn header(response: &Response, ours: &Answer) -> Option<(bool, String)> {
    match ours {
        Answer::Status { header: Some((_, name)), .. } => {
            Some((response.header(name).is_some(), name.to_owned()))
        }
        _ => None,
    }
}

/// Sends the next bytes unless the server `closes`, as it says: whether it does so, and what it answers otherwise.
fn next_on_a_library(
    client: &mut Client,
    closes: bool,
    then: &[u8],
) -> Result<(bool, Option<String>), Failure> {
    if !closes {
        // It may close without having said so.
        let _ = client.try_send(then);
    }
    Ok(match client.response_if_any(true)? {
        // After a close that was said, this means that the case was taken for two requests.
        Ok(response) => (closes, Some(response.status.to_string())),
        Err(Answer::Silence) => (false, Some("silence".to_owned())),
        Err(_) => (true, None),
    })
}
