//! Shows how far a session is.

use std::{cell::Cell, io::IsTerminal, time::Instant};

use indicatif::{ProgressBar, ProgressStyle};
use records::base::say;

/// Says how far a session is, and how long it will take.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    /// Seconds that the runs not yet done will take.
    left: Cell<f64>,
    /// The start of the current run, and its expected length in seconds.
    run: Cell<Option<(Instant, f64)>>,
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
    /// A line that stays.
    pub fn say(&self, line: &str) {
        if self.on_terminal { self.bar.println(line) } else { say(line) }
    }

    /// Runs come that take so many seconds in all.
    pub fn add(&self, seconds: f64) {
        self.left.set(self.left.get() + seconds);
        self.total.set(self.total.get() + seconds);
    }

    /// A run begins that takes about so many seconds.
    pub fn start(&self, line: &str, seconds: f64) {
        self.run.set(Some((Instant::now(), seconds)));
        if !self.on_terminal {
            say(format_args!("{line}, {seconds:.0} s; {} left in all", minutes(self.left.get())));
        }
        self.bar.set_prefix(line.to_owned());
        self.tick();
    }

    pub fn tick(&self) {
        if !self.on_terminal {
            return;
        }
        let gone = |(began, seconds): (Instant, f64)| began.elapsed().as_secs_f64().min(seconds);
        let left = (self.left.get() - self.run.get().map_or(0.0, gone)).max(0.0);
        self.bar.set_position((1000.0 * (1.0 - left / self.total.get().max(1.0))) as u64);
        self.bar.set_message(format!("{} left  {}", minutes(left), self.bar.prefix()));
    }

    /// A run that was to take so many seconds is over.
    pub fn done(&self, seconds: f64) {
        self.run.set(None);
        self.left.set(self.left.get() - seconds);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A time for people.
pub fn minutes(seconds: f64) -> String {
    match seconds.max(0.0).round() as u64 {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds + 30) / 60),
    }
}
