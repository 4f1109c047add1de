//! Why a server does not keep its part of the contract.

use std::fmt::{self, Display};

use serde::Serialize;

/// What a client sent to a server, what came of it, and what was wanted instead.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The start of what the client sent since its last answer; empty where none is connected.
    pub sent: String,
    /// What came, or how the wait for it ended.
    pub came: String,
    /// What the contract wants in its place.
    pub wanted: String,
    /// Whether it is the client's own: its system gave it no connection, and the server has nothing to do with it.
    #[serde(skip)]
    pub is_of_client: bool,
}

impl Failure {
    /// A failure with which no client is concerned: something else was seen.
    pub fn seen(came: impl Display, wanted: impl Display) -> Failure {
        Failure { came: came.to_string(), wanted: wanted.to_string(), ..Failure::default() }
    }

    /// Says in which part of a case it came about.
    #[must_use]
    pub fn part(self, name: impl Display) -> Failure {
        Failure { wanted: format!("{} for {name}", self.wanted), ..self }
    }
}

/// Fails unless it is so.
///
/// # Errors
/// What was seen, and what was wanted.
pub fn ensure(holds: bool, came: impl Display, wanted: impl Display) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure::seen(came, wanted)) }
}

impl Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        if !self.sent.is_empty() {
            writeln!(formatter, "sent    {}", self.sent)?;
        }
        write!(formatter, "came    {}\nwanted  {}", self.came, self.wanted)
    }
}

/// A test that unwraps one shows it as the judge does.
impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "\n{self}")
    }
}

impl std::error::Error for Failure {}

/// The start of what a client sent, and how many bytes came after it.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    start: Vec<u8>,
    more: usize,
}

impl Excerpt {
    /// The excerpt of these bytes.
    pub fn of(bytes: &[u8]) -> Excerpt {
        let mut excerpt = Excerpt::default();
        excerpt.add(bytes);
        excerpt
    }

    /// Adds bytes at the end.
    pub fn add(&mut self, bytes: &[u8]) {
        let most = 300;
        let kept = bytes.len().min(most - self.start.len());
        self.start.extend_from_slice(&bytes[..kept]);
        self.more += bytes.len() - kept;
    }
}

impl Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "\"{}\"", self.start.escape_ascii())?;
        if self.more > 0 {
            write!(formatter, " and {} bytes more", self.more)?;
        }
        Ok(())
    }
}
