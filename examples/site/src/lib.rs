//! The web site that every rung of the ladder serves.
//!
//! This package knows HTTP and the routes. Its core does no I/O: you hand it
//! the bytes that arrived, it tells you the next [`Step`] to take: read, wait,
//! write, close. *How* to wait is the rung's business, and the only difference
//! between two rungs. This way of writing a protocol is called *sans-I/O*.
//!
//! - [`Connection`] turns bytes into steps: an async rung needs nothing else.
//! - [`blocking`] takes the steps with plain blocking calls, as rungs 1 to 3 do.
//! - [`Site`] is what all connections share; [`Options`] is the command line.

use std::time::Duration;

mod accept;
pub mod blocking;
mod connection;
mod hello;
mod listen;
mod options;
mod print;
mod request;
mod response;
mod routes;
mod stop;

pub use accept::AcceptErrors;
pub use connection::{Connection, Step};
pub use hello::hello_html;
pub use listen::{BACKLOG, limit_unread, listen_each};
pub use options::{CommandLine, Number, Options};
pub use print::{complain, say};
pub use request::{Method, Parsed, Request, Version, parse};
pub use response::{ALLOW, Response, Status};
pub use routes::{INDEX_HTML, Site, Work, compute};

/// The longest request head, in bytes: request line, header lines and the empty line. A longer one gets a 431,
/// or a 414 where the request target alone is too long.
pub const HEAD_LIMIT: usize = 16 * 1024;

/// How long a client may take from our first wait to the last byte of a request head.
/// Also how long a kept-alive connection may stay idle.
pub const HEAD_TIME: Duration = Duration::from_secs(5);

/// How long one response may take to leave, however slowly the client reads.
/// In rungs 1 to 3 it is the time of each `write` call: a response that leaves in parts has it for each part.
pub const WRITE_TIME: Duration = Duration::from_secs(5);

/// After the last response: how long we still read what the client sends.
pub const DRAIN_TIME: Duration = Duration::from_secs(1);

/// After the last response: how many bytes of unread input we take before we close regardless.
pub const DRAIN_LIMIT: usize = 1024 * 1024;

/// After Ctrl-C or SIGTERM: how long the connections have to end before the process cuts them off (from rung 3 on).
pub const GRACE_TIME: Duration = Duration::from_secs(5);
