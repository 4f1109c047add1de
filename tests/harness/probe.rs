//! The published cases of Http11Probe, an outside judge of HTTP/1.1 servers: `tests/wire/probe.toml` says what a case is.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use serde::{Deserialize, de::DeserializeOwned};

use super::repository::root;

/// Where the cases come from, what is left out, and why we differ: `tests/wire/probe.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Where the suite is published.
    pub repository: String,
    /// The commit from which the cases are.
    pub commit: String,
    /// The day of that commit.
    pub date: String,
    /// How many cases it has.
    pub cases: usize,
    /// Those that are not carried over.
    pub left_out: Vec<LeftOut>,
    /// Why we differ, by the word in a case's `because`.
    pub because: BTreeMap<String, Reason>,
}

/// Cases that are not carried over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// How their names begin.
    pub prefix: String,
    /// How many they are.
    pub cases: usize,
    /// What they are about, which the site does not have.
    pub about: String,
}

/// Why our servers answer what the suite does not let pass.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// What the suite expects, and what we answer.
    pub differs: String,
    /// Why we do.
    pub why: String,
}

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The section of the RFC, where the suite names one.
    pub rfc: Option<String>,
    /// Whether the suite counts points for it.
    #[serde(default = "yes")]
    pub scored: bool,
    /// What the client sends.
    pub sends: Bytes,
    /// What it sends next where the connection is still open.
    pub then: Option<Bytes>,
    /// Answers that fail, looked for before all others.
    #[serde(default)]
    pub fail: Vec<Answer>,
    /// Answers that pass.
    pub pass: Vec<Answer>,
    /// Answers that are allowed, and not the strictest.
    #[serde(default)]
    pub warn: Vec<Answer>,
    /// What each of our servers answers.
    pub ours: Answer,
    /// Whether that takes until a time limit is over.
    #[serde(default)]
    pub waits: bool,
    /// Where that fails, the reason: a word from [`Suite::because`].
    pub because: Option<String>,
}

fn yes() -> bool {
    true
}

impl Case {
    /// What the suite says of this answer.
    pub fn judge(&self, answer: &Answer) -> Verdict {
        let lists =
            [(&self.fail, Verdict::Fail), (&self.pass, Verdict::Pass), (&self.warn, Verdict::Warn)];
        let found = lists.into_iter().find(|(list, _)| list.iter().any(|one| one.covers(answer)));
        found.map_or(Verdict::Fail, |(_, verdict)| verdict)
    }

    /// The section as a message and a table show it.
    pub fn section(&self) -> &str {
        self.rfc.as_deref().unwrap_or("no section named")
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
pub struct Bytes(pub Vec<u8>);

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

/// Cases about one subject: a file of `tests/wire/probe/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The subject.
    pub about: String,
    /// The cases by their names.
    pub case: BTreeMap<String, Case>,
}

/// What other servers answered, as the suite published it: `tests/wire/published.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The commit of the results.
    pub commit: String,
    /// Their day.
    pub date: String,
    /// Their file in that commit.
    pub file: String,
    /// The commit of the suite that made them.
    pub suite: String,
    /// The servers, in the order of the answers.
    pub servers: Vec<String>,
    /// Cases of which the suite has since changed what it lets pass.
    pub judged_otherwise: Vec<String>,
    /// By case, what each server answered, and the verdict of that day.
    pub answers: BTreeMap<String, Vec<Judged>>,
}

/// An answer with the verdict that was published: `405 and close: fail`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Judged {
    /// The answer.
    pub answer: Answer,
    /// The verdict.
    pub verdict: Verdict,
}

impl TryFrom<String> for Judged {
    type Error = String;

    fn try_from(text: String) -> Result<Judged, String> {
        let (answer, verdict) =
            text.rsplit_once(": ").ok_or_else(|| format!("{text:?} has no verdict"))?;
        let verdict = match verdict {
            "pass" => Verdict::Pass,
            "warn" => Verdict::Warn,
            "fail" => Verdict::Fail,
            _ => return Err(format!("{verdict:?} is no verdict")),
        };
        Ok(Judged { answer: Answer::try_from(answer.to_owned())?, verdict })
    }
}

/// Reads a file below `tests/wire/`.
///
/// # Panics
/// When it is not what it should be; so do those that call it.
pub fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Where the cases come from, and why we differ.
pub fn suite() -> Suite {
    read(&root().join("tests/wire/probe.toml"))
}

/// All cases by their subjects, in the order of the files' names.
pub fn groups() -> Vec<Group> {
    let folder = root().join("tests/wire/probe");
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> =
        entries.map(|entry| entry.expect("a folder can be read to its end").path()).collect();
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

/// What other servers answered.
pub fn published() -> Published {
    read(&root().join("tests/wire/published.toml"))
}
