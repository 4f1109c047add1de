//! The head of a response, as far as a load generator has to understand it.

use httparse::{EMPTY_HEADER, Header, Status};

/// How many header lines a response may have.
const MOST_HEADERS: usize = 64;

/// What the head of a response says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// How many bytes it has, with its empty line.
    pub length: usize,
    /// The status code.
    pub status: u16,
    /// How many bytes of body follow; `None` if the body ends with the connection.
    pub body: Option<u64>,
    /// Whether the connection may carry another request.
    pub keep_alive: bool,
}

// ANCHOR: parse
/// Reads the head at the start of `bytes`; `None` if its end is not there yet.
///
/// # Errors
/// In words, if that can't become a response that this program understands.
pub fn parse(bytes: &[u8]) -> Result<Option<Head>, String> {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let length = match response.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(error) => return Err(format!("no HTTP response: {error}")),
    };
    let status = response.code.expect("a whole head has a status");
    // RFC 9110, section 15.2: such a head comes before the answer.
    if (100..200).contains(&status) && status != 101 {
        let answer = parse(&bytes[length..])?;
        return Ok(answer.map(|head| Head { length: length + head.length, ..head }));
    }
    let is_old = response.version == Some(0);
    if let Some(coding) = value(response.headers, "transfer-encoding") {
        return Err(format!("the transfer encoding {coding:?} is not supported"));
    }
    let body = match value(response.headers, "content-length") {
        // RFC 9112, section 6.3: these never have a body.
        _ if status < 200 || [204, 304].contains(&status) => Some(0),
        // `parse` alone would take a sign.
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            Some(digits.parse().map_err(|_| format!("Content-Length: {digits:?}"))?)
        }
        Some(digits) => return Err(format!("Content-Length: {digits:?}")),
        None => None,
    };
    let connection = value(response.headers, "connection").unwrap_or_default().to_lowercase();
    let says = |word| connection.split(',').any(|token| token.trim() == word);
    let keep_alive = body.is_some() && if is_old { says("keep-alive") } else { !says("close") };
    Ok(Some(Head { length, status, body, keep_alive }))
}
// ANCHOR_END: parse

/// The value of the first header of this name, as text.
fn value<'a>(headers: &[Header<'a>], name: &str) -> Option<&'a str> {
    let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
    Some(std::str::from_utf8(header.value).unwrap_or("not text").trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &str) -> Result<Option<Head>, String> {
        parse(format!("{}\r\n\r\n", lines.replace('\n', "\r\n")).as_bytes())
    }

    #[test]
    fn half_a_head_is_not_enough() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        for cut in 0..whole.len() - 5 {
            assert_eq!(parse(&whole[..cut]), Ok(None), "{cut}");
        }
        let head = Head { length: whole.len() - 5, status: 200, body: Some(5), keep_alive: true };
        assert_eq!(parse(whole), Ok(Some(head)));
    }

    #[test]
    fn what_comes_before_the_answer_is_not_the_answer() {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n";
        assert_eq!(parse(hints.as_bytes()), Ok(None));
        let head =
            parse(format!("{hints}{answer}hello").as_bytes()).expect("heads").expect("whole");
        assert_eq!((head.status, head.length), (404, hints.len() + answer.len()));
    }

    #[test]
    fn the_connection_ends_where_the_head_says_so() {
        for (lines, keep_alive) in [
            ("HTTP/1.1 200 OK\nContent-Length: 5", true),
            ("HTTP/1.1 200 OK\nContent-Length: 5\nConnection: Close", false),
            ("HTTP/1.1 200 OK\nContent-Length: 5\nConnection: upgrade, close", false),
            ("HTTP/1.0 200 OK\nContent-Length: 5", false),
            ("HTTP/1.0 200 OK\nContent-Length: 5\nConnection: keep-alive", true),
            ("HTTP/1.1 200 OK", false),
            ("HTTP/1.1 304 Not Modified", true),
        ] {
            let head = head(lines).expect("it is a head").expect("it is whole");
            assert_eq!(head.keep_alive, keep_alive, "{lines}");
        }
    }

    #[test]
    fn what_is_no_response_is_an_error() {
        for lines in [
            "hello",
            "HTTP/1.1 200 OK\nContent-Length: five",
            "HTTP/1.1 200 OK\nContent-Length: -5",
            "HTTP/1.1 200 OK\nContent-Length: +5",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked",
        ] {
            assert!(head(lines).is_err(), "{lines}");
        }
    }
}
