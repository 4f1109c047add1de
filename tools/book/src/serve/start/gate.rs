//! Decides who may start a program: the script of one of our own pages, and nobody else.
//!
//! A browser lets any site send requests to 127.0.0.1. So what starts something is a request that no page of another site
//! can make: its method and its type need a permission (CORS) that this server gives to nobody, and beyond that the browser
//! itself says from where it comes (`Origin`, `Sec-Fetch-Site`), and it carries a token that only our own pages can read.
//! `host` has refused before whoever comes under another name (*DNS rebinding*).

use std::{collections::hash_map::RandomState, fmt, hash::BuildHasher};

use site::Status;

/// The line of a head that carries the token.
const TOKEN: &str = "start-token";

const ONLY_GET_AND_POST: Refusal = (
    // In the words of `Status::METHOD_NOT_ALLOWED`, the site would add its own line `Allow`.
    Status { code: 405, reason: "Only GET And POST" },
    "a program is started by a POST, and GET says what is running",
);

const NO_JSON: Refusal = (
    Status { code: 415, reason: "Unsupported Media Type" },
    "what is to be started is said in JSON (Content-Type: application/json)",
);

const FORBIDDEN: Status = Status { code: 403, reason: "Forbidden" };

/// The status and the words with which a request is refused.
pub(super) type Refusal = (Status, &'static str);

/// What a request that may come in wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// The token, and what is running.
    Look,
    /// What stands in its body.
    Act,
}

/// What only our own pages know.
pub(super) struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

impl Token {
    /// A new one, of 128 bits. The keys of a [`RandomState`] come from the system, and nobody gets from what it hashes to them.
    pub(super) fn new() -> Token {
        let keyed = RandomState::new();
        Token(format!("{:016x}{:016x}", keyed.hash_one(0_u64), keyed.hash_one(1_u64)))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Decides on a request whose `Host` is a name of this machine, by its head.
    ///
    /// # Errors
    /// With the first reason to refuse it.
    pub(super) fn admit(&self, head: &str) -> Result<Wish, Refusal> {
        let method = head.trim_start_matches("\r\n").split(' ').next().unwrap_or_default();
        // A link, a form, a picture or a script of another site says `cross-site` or `same-site` here, and a person who
        // types the address `none`.
        let is_same_origin = header(head, "sec-fetch-site") == Some("same-origin");
        let from_elsewhere = (
            FORBIDDEN,
            "only a page of this book may ask, in a browser that says so (Sec-Fetch-Site: same-origin)",
        );
        match method {
            "GET" if is_same_origin => return Ok(Wish::Look),
            "GET" => return Err(from_elsewhere),
            "POST" => {}
            _ => return Err(ONLY_GET_AND_POST),
        }
        let media_type = header(head, "content-type").unwrap_or_default();
        if !media_type.eq_ignore_ascii_case("application/json") {
            return Err(NO_JSON);
        }
        // With its port: another server of this machine has another origin.
        let own = header(head, "host").map(|host| format!("http://{}", host.to_ascii_lowercase()));
        if own.is_none() || own.as_deref() != header(head, "origin") {
            return Err((FORBIDDEN, "this request comes from a page of another site (Origin)"));
        }
        if !is_same_origin {
            return Err(from_elsewhere);
        }
        if header(head, TOKEN) != Some(self.text()) {
            return Err((FORBIDDEN, "this page is older than the server: load it again (token)"));
        }
        Ok(Wish::Act)
    }
}

/// The value of a head's only line of this name, which is in lower case; `None` if there is none, or more than one.
pub(in crate::serve) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.trim_start_matches("\r\n").split("\r\n").skip(1);
    let mut values = lines.filter_map(|line| {
        let (own, value) = line.split_once(':')?;
        own.eq_ignore_ascii_case(name).then(|| value.trim_matches([' ', '\t']))
    });
    values.next().filter(|_| values.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of a request that the script of a page makes.
    fn right(token: &Token) -> Vec<String> {
        [
            "POST /__run HTTP/1.1".to_owned(),
            "Host: 127.0.0.1:3000".to_owned(),
            "Origin: http://127.0.0.1:3000".to_owned(),
            "Sec-Fetch-Site: same-origin".to_owned(),
            "Content-Type: application/json".to_owned(),
            format!("Start-Token: {}", token.text()),
        ]
        .into()
    }

    fn decide(token: &Token, lines: &[String]) -> Result<Wish, u16> {
        let head = format!("{}\r\n\r\n", lines.join("\r\n"));
        token.admit(&head).map_err(|(status, _)| status.code)
    }

    #[test]
    fn each_condition_alone_keeps_a_request_out() {
        let token = Token::new();
        let right = right(&token);
        assert_eq!(decide(&token, &right), Ok(Wish::Act));
        // What stands in the place of each line, and the status.
        for (index, instead, code) in [
            (0, vec!["PUT /__run HTTP/1.1"], 405),
            (0, vec!["HEAD /__run HTTP/1.1"], 405),
            (0, vec!["OPTIONS /__run HTTP/1.1"], 405),
            (1, vec!["Host: localhost:3000"], 403),
            (1, vec![], 403),
            (2, vec![], 403),
            (2, vec!["Origin: null"], 403),
            (2, vec!["Origin: http://127.0.0.1:8080"], 403),
            (2, vec!["Origin: https://127.0.0.1:3000"], 403),
            (2, vec!["Origin: http://127.0.0.1:3000.example.org"], 403),
            (2, vec!["Origin: http://127.0.0.1:3000", "Origin: http://a.example"], 403),
            (3, vec![], 403),
            (3, vec!["Sec-Fetch-Site: same-site"], 403),
            (3, vec!["Sec-Fetch-Site: cross-site"], 403),
            (3, vec!["Sec-Fetch-Site: none"], 403),
            (4, vec![], 415),
            (4, vec!["Content-Type: text/plain"], 415),
            (4, vec!["Content-Type: application/x-www-form-urlencoded"], 415),
            (4, vec!["Content-Type: text/plain; application/json"], 415),
            (5, vec![], 403),
            (5, vec!["Start-Token: "], 403),
            (5, vec!["Start-Token: 0"], 403),
        ] {
            let mut lines = right.clone();
            lines.splice(index..=index, instead.iter().map(|line| (*line).to_owned()));
            assert_eq!(decide(&token, &lines), Err(code), "{lines:?}");
        }
        let other = Token::new();
        assert_ne!(other.text(), token.text());
        assert_eq!(decide(&other, &right), Err(403));
    }

    #[test]
    fn the_token_is_for_our_own_pages() {
        let token = Token::new();
        let ask = |line: &str| {
            decide(&token, &["GET /__run HTTP/1.1", "Host: localhost", line].map(str::to_owned))
        };
        assert_eq!(ask("Sec-Fetch-Site: same-origin"), Ok(Wish::Look));
        for line in ["Accept: */*", "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"] {
            assert_eq!(ask(line), Err(403), "{line}");
        }
    }
}
