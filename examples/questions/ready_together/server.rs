//! The event loop of `examples/event_loop`, until the program that started it goes away.

use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::{env, process, thread};

use mio::{Events, Poll, net::TcpListener};
use site::Site;

use crate::clients::Clients;

/// With this variable the program is the server.
pub const WANTED: &str = "READY_TOGETHER_SERVES";

/// Whether this process is to be the server.
pub fn is_wanted() -> bool {
    env::var_os(WANTED).is_some()
}

/// Prints its address and serves until standard input ends.
///
/// # Errors
/// Those of the system's calls.
pub fn serve() -> io::Result<()> {
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        process::exit(0)
    });
    let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    println!("{}", listener.local_addr()?);
    let site = Site::with_keep_alive(true);
    let mut clients = Clients::new(TcpListener::from_std(listener), &site, Poll::new()?)?;
    let mut events = Events::with_capacity(1024);
    while !clients.is_over() {
        clients.wait(&mut events)?;
        events.iter().for_each(|event| clients.happened(event));
        clients.look_at_those_due();
    }
    Ok(())
}
