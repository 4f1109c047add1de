//! Deliberately wrong servers, for experiments about the five articles: no rung, nothing to copy.
//!
//! Without a fault it is rung 2, a thread for each connection. Each fault changes one thing in that
//! server, or runs the same site on another. Its file says who has it, an article or a program:
//!
//!     cargo run --example wrong_servers -- --fault malformed-head
//!
//! `--help` lists the faults.

mod accept_once;
mod blocking_in_task;
mod malformed_head;
mod never_comes_back;
mod never_gives_way;
mod none;
mod one_read_for_an_event;
mod options;
mod parses_nothing;
mod read_once;
mod readiness;
mod reused_token;
mod short_backlog;
mod spin_on_accept_error;
mod stop_on_accept_error;

use std::io;

use options::{Fault, Options};
use site::Site;

/// Every fault, and first the server that has none.
static FAULTS: [Fault; 13] = [
    none::FAULT,
    malformed_head::FAULT,
    read_once::FAULT,
    stop_on_accept_error::FAULT,
    short_backlog::FAULT,
    blocking_in_task::FAULT,
    accept_once::FAULT,
    one_read_for_an_event::FAULT,
    never_gives_way::FAULT,
    never_comes_back::FAULT,
    reused_token::FAULT,
    spin_on_accept_error::FAULT,
    parses_nothing::FAULT,
];

fn main() -> io::Result<()> {
    let options = Options::from_args(&FAULTS);
    let site = Site::with_keep_alive(options.keep_alive);
    (options.fault.run)(&options, site)
}
