//! Shows how far a session is.

use std::{cell::Cell, io::IsTerminal, time::Instant};

use indicatif::{ProgressBar, ProgressStyle};
use records::base::say;

/// The progress of a session: a bar on a terminal, and else a line for each run.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    /// The seconds that the runs which are not done will take.
    left: Cell<f64>,
    /// The start of the current run, and its expected length in seconds.
    run: Cell<Option<(Instant, f64)>>,
    /// The seconds that all runs take.
    total: Cell<f64>,
}

impl Default for Progress {
    fn default() -> Progress {
        let on_terminal = std::io::stderr().is_terminal();
        let bar = if on_terminal { ProgressBar::new(1000) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:30} {msg}").expect("a correct template");
        let left = Cell::default();
        let run = Cell::default();
        let total = Cell::default();
        Progress { bar: bar.with_style(style), on_terminal, left, run, total }
    }
}

impl Progress {
    /// Prints a line that stays, above the bar.
    pub fn say(&self, line: &str) {
        if self.on_terminal { self.bar.println(line) } else { say(line) }
    }

    /// Adds runs that take so many seconds in all.
    pub fn add(&self, seconds: f64) {
        self.left.set(self.left.get() + seconds);
        self.total.set(self.total.get() + seconds);
    }

    /// Begins a run that takes about so many seconds.
    pub fn start(&self, line: &str, seconds: f64) {
        self.run.set(Some((Instant::now(), seconds)));
        if !self.on_terminal {
            say(format_args!("{line}, {seconds:.0} s; {} left in all", minutes(self.left.get())));
        }
        self.bar.set_prefix(line.to_owned());
        self.tick();
    }

    /// Draws the bar anew.
    pub fn tick(&self) {
        if !self.on_terminal {
            return;
        }
        let gone = match self.run.get() {
            Some((began, seconds)) => began.elapsed().as_secs_f64().min(seconds),
            None => 0.0,
        };
        let left = (self.left.get() - gone).max(0.0);
        self.bar.set_position((1000.0 * (1.0 - left / self.total.get().max(1.0))) as u64);
        self.bar.set_message(format!("{} left  {}", minutes(left), self.bar.prefix()));
    }

    /// Ends a run that was to take so many seconds.
    pub fn done(&self, seconds: f64) {
        self.run.set(None);
        self.left.set(self.left.get() - seconds);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Writes a time for people: in seconds up to 99, then in minutes.
pub fn minutes(seconds: f64) -> String {
    match seconds.max(0.0).round() as u64 {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds + 30) / 60),
    }
}
