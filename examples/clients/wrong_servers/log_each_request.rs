//! Wrong in a comparison: a line on standard error for each request.
//!
//! Source 004 has it in both its servers, with two different loggers, but does not tell where the
//! lines went; source 001 prints something for each request. A line is a system call, behind a lock
//! that all threads share, so the logger is measured too, and the terminal, if it writes to one.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use site::{Site, blocking};

use crate::none;
use crate::options::{Fault, Options};

/// Logs.
pub const FAULT: Fault = Fault {
    name: "log-each-request",
    what: "writes a line to standard error for each request",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listener = options.listen();
    options.announce(listener.local_addr()?, none::THREADS);
    none::serve(listener, &site, |stream, site| {
        // Asked for once, since this is a system call too.
        let client = stream.peer_addr().map_or_else(|_| "-".to_owned(), |it| it.to_string());
        blocking::handle(Logged { stream, client }, site)
    });
    Ok(())
}

/// A connection that logs its answers.
struct Logged<'a> {
    stream: &'a TcpStream,
    client: String,
}

impl Write for Logged<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    /// The handler sends each answer with one call of this.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)?;
        self.log(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Logged<'_> {
    /// Writes the time in seconds since 1970, the client, the status line, and the answer's length
    /// in bytes.
    fn log(&self, answer: &[u8]) {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs_f64();
        let status = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let status = String::from_utf8_lossy(status);
        let line = format!("{now:.3} {} \"{status}\" {}\n", self.client, answer.len());
        // One call for the whole line, as loggers do it. `eprintln!` makes one for each of its
        // parts.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

impl Read for Logged<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl blocking::Stream for Logged<'_> {
    fn limit_reads(&self, limit: Duration) -> io::Result<()> {
        self.stream.limit_reads(limit)
    }

    fn limit_writes(&self, limit: Duration) -> io::Result<()> {
        self.stream.limit_writes(limit)
    }

    fn finish_writing(&self) -> io::Result<()> {
        self.stream.finish_writing()
    }
}
