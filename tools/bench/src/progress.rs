//! How far a session is.

use std::{io::IsTerminal, time::Instant};

use base::say;
use indicatif::{ProgressBar, ProgressStyle};

/// Says how far a session is, and how long it will take.
pub struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    /// Seconds that the runs not yet done will take.
    left: f64,
    /// When the present run began, and how long it will take.
    run: Option<(Instant, f64)>,
    total: f64,
}

impl Progress {
    /// For runs that take so many seconds in all.
    pub fn new(total: f64) -> Progress {
        let on_terminal = std::io::stderr().is_terminal();
        let bar = if on_terminal { ProgressBar::new(1000) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:30} {msg}").expect("a correct template");
        Progress { bar: bar.with_style(style), on_terminal, left: total, run: None, total }
    }

    /// A line that stays.
    pub fn say(&self, line: &str) {
        if self.on_terminal { self.bar.println(line) } else { say(line) }
    }

    /// A run begins that takes about so many seconds.
    pub fn start(&mut self, line: &str, seconds: f64) {
        self.run = Some((Instant::now(), seconds));
        if !self.on_terminal {
            say(format_args!("{line}, {seconds:.0} s; {} left in all", minutes(self.left)));
        }
        self.bar.set_prefix(line.to_owned());
        self.tick();
    }

    /// Shows the time that is left.
    pub fn tick(&self) {
        if !self.on_terminal {
            return;
        }
        let gone =
            self.run.map_or(0.0, |(began, seconds)| began.elapsed().as_secs_f64().min(seconds));
        let left = (self.left - gone).max(0.0);
        self.bar.set_position((1000.0 * (1.0 - left / self.total.max(1.0))) as u64);
        self.bar.set_message(format!("{} left  {}", minutes(left), self.bar.prefix()));
    }

    /// A run that was to take so many seconds is over.
    pub fn done(&mut self, seconds: f64) {
        self.run = None;
        self.left -= seconds;
    }

    /// One more run comes, of so many seconds.
    pub fn add(&mut self, seconds: f64) {
        self.left += seconds;
        self.total += seconds;
    }

    /// Takes the bar away.
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
}
