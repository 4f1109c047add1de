//! Wrong under load: only 128 connections may wait to be accepted.
//!
//! That is what `TcpListener::bind` of the standard library asks for, and so what sources 000, 001
//! and 002 have. wrk with 500 connections overflows it. Linux then drops the client's first packet,
//! and the client tries again a second later; or it forgets a connection that the client believes
//! in.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use site::Site;
use socket2::SockRef;

use crate::none;
use crate::options::{Fault, Options};

/// Listens as the standard library does.
pub const FAULT: Fault = Fault {
    name: "short-backlog",
    what: "128 connections may wait to be accepted instead of 1024",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    // Wrong: no second `listen`, which would set another length.
    let listener = options.listening(TcpListener::bind(options.address()).and_then(|listener| {
        SockRef::from(&listener).set_tcp_nodelay(true)?;
        Ok(listener)
    }));
    options.announce(listener.local_addr()?, none::THREADS);
    none::serve(listener, &site, none::correct);
    Ok(())
}
