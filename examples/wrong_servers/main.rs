//! Deliberately wrong servers, for experiments about the five articles: no rung, nothing to copy.
//!
//! Without a fault it is rung 2, a thread for each connection. Each fault changes one thing in that
//! server, or runs the same site on another. Its file says which article has it:
//!
//!     cargo run --example wrong_servers -- --fault malformed-head
//!
//! `--help` lists the faults.

mod blocking_in_task;
mod event_loops;
mod log_each_request;
mod malformed_head;
mod none;
mod one_listener;
mod options;
mod read_once;
mod reuse_port;
mod short_backlog;
mod stop_on_accept_error;

use std::io;

use options::{Fault, Options};
use site::Site;

/// Every fault, and first the server that has none.
static FAULTS: [Fault; 9] = [
    none::FAULT,
    malformed_head::FAULT,
    read_once::FAULT,
    stop_on_accept_error::FAULT,
    short_backlog::FAULT,
    log_each_request::FAULT,
    blocking_in_task::FAULT,
    reuse_port::FAULT,
    one_listener::FAULT,
];

fn main() -> io::Result<()> {
    let options = Options::from_args(&FAULTS);
    let site = Site::with_keep_alive(options.keep_alive);
    (options.fault.run)(&options, site)
}
