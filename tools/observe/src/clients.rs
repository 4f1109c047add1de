//! The clients: each sends one request after the other, each on a connection of its own.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use process::StopFlag;

use crate::proc;

/// The time between the first requests of two clients, and between two requests of one.
const APART: Duration = Duration::from_millis(5);

/// How long one read may take: in rung 1 a client waits for all before it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A request that was answered. Nanoseconds of the monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The number that the request told the server.
    pub number: u64,
    /// Who sent it.
    pub client: u64,
    /// When the client began to connect for it.
    pub sent: u64,
    /// When the client had the whole answer.
    pub answered: u64,
    /// The status of the answer.
    pub status: u16,
}

/// Lets so many clients send so many requests each, and waits for the answers.
///
/// # Errors
/// When a request gets no answer, and on Ctrl-C.
pub fn load(
    address: SocketAddr,
    route: &str,
    clients: u64,
    requests: u64,
    stop: &StopFlag,
) -> Result<Vec<Answered>> {
    let (sender, answers) = mpsc::channel();
    for client in 0..clients {
        let (sender, route) = (sender.clone(), route.to_owned());
        let work = move || {
            thread::sleep(APART * client as u32);
            for turn in 0..requests {
                let number = turn * clients + client;
                let answer = ask(address, &route, client, number);
                let failed = answer.is_err();
                let _ = sender.send(answer.with_context(|| format!("request {number} failed")));
                if failed {
                    return;
                }
                thread::sleep(APART);
            }
        };
        let builder = thread::Builder::new().name(format!("client-{client}"));
        builder.spawn(work).context("cannot start a client")?;
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
    if all.len() as u64 != clients * requests {
        bail!("{} of {} requests were answered", all.len(), clients * requests);
    }
    all.sort_by_key(|answer| answer.sent);
    Ok(all)
}

/// Sends one request, and reads its answer to the end.
fn ask(address: SocketAddr, route: &str, client: u64, number: u64) -> Result<Answered> {
    let sent = proc::now();
    let mut stream = TcpStream::connect(address).context("cannot connect")?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head = format!(
        "GET {route} HTTP/1.1\r\nHost: {address}\r\nX-Request: {number}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).context("cannot send")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).context("cannot read the answer")?;
    let answered = proc::now();
    let line = answer.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.with_context(|| format!("the answer begins with `{line}`"))?;
    Ok(Answered { number, client, sent, answered, status })
}
