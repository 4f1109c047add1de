//! Wrong: the answer is not HTTP. Apart from its head, this is `read-once`.
//!
//! Source 000 has it, and source 002 in this form: an empty line comes between the status line and
//! the fields, which ends the head before it began. All fields are body, and the body is as long
//! as the connection lasts. The lines end with a line feed alone, `keep-alive` is announced by a
//! server that closes, and the length is two bytes short (source 000 says 174 for a file of 176
//! bytes). wrk counts a read error for every answer; ab looks at none of this, and counts a
//! success.

use std::io;
use std::sync::Arc;

use site::{Request, Response, Site};

use crate::options::{Fault, Options};
use crate::{none, read_once};

/// Sends bytes that aren't HTTP, then closes.
pub const FAULT: Fault = Fault {
    name: "malformed-head",
    what: "read-once with a head that is not HTTP: an empty line before its fields",
    takes: &[],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listener = options.listen();
    options.announce(listener.local_addr()?, none::THREADS);
    none::serve(listener, &site, |stream, site| read_once::answer(stream, site, malformed));
    Ok(())
}

/// The bytes of an answer that no client should accept. Even to a `HEAD` they have a body.
fn malformed(response: &Response, _request: Option<&Request>) -> Vec<u8> {
    let status = response.status;
    let head = format!(
        "HTTP/1.1 {} {}\r\n\
         \n\
         Connection: keep-alive\n\
         Content-Length: {}\n\
         Content-Type: {}\n    \r\n\r\n",
        status.code,
        status.reason,
        response.body.len().saturating_sub(2),
        response.content_type,
    );
    [head.as_bytes(), &response.body].concat()
}
