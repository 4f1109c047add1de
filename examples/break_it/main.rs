//! A client that does to a server what real clients do, and says whether the server survives it.
//!
//! Start a server, and run this in a second terminal:
//!
//!     cargo run --example break_it -- two-pieces
//!
//! `all` tries everything, one after the other. `--port 8081` asks the server on another port.

mod breaks;
mod client;

use std::{
    env,
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    process::ExitCode,
};

use breaks::{BREAKS, Break};

/// What is to be tried, and on which port.
struct Options {
    breaks: Vec<&'static Break>,
    port: u16,
}

fn main() -> ExitCode {
    let Some(options) = options(env::args().skip(1)) else {
        let names = BREAKS.each_ref().map(|it| format!("  {:14} {}", it.name, it.what)).join("\n");
        // Whoever reads this may have gone: `eprintln!` would panic.
        let usage = "usage: break_it NAME [--port 8080]";
        let _ = writeln!(io::stderr(), "{usage}\n\n  {:14} all of these:\n{names}", "all");
        return ExitCode::from(2);
    };
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    for it in options.breaks {
        let tried = (it.try_on)(server);
        let said = match tried.and_then(|seen| client::next_is_served(server).map(|()| seen)) {
            Ok(seen) => format!("survived: {seen}"),
            Err(broken) => format!("broken: {broken}"),
        };
        let _ = writeln!(io::stdout(), "{}: {}\n  {said}", it.name, it.what);
    }
    // A server that breaks is what one wants to see: that is no failure of this program.
    ExitCode::SUCCESS
}

/// Reads the command line; `None` if it makes no sense.
fn options(mut words: impl Iterator<Item = String>) -> Option<Options> {
    let (mut breaks, mut port) = (Vec::new(), 8080);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--port" => port = words.next()?.parse().ok()?,
            "all" => breaks.extend(&BREAKS),
            name => breaks.push(BREAKS.iter().find(|it| it.name == name)?),
        }
    }
    (!breaks.is_empty()).then_some(Options { breaks, port })
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, thread};

    use super::*;

    /// A response counts only when the server has sent one and ended the connection.
    #[test]
    fn a_response_is_told_from_silence_and_from_nothing() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let server = listener.local_addr().expect("it is bound");
        let responses = ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 404 Not Found\r\n\r\n", ""];
        let serve = thread::spawn(move || {
            for response in responses {
                let (mut stream, _) = listener.accept().expect("a client");
                stream.write_all(response.as_bytes()).expect("it is there");
            }
        });
        let seen = responses.map(|_| client::ask(server, b""));
        serve.join().expect("it does not panic");
        assert_eq!(seen[..2], [Ok("200 OK".to_owned()), Ok("404 Not Found".to_owned())]);
        assert!(seen[2].is_err(), "{seen:?}");
        // The listener is gone.
        assert!(client::next_is_served(server).is_err());
    }

    fn read(line: &str) -> Option<(Vec<&'static str>, u16)> {
        let options = options(line.split_whitespace().map(str::to_owned))?;
        Some((options.breaks.iter().map(|it| it.name).collect(), options.port))
    }

    #[test]
    fn the_command_line_is_read() {
        assert_eq!(read("leave"), Some((vec!["leave"], 8080)));
        assert_eq!(read("panic silent --port 81"), Some((vec!["panic", "silent"], 81)));
        assert_eq!(read("all").map(|(names, _)| names.len()), Some(BREAKS.len()));
        for wrong in ["", "--port", "--port 81", "leave --port many", "nonsense"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
