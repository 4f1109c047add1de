//! Two members of a chat room, one of which stops reading: `cargo run --example stops_reading`
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::TcpStream;
use std::time::Duration;

const LINES: usize = 4000;

/// How many lines the talker says before it listens again.
const AT_ONCE: usize = 32;

/// How long nothing comes before we say so.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() -> io::Result<()> {
    let port = port();
    let mut silent = join(port)?;
    let mut talker = join(port)?;
    println!("{}", talk(&mut talker)?);

    // Now the other begins to read.
    let mut heard = 0;
    let mut missed = 0;
    let end = loop {
        match next(&mut silent) {
            Ok(Some(line)) => match line.strip_prefix("you have missed ") {
                Some(rest) => missed += number(rest),
                None => heard += 1,
            },
            Ok(None) => break "was closed",
            Err(error) if is_late(&error) => break "is still in the room",
            // The server has closed it with something unread.
            Err(_reset) => break "was closed",
        }
    };
    println!("the silent member hears {heard} lines, has missed {missed}, and {end}");
    Ok(())
}

/// Joins the room, and returns when it is in.
fn join(port: u16) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut member = BufReader::new(stream);
    match next(&mut member)? {
        Some(_welcome) => Ok(member),
        None => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Says a few lines and hears them, again and again.
fn talk(talker: &mut BufReader<TcpStream>) -> io::Result<String> {
    let few = format!("{}\n", "x".repeat(3999)).repeat(AT_ONCE);
    for heard in 0..LINES {
        if heard % AT_ONCE == 0 {
            talker.get_mut().write_all(few.as_bytes())?;
        }
        match next(talker) {
            Ok(Some(_line)) => {}
            Ok(None) => return Ok(format!("the talker was closed after {heard} lines")),
            Err(error) if is_late(&error) => {
                return Ok(format!("the talker hears {heard} lines of {LINES}, and then nothing"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(format!("the talker hears {LINES} lines of {LINES}"))
}

/// The next line, and `None` at the end.
fn next(member: &mut BufReader<TcpStream>) -> io::Result<Option<String>> {
    let mut line = String::new();
    let count = member.read_line(&mut line)?;
    Ok((count > 0).then_some(line))
}

fn number(text: &str) -> usize {
    let digits = text.split(' ').next().unwrap_or_default();
    digits.parse().expect("a number")
}

fn is_late(error: &io::Error) -> bool {
    // Unix says the first, and Windows the second.
    [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind())
}

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}
