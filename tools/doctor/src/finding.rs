//! What was found out about one thing, and how it is printed.

use std::fmt::{self, Display, Formatter};

/// How a thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is as it should be.
    Fine,
    /// It is not there, or too small, and something optional can't be done without it.
    Lacking,
    /// The workshop can't be held without it.
    Needed,
}

/// What was found out about one thing.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was looked at: `wrk`, `port 8080`.
    pub subject: String,
    pub state: State,
    /// What is there.
    pub found: String,
    /// What it is for; empty where everybody knows.
    pub matters: String,
    /// A command or an action that gives what is lacking.
    pub cure: String,
}

impl Finding {
    /// It is as it should be.
    pub fn fine(subject: &str, found: impl Into<String>) -> Finding {
        Finding::not(State::Fine, subject, found, "", "")
    }

    /// It is not, or not quite: what that matters, and what gives it.
    pub fn not(
        state: State,
        subject: &str,
        found: impl Into<String>,
        matters: &str,
        cure: impl Into<String>,
    ) -> Finding {
        let (subject, matters) = (subject.to_owned(), matters.to_owned());
        Finding { subject, state, found: found.into(), matters, cure: cure.into() }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mark = match self.state {
            State::Fine => "ok",
            State::Lacking => "lacking",
            State::Needed => "NEEDED",
        };
        write!(f, "{mark:<8} {:<18} {}", self.subject, self.found)?;
        if self.state != State::Fine {
            write!(f, "\n{:27} matters: {}\n{:27} cure:    {}", "", self.matters, "", self.cure)?;
        }
        Ok(())
    }
}
