//! A client that does to a server what real clients do, to see whether the server survives it.
//!
//! Start a server, and run this in a second terminal:
//!
//!     cargo run --example break_it -- two-pieces
//!
//! `all` tries every way to break it, one after the other. `--port 8081` asks the server on another port.
//! Other clients come and stay: `half-open --clients 50 --seconds 4`.

mod breaks;
mod client;
mod stay;

use std::{
    env,
    net::{Ipv4Addr, SocketAddr},
    process::ExitCode,
    time::Duration,
};

use breaks::{BREAKS, Break};
use stay::{STAYS, Stay};

/// What to try, and the port of the server.
struct Options {
    breaks: Vec<&'static Break>,
    stays: Vec<&'static Stay>,
    port: u16,
    /// How many clients stay, and for how long.
    clients: u32,
    time: Duration,
}

fn main() -> ExitCode {
    let Some(options) = options(env::args().skip(1)) else {
        eprintln!("{}", usage());
        return ExitCode::from(2);
    };
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    for it in options.breaks {
        let tried = (it.try_on)(server);
        let said = match tried.and_then(|seen| client::next_is_served(server).map(|()| seen)) {
            Ok(seen) => format!("survived: {seen}"),
            Err(broken) => format!("broken: {broken}"),
        };
        println!("{}: {}\n  {said}", it.name, it.what);
    }
    for it in options.stays {
        println!("{}: a client {}", it.name, it.what);
        if let Err(broken) = stay::stay(it, server, options.clients, options.time) {
            println!("  broken: {broken}");
        }
    }
    // A server that breaks is what you want to see, so it isn't a failure of this program.
    ExitCode::SUCCESS
}

fn usage() -> String {
    let line = |name: &str, what: &str| format!("  {name:14} {what}\n");
    let breaks: String = BREAKS.iter().map(|it| line(it.name, it.what)).collect();
    let stays: String = STAYS.iter().map(|it| line(it.name, it.what)).collect();
    let all = line("all", "all of these:");
    format!(
        "usage: break_it NAME [--port 8080]\n\n{all}{breaks}\n\
         or with clients that stay: break_it NAME [--clients 1] [--seconds 5] [--port 8080]\n\n{stays}"
    )
}

/// Reads the command line; `None` if it makes no sense.
fn options(mut words: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options {
        breaks: Vec::new(),
        stays: Vec::new(),
        port: 8080,
        clients: 1,
        time: Duration::from_secs(5),
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--port" => options.port = words.next()?.parse().ok()?,
            "--clients" => options.clients = words.next()?.parse().ok()?,
            "--seconds" => options.time = Duration::from_secs(words.next()?.parse().ok()?),
            "all" => options.breaks.extend(&BREAKS),
            name => match STAYS.iter().find(|it| it.name == name) {
                Some(it) => options.stays.push(it),
                None => options.breaks.push(BREAKS.iter().find(|it| it.name == name)?),
            },
        }
    }
    (!options.breaks.is_empty() || !options.stays.is_empty()).then_some(options)
}

#[cfg(test)]
mod tests;
