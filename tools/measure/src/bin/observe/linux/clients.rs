//! Runs the clients, each of which sends one request after the other, each on a connection of its own.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use measure::StopFlag;

use super::proc;
use crate::options::{APART, Client, Plan};

/// The time limit of one read: in rung 1 a client waits for all before it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A request that was answered, or cut off. Nanoseconds of the monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The number in the request's header `X-Request`, which the server reports.
    pub number: u64,
    pub client: u64,
    pub route: String,
    /// The moment at which the client began to connect for it.
    pub sent: u64,
    /// The moment at which the client had the whole answer, or lost its connection.
    pub answered: u64,
    /// The status of the answer; `None` where the connection ended without one.
    pub status: Option<u16>,
}

/// Lets the clients send their requests, and waits for the answers. Fails when a request gets none from a server that is
/// not to be stopped, and on Ctrl-C.
pub fn load(address: SocketAddr, plan: &Plan, stop: &StopFlag) -> Result<Vec<Answered>> {
    let (sender, answers) = mpsc::channel();
    let begin = Instant::now();
    let mut asked = 0;
    for (client, Client { start, routes, .. }) in plan.clients.iter().enumerate() {
        let sender = sender.clone();
        let start = *start;
        let routes = routes.clone();
        let numbers = asked..;
        let may_be_cut = plan.stop.is_some();
        asked += routes.len() as u64;
        let builder = thread::Builder::new().name(format!("client-{client}"));
        let thread = builder.spawn(move || {
            thread::sleep(start.saturating_sub(begin.elapsed()));
            for (number, route) in numbers.zip(&routes) {
                let answer = ask(address, route, (client as u64, number), may_be_cut);
                let failed = answer.is_err();
                let _ = sender.send(answer.with_context(|| format!("request {number} failed")));
                if failed {
                    return;
                }
                thread::sleep(APART);
            }
        });
        thread.context("cannot start a client")?;
    }
    drop(sender);
    let mut all = Vec::new();
    loop {
        stop.check()?;
        match answers.recv_timeout(Duration::from_millis(50)) {
            Ok(answer) => all.push(answer?),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    ensure!(all.len() as u64 == asked, "{} of {asked} requests were answered", all.len());
    all.sort_by_key(|answer| answer.sent);
    Ok(all)
}

/// Keeps the answers of the clients that are recorded, numbered among themselves.
pub fn recorded(answers: Vec<Answered>, clients: &[Client]) -> Vec<Answered> {
    let mut kept = Vec::new();
    for mut answer in answers {
        let (before, rest) = clients.split_at(answer.client as usize);
        if rest.first().is_some_and(|client| client.is_recorded) {
            answer.client = before.iter().filter(|client| client.is_recorded).count() as u64;
            kept.push(answer);
        }
    }
    kept
}

/// Sends one request, and reads its answer to the end.
fn ask(
    address: SocketAddr,
    route: &str,
    (client, number): (u64, u64),
    may_be_cut: bool,
) -> Result<Answered> {
    let sent = proc::now();
    let mut stream = TcpStream::connect(address).context("cannot connect")?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head = format!(
        "GET {route} HTTP/1.1\r\nHost: {address}\r\nX-Request: {number}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).context("cannot send")?;
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let answered = proc::now();
    let route = route.to_owned();
    if may_be_cut && answer.is_empty() {
        return Ok(Answered { number, client, route, sent, answered, status: None });
    }
    read.context("cannot read the answer")?;
    let line = answer.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    let status = Some(status.with_context(|| format!("the answer begins with `{line}`"))?);
    Ok(Answered { number, client, route, sent, answered, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(is_recorded: bool) -> Client {
        Client { start: Duration::ZERO, routes: Vec::new(), is_recorded }
    }

    fn answer(client: u64) -> Answered {
        let route = "/".to_owned();
        Answered { number: client, client, route, sent: 0, answered: 1, status: Some(200) }
    }

    #[test]
    fn the_clients_that_are_recorded_are_numbered_among_themselves() {
        let clients = [false, true, false, true].map(client);
        let kept = recorded([3, 0, 1].map(answer).to_vec(), &clients);
        let kept: Vec<_> = kept.iter().map(|answer| (answer.number, answer.client)).collect();
        assert_eq!(kept, [(3, 1), (1, 0)]);
    }
}
