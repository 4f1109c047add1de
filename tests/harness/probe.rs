//! The published cases of Http11Probe, an outside judge of HTTP/1.1 servers: `tests/wire/probe.toml` says what a case is.

use std::{collections::BTreeMap, fmt, fs, path::Path, sync::LazyLock};

use serde::{Deserialize, de::DeserializeOwned};

use super::repository::root;

/// All cases by their names, those about one subject after each other.
pub static CASES: LazyLock<Vec<(String, Case)>> = LazyLock::new(|| {
    let subjects: BTreeMap<String, BTreeMap<String, Case>> =
        read(&root().join("tests/wire/probe.toml"));
    subjects.into_values().flatten().collect()
});

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The section of the RFC, where the suite names one.
    pub rfc: Option<String>,
    /// What the client sends.
    pub sends: Bytes,
    /// What it sends next where the connection is still open. It is answered only if nothing of the case is left on the
    /// connection.
    #[serde(default = "plain_request")]
    pub then: Bytes,
    /// Answers that fail, looked for before all others.
    #[serde(default)]
    pub fail: Vec<Answer>,
    /// Answers that pass.
    pub pass: Vec<Answer>,
    /// Answers that are allowed, and not the strictest.
    #[serde(default)]
    pub warn: Vec<Answer>,
    /// What each of our servers answers.
    #[serde(default = "refusal")]
    pub ours: Answer,
    /// Whether that takes until a time limit is over.
    #[serde(default)]
    pub waits: bool,
}

fn plain_request() -> Bytes {
    Bytes(b"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".to_vec())
}

/// What our servers answer to a request that is none.
fn refusal() -> Answer {
    Answer::Status { status: "400".to_owned(), header: None, closes: true, then: None }
}

impl Case {
    /// Whether the request is malformed in the eyes of the suite: a 400 passes, and no success does.
    pub fn is_malformed(&self) -> bool {
        let passes = |wanted: &str| self.pass.iter().any(|answer| answer.has_status(wanted));
        passes("400") && !passes("2xx")
    }

    /// What the suite says of this answer.
    pub fn judge(&self, answer: &Answer) -> Verdict {
        let lists =
            [(&self.fail, Verdict::Fail), (&self.pass, Verdict::Pass), (&self.warn, Verdict::Warn)];
        let found = lists.into_iter().find(|(list, _)| list.iter().any(|one| one.covers(answer)));
        found.map_or(Verdict::Fail, |(_, verdict)| verdict)
    }
}

/// What the suite says of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Pass,
    /// Allowed, and not the strictest.
    Warn,
    /// Not allowed, or not what the suite expects.
    Fail,
}

/// Bytes as a case writes them: a text, or several one after the other, each perhaps repeated.
#[derive(Debug, Deserialize)]
#[serde(from = "Written")]
pub struct Bytes(Vec<u8>);

impl Bytes {
    /// The bytes for a server of this name: `localhost:8080`.
    pub fn to_host(&self, host: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len());
        let mut rest = self.0.as_slice();
        while let Some(at) = rest.windows(6).position(|six| six == b"{host}") {
            bytes.extend_from_slice(&rest[..at]);
            bytes.extend_from_slice(host.as_bytes());
            rest = &rest[at + 6..];
        }
        bytes.extend_from_slice(rest);
        bytes
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Pieces(Vec<Piece>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    Repeated { text: String, times: usize },
}

impl From<Written> for Bytes {
    fn from(written: Written) -> Bytes {
        let text = match written {
            Written::Text(text) => text,
            Written::Pieces(pieces) => {
                let text = |piece| match piece {
                    Piece::Text(text) => text,
                    Piece::Repeated { text, times } => text.repeat(times),
                };
                pieces.into_iter().map(text).collect()
            }
        };
        let byte = |letter| u8::try_from(letter).expect("each letter is one byte: up to U+00FF");
        Bytes(text.chars().map(byte).collect())
    }
}

/// What a server answers, or a pattern of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub enum Answer {
    /// The connection ends without a word.
    Close,
    /// Nothing comes.
    Silence,
    /// Something comes that is no HTTP/1, such as a frame of HTTP/2.
    OtherProtocol,
    /// A response.
    Status {
        /// Its status; in a pattern, `x` is any digit.
        status: String,
        /// A header line that it has, or has not.
        header: Option<(bool, String)>,
        /// Whether the connection then ends.
        closes: bool,
        /// The status of the response to what comes next on the connection.
        then: Option<String>,
    },
}

impl TryFrom<String> for Answer {
    type Error = String;

    fn try_from(text: String) -> Result<Answer, String> {
        match text.as_str() {
            "close" => return Ok(Answer::Close),
            "silence" => return Ok(Answer::Silence),
            "another protocol" => return Ok(Answer::OtherProtocol),
            _ => {}
        }
        let (rest, then) = cut(&text, " then ");
        let (rest, closes) = match rest.strip_suffix(" and close") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let (rest, with) = cut(rest, " with ");
        let (status, without) = cut(rest, " without ");
        let header = with.map(|name| (true, name)).or_else(|| without.map(|name| (false, name)));
        let then_status = then.as_deref().filter(|then| *then != "silence");
        for status in [Some(status), then_status].into_iter().flatten() {
            if status.len() != 3 || !status.bytes().all(|b| b.is_ascii_digit() || b == b'x') {
                return Err(format!("{status:?} in {text:?} is no status"));
            }
        }
        Ok(Answer::Status { status: status.to_owned(), header, closes, then })
    }
}

/// What stands before the word, and what behind it.
fn cut<'a>(text: &'a str, word: &str) -> (&'a str, Option<String>) {
    match text.split_once(word) {
        Some((before, behind)) => (before, Some(behind.to_owned())),
        None => (text, None),
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Answer::Status { status, header, closes, then } = self else {
            return formatter.write_str(match self {
                Answer::Close => "close",
                Answer::OtherProtocol => "another protocol",
                _ => "silence",
            });
        };
        formatter.write_str(status)?;
        if let Some((present, name)) = header {
            write!(formatter, " {} {name}", if *present { "with" } else { "without" })?;
        }
        if *closes {
            formatter.write_str(" and close")?;
        }
        then.iter().try_for_each(|then| write!(formatter, " then {then}"))
    }
}

impl Answer {
    /// Whether it is a response of this status, as it is written in a case.
    fn has_status(&self, wanted: &str) -> bool {
        matches!(self, Answer::Status { status, .. } if status == wanted)
    }

    /// Whether it is a 404, behind which the connection ends.
    pub fn is_404_and_close(&self) -> bool {
        let ends = matches!(self, Answer::Status { closes: true, then: None, .. });
        ends && self.has_status("404")
    }

    /// Whether this pattern covers that answer.
    pub fn covers(&self, answer: &Answer) -> bool {
        let (Answer::Status { status, header, closes, then }, Answer::Status { .. }) =
            (self, answer)
        else {
            return self == answer;
        };
        let Answer::Status { status: its, header: line, closes: ends, then: next } = answer else {
            return false;
        };
        covers(status, its)
            && (header.is_none() || header == line)
            && (!closes || *ends)
            && then.as_ref().is_none_or(|then| next.as_ref().is_some_and(|next| covers(then, next)))
    }
}

/// Whether this pattern covers that status.
fn covers(pattern: &str, status: &str) -> bool {
    pattern.bytes().zip(status.bytes()).all(|(wanted, digit)| wanted == b'x' || wanted == digit)
}

/// Reads a file below `tests/wire/`.
///
/// # Panics
/// When it is not what it should be.
pub fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
