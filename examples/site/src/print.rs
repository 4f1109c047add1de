//! What a server says, whether it is read or not.
//!
//! `println!` and `eprintln!` panic where the other end of a pipe is closed, or a disk is full.
//! A server must not end for that: the reader of its output may leave first, as in `2>&1 | head -1`.

use std::{
    fmt::Display,
    io::{self, Write},
};

/// Prints `text` on standard output, immediately.
pub fn say(text: impl Display) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Prints a line on standard error.
pub fn complain(line: impl Display) {
    // One write for the whole line: standard error has no buffer, and other programs may write to it as well.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
