//! Wrong: one `read` of 1,024 bytes is taken for the whole request.
//!
//! Source 000 and source 002 have it; source 001 reads no further than the request line. TCP keeps
//! the order of the bytes, but not their pieces: half a request may come first, which gets the answer
//! to half a request. Of a longer one the rest stays unread, and to close with unread bytes makes
//! the system send a reset, which may take the answer away (RFC 9112, section 9.6).

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::{fs, thread};

use site::{HEAD_TIME, Parsed, Request, Response, Site, Status, WRITE_TIME, Work, compute, parse};

use crate::none;
use crate::options::{Fault, Options};

/// Reads once. It always closes, so `--keep-alive` means nothing to it.
pub const FAULT: Fault = Fault {
    name: "read-once",
    what: "takes one read of 1024 bytes for the whole request",
    takes: &[],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listener = options.listen();
    options.announce(listener.local_addr()?, none::THREADS);
    none::serve(listener, &site, |stream, site| {
        answer(stream, site, |response, request| response.encode(request, false))
    });
    Ok(())
}

/// Reads once, answers with what `encode` makes of the response, then closes.
pub fn answer(
    mut stream: &TcpStream,
    site: &Site,
    encode: fn(&Response, Option<&Request>) -> Vec<u8>,
) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    stream.set_read_timeout(Some(HEAD_TIME))?;
    let mut buffer = [0; 1024];
    let count = stream.read(&mut buffer)?;
    // Wrong: the bytes so far are made to look whole. A line that was cut off is forgotten, the rest never
    // read.
    let end = buffer[..count].windows(2).rposition(|two| two == b"\r\n").map_or(0, |at| at + 2);
    let head = [&buffer[..end], b"\r\n"].concat();
    let bytes = match parse(&head) {
        Parsed::Request { request, .. } => encode(&respond(site, &request)?, Some(&request)),
        Parsed::Refused(status) => encode(&Response::refusal(status), None),
        Parsed::NeedMore => encode(&Response::refusal(Status::BAD_REQUEST), None),
    };
    // Wrong: after this the stream is dropped, whatever the client still has to say.
    stream.write_all(&bytes)
}

/// Does the work that the request asks for.
fn respond(site: &Site, request: &Request) -> io::Result<Response> {
    let (work, mut response) = site.route(request);
    match work {
        Work::None => {}
        Work::Sleep(pause) => thread::sleep(pause),
        Work::ReadFile(path) => response.body = fs::read(path)?,
        Work::Compute(rounds) => response.body = compute(rounds).into_bytes(),
    }
    Ok(response)
}
