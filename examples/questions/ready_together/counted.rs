//! The clients, and the system calls that `strace` counts while they ask.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::{env, fs, process, thread, time::Duration};

use crate::server::WANTED;

/// The computation that keeps the server's thread busy until all clients have asked.
const HOLD: &str = "/work?n=100000";

/// How often a count is tried, where a busy machine lets the clients come too late.
const TRIES: usize = 5;

/// After this time the server has done what it was asked last, or has begun the computation.
const HEAD_START: Duration = Duration::from_millis(3);

/// The system calls of one request, where so many clients are ready in each iteration of the loop.
///
/// Two runs differ in nothing but these requests: in the first the clients are connected and silent.
///
/// # Errors
/// When `strace` can't be run, or a client asked too late for its round in every try.
pub fn calls_per_request(clients: usize, rounds: usize) -> io::Result<f64> {
    let count = |ask| {
        let mut tries = (0..TRIES).map(|_| calls(clients, rounds, ask));
        let is_settled = |count: &io::Result<f64>| {
            !count.as_ref().is_err_and(|error| error.kind() == ErrorKind::TimedOut)
        };
        tries.find(is_settled).unwrap_or_else(|| Err(late()))
    };
    let without = count(false)?;
    let with = count(true)?;
    Ok((with - without) / (clients * rounds) as f64)
}

/// All system calls of a server, from its start to its end.
fn calls(clients: usize, rounds: usize, ask: bool) -> io::Result<f64> {
    let table = env::temp_dir().join(format!("ready-together-{}.txt", process::id()));
    let mut strace = Command::new("strace");
    strace.args(["-f", "-c", "-U", "calls,name", "-qq", "-o"]).arg(&table);
    strace.arg(env::current_exe()?).env(WANTED, "1");
    let started = strace.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut server = started.map_err(|error| named("cannot run strace", error))?;
    let mut address = String::new();
    let stdout = server.stdout.take().expect("it was asked for");
    BufReader::new(stdout).read_line(&mut address)?;
    let asked = play(address.trim(), clients, rounds, ask);
    // The end of its standard input ends the server, and then strace writes its table.
    drop(server.stdin.take());
    server.wait()?;
    let text = fs::read_to_string(&table);
    let _ = fs::remove_file(&table);
    asked?;
    let text = text?;
    let total = text.lines().find_map(|line| line.trim().strip_suffix("total"));
    let total = total.and_then(|calls| calls.trim().parse().ok());
    total.ok_or_else(|| io::Error::other(format!("strace printed no total: {text}")))
}

/// Connects the clients and one more, and lets them ask: all are ready in each iteration.
fn play(address: &str, clients: usize, rounds: usize, ask: bool) -> io::Result<()> {
    let mut holds = connect(address)?;
    let mut clients =
        (0..clients).map(|_| connect(address)).collect::<io::Result<Vec<TcpStream>>>()?;
    for _ in 0..rounds {
        get(&mut holds, HOLD)?;
        thread::sleep(HEAD_START);
        let asking = if ask { &mut clients[..] } else { &mut [] };
        asking.iter_mut().try_for_each(|client| get(client, "/"))?;
        holds.set_nonblocking(true)?;
        let early = holds.peek(&mut [0]);
        holds.set_nonblocking(false)?;
        if !matches!(early, Err(error) if error.kind() == ErrorKind::WouldBlock) {
            return Err(late());
        }
        answer(&mut holds)?;
        asking.iter_mut().try_for_each(answer)?;
    }
    Ok(())
}

/// A client that was accepted and has had an answer. One after the other: so each costs the same calls.
fn connect(address: &str) -> io::Result<TcpStream> {
    let mut client = TcpStream::connect(address)?;
    thread::sleep(HEAD_START);
    get(&mut client, "/")?;
    answer(&mut client)?;
    Ok(client)
}

fn get(client: &mut TcpStream, target: &str) -> io::Result<()> {
    client.write_all(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes())
}

/// Reads an answer to its end, which its head tells.
fn answer(client: &mut TcpStream) -> io::Result<()> {
    let mut answer = BufReader::new(client);
    let mut line = String::new();
    let mut length = 0;
    while line != "\r\n" {
        line.clear();
        if answer.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(bytes) = line.strip_prefix("Content-Length: ") {
            length = bytes.trim().parse().map_err(io::Error::other)?;
        }
    }
    answer.read_exact(&mut vec![0; length])
}

/// The round was none: the server was free before all clients had asked.
fn late() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "the clients asked too late; is the machine busy?")
}

fn named(what: &str, error: io::Error) -> io::Error {
    io::Error::other(format!("{what}: {error}"))
}
