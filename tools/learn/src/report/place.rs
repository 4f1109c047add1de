//! The place of a learner, as one line: `pair 7 · half-day 2 of 3 · two_waits, 2 hints`.

use std::fmt::{self, Display};

use records::base::plain;

use crate::{learner::Learner, progress::Progress};

/// What stands between the parts of a line.
const BETWEEN: &str = " · ";

/// The place of a learner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Empty for a learner who has given none.
    pub name: String,
    pub passed: Passed,
    pub at: At,
}

/// The exercises that are passed, and put off, of those of a lesson or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    lesson: Option<String>,
    pub passed: usize,
    pub of: usize,
    skipped: usize,
}

/// What a learner is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// An exercise that is not begun.
    Next(String),
    /// An exercise that is begun, with so many hints.
    Begun(String, usize),
    AllPassed,
}

impl Place {
    /// Returns the place of a learner with this progress.
    pub(super) fn of(learner: &Learner, progress: &Progress) -> Place {
        let own = learner.own();
        let passed = Passed {
            lesson: learner.lesson.as_ref().map(|lesson| lesson.name.clone()),
            passed: own.iter().filter(|exercise| progress.is_done(exercise)).count(),
            of: own.len(),
            skipped: own.iter().filter(|exercise| progress.is_skipped(exercise)).count(),
        };
        let at = match progress.next(&learner.list) {
            None => At::AllPassed,
            Some(exercise) => match progress.exercises.get(&exercise.name) {
                None => At::Next(exercise.name.clone()),
                Some(state) => At::Begun(exercise.name.clone(), state.hints),
            },
        };
        Place { name: progress.name.clone().unwrap_or_default(), passed, at }
    }

    /// Reads a line; `None` for another one. Before it, a chat may have written when it was sent, and by whom: that is the
    /// name of a learner who has given none.
    pub(super) fn in_line(line: &str) -> Option<Place> {
        let (rest, at) = without_time(line).rsplit_once(BETWEEN.trim())?;
        let at = At::in_text(at.trim())?;
        let (name, passed) = match rest.rsplit_once(BETWEEN.trim()) {
            Some((name, passed)) => (without_sender(name.trim()), passed),
            None => rest.rsplit_once(": ").unwrap_or(("", rest)),
        };
        Some(Place { name: plain(name), passed: Passed::in_text(passed)?, at })
    }
}

/// Leaves out the time in brackets with which a chat begins its lines: `[10:42] `.
fn without_time(line: &str) -> &str {
    let behind = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("] "));
    behind.map_or(line, |(_, rest)| rest)
}

/// Leaves out who has sent a name: no name has a colon and a blank.
fn without_sender(name: &str) -> &str {
    name.rsplit_once(": ").map_or(name, |(_, own)| own)
}

impl Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Place { name, passed, at } = self;
        if !name.is_empty() {
            write!(formatter, "{name}{BETWEEN}")?;
        }
        write!(formatter, "{passed}{BETWEEN}{at}")
    }
}

impl Passed {
    fn in_text(text: &str) -> Option<Passed> {
        let (text, skipped) = match text.split_once(',') {
            Some((text, skipped)) => (text, number_before(skipped, "skipped")?),
            None => (text, 0),
        };
        let (lesson, passed, of) = match text.split_whitespace().collect::<Vec<_>>()[..] {
            [passed, "of", of] => (None, passed, of),
            [lesson, passed, "of", of] if is_name(lesson) => (Some(lesson.to_owned()), passed, of),
            _ => return None,
        };
        Some(Passed { lesson, passed: passed.parse().ok()?, of: of.parse().ok()?, skipped })
    }
}

impl Display for Passed {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Passed { lesson, passed, of, skipped } = self;
        lesson.iter().try_for_each(|lesson| write!(formatter, "{lesson} "))?;
        write!(formatter, "{passed} of {of}")?;
        if *skipped > 0 { write!(formatter, ", {skipped} skipped") } else { Ok(()) }
    }
}

const ALL_PASSED: &str = "all passed";
const NOT_BEGUN: &str = "not begun";

impl At {
    fn in_text(text: &str) -> Option<At> {
        if text == ALL_PASSED {
            return Some(At::AllPassed);
        }
        let (exercise, state) = text.split_once(',')?;
        let exercise = exercise.trim().to_owned();
        match state.trim() {
            _ if !is_name(&exercise) => None,
            NOT_BEGUN => Some(At::Next(exercise)),
            "1 hint" => Some(At::Begun(exercise, 1)),
            state => Some(At::Begun(exercise, number_before(state, "hints")?)),
        }
    }

    /// Returns the name of the exercise, if there is one.
    pub(super) fn exercise(&self) -> Option<&str> {
        match self {
            At::Next(exercise) | At::Begun(exercise, _) => Some(exercise),
            At::AllPassed => None,
        }
    }
}

impl Display for At {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            At::Next(exercise) => write!(formatter, "{exercise}, {NOT_BEGUN}"),
            At::Begun(exercise, 1) => write!(formatter, "{exercise}, 1 hint"),
            At::Begun(exercise, hints) => write!(formatter, "{exercise}, {hints} hints"),
            At::AllPassed => formatter.write_str(ALL_PASSED),
        }
    }
}

/// Tells whether this may be the name of an exercise or a lesson.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// Reads the number in `2 hints`.
fn number_before(text: &str, word: &str) -> Option<usize> {
    text.trim().strip_suffix(word)?.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_written_into_it() {
        for line in [
            "pair 7 · half-day 3 of 4 · two_waits, 2 hints",
            "pair 7 · half-day 2 of 4, 1 skipped · two_waits, 1 hint",
            "0 of 48 · answer_404, not begun",
            "Zoë - the second · 48 of 48 · all passed",
        ] {
            assert_eq!(Place::in_line(line).unwrap().to_string(), line);
        }
        for other in [
            "",
            "thanks!",
            "a · b · c",
            "3 of 4 · two waits, 0 hints",
            "3 of 4 · two\u{1b}[2Jwaits, 0 hints",
            "\u{1b}[2J 3 of 4 · all passed",
            "3 of 4 · , not begun",
            "3 of x · all passed",
        ] {
            assert_eq!(Place::in_line(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_chat_says_before_a_line_when_it_was_sent_and_by_whom() {
        for (chat, name) in [
            ("[10:42] Anna: pair 7 · half-day 1 of 3 · two_waits, 0 hints", "pair 7"),
            ("[10:42, 3/11/2030] Anna: pair 7 · 1 of 3 · two_waits, 0 hints", "pair 7"),
            ("10:42:17 From Anna to Everyone : pair 7 · 1 of 3 · all passed", "pair 7"),
            ("Anna: pair 7 · 1 of 3 · all passed", "pair 7"),
            ("[10:42] Anna: 3 of 4 · two_waits, 0 hints\r", "Anna"),
            ("[10:42] 3 of 4 · two_waits, 0 hints", ""),
        ] {
            assert_eq!(Place::in_line(chat).unwrap().name, name, "{chat}");
        }
    }
}
