//! What a server writes to standard error: all of it, up to a bound, and the line that says why it has ended.

use std::collections::VecDeque;

/// How many of its first lines are kept.
const FIRST: usize = 10;

/// How many of its last lines are kept.
const LAST: usize = 60;

/// How many letters of a line are kept.
const LETTERS: usize = 300;

/// By what a line says that something is wrong, in lower case.
const FAULTS: [&str; 9] = [
    "error",
    "exception",
    "panic",
    "fatal",
    "uncaught",
    "caused by",
    "cannot",
    "could not",
    "no such",
];

/// The lines that a server has written.
#[derive(Clone, Debug, Default)]
pub struct Stderr {
    first: Vec<String>,
    last: VecDeque<String>,
    left_out: usize,
}

impl Stderr {
    /// Adds a line.
    pub fn add(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end().chars().map(|it| if it == '\t' { ' ' } else { it });
        // A terminal may take what is no letter for a command.
        let line = line.filter(|it| !it.is_control()).take(LETTERS).collect();
        if self.first.len() < FIRST {
            self.first.push(line);
            return;
        }
        self.last.push_back(line);
        if self.last.len() > LAST {
            self.last.pop_front();
            self.left_out += 1;
        }
    }

    /// Lists the lines, and where some are left out, says how many.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.first.clone();
        if self.left_out > 0 {
            lines.push(format!("... {} lines are left out here ...", self.left_out));
        }
        lines.extend(self.last.iter().cloned());
        lines
    }

    /// Picks the line that says why the server has ended: the last that names a fault and begins at the margin, as no line of a
    /// stack trace does; or the last of all.
    pub fn reason(&self) -> Option<String> {
        let lines: Vec<&String> = self.first.iter().chain(&self.last).collect();
        let Some(at) = lines.iter().rposition(|line| names_a_fault(line)) else {
            let last = lines.iter().rfind(|line| !line.trim().is_empty())?;
            return Some(last.trim().to_owned());
        };
        // Rust says where a thread panicked, and why in the next line.
        let why = lines.get(at + 1).filter(|_| lines[at].contains(" panicked at "));
        Some(why.unwrap_or(&lines[at]).to_string())
    }
}

fn names_a_fault(line: &str) -> bool {
    let lower = line.to_lowercase();
    !line.starts_with(' ') && FAULTS.iter().any(|fault| lower.contains(fault))
}

#[cfg(test)]
mod tests {
    use super::Stderr;

    fn reason(lines: &[&str]) -> Option<String> {
        let mut stderr = Stderr::default();
        lines.iter().for_each(|line| stderr.add(line.as_bytes()));
        stderr.reason()
    }

    #[test]
    fn the_reason_is_no_line_of_a_stack_trace() {
        let node = [
            "[eval]:1",
            "throw new Error(\"no\")",
            "",
            "Error: no",
            "    at f",
            "",
            "Node.js v20.20.2",
        ];
        let java = ["Exception in thread \"main\" java.lang.Error: no", "\tat Main.f(Main.java:1)"];
        let go = ["panic: no", "", "goroutine 1 [running]:", "main.main()", "exit status 2"];
        let rust = [
            "thread 'main' panicked at src/main.rs:3:5:",
            "no",
            "note: run with `RUST_BACKTRACE=1`",
        ];
        for (lines, expected) in [
            (&node[..], "Error: no"),
            (&java[..], java[0]),
            (&go[..], "panic: no"),
            (&rust[..], "no"),
            (&["it stops here", ""][..], "it stops here"),
        ] {
            assert_eq!(reason(lines).as_deref(), Some(expected));
        }
        assert_eq!(reason(&[]), None);
    }

    #[test]
    fn of_many_lines_the_first_and_the_last_are_kept() {
        let mut stderr = Stderr::default();
        (0..1000).for_each(|number| stderr.add(format!("line {number}\x1b[31m").as_bytes()));
        let lines = stderr.lines();
        assert_eq!(lines.len(), 71);
        assert_eq!(
            (lines[0].as_str(), lines[10].as_str()),
            ("line 0[31m", "... 930 lines are left out here ...")
        );
        assert_eq!(lines[70], "line 999[31m");
    }
}
