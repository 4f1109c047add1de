//! What is printed at the end.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::{options::Options, schedule::Schedule, tally::Tally};

/// Quantiles with their names in the table and in JSON.
const QUANTILES: [(f64, &str, &str); 5] = [
    (0.5, "50 %", "p50_ms"),
    (0.75, "75 %", "p75_ms"),
    (0.9, "90 %", "p90_ms"),
    (0.99, "99 %", "p99_ms"),
    (0.999, "99.9 %", "p999_ms"),
];

/// A run, added up.
pub struct Report<'a> {
    options: &'a Options,
    /// How long requests were sent, in seconds.
    seconds: f64,
    /// How many requests were due; 0 in a closed loop.
    due: u64,
    /// How many of them no client was free to send.
    never_sent: u64,
    tally: Tally,
    /// Whether Ctrl-C ended it.
    pub interrupted: bool,
}

impl Report<'_> {
    /// Adds to the tally what was never sent.
    pub fn new<'a>(
        options: &'a Options,
        schedule: &Schedule,
        mut tally: Tally,
        interrupted: bool,
    ) -> Report<'a> {
        let mut never_sent = 0;
        for age in schedule.never_sent() {
            tally.add_latency(age);
            never_sent += 1;
        }
        let (seconds, due) = (schedule.lasted().as_secs_f64(), schedule.count_due());
        Report { options, seconds, due, never_sent, tally, interrupted }
    }

    /// Prints it, and does not mind if nobody listens.
    pub fn print(&self, as_json: bool) {
        let text = if as_json { format!("{:#}\n", self.json()) } else { self.table() };
        let _ = io::stdout().write_all(text.as_bytes());
    }

    /// Answers within the time, divided by the time.
    fn per_second(&self) -> f64 {
        self.tally.answered as f64 / self.seconds
    }

    fn json(&self) -> Value {
        let (options, tally) = (self.options, &self.tally);
        let mut latency = json!({
            // As wrk2 calls it: counted from when a request was due, so nothing is omitted.
            "corrected": options.rate.is_some(),
            "mean_ms": rounded(tally.latency.mean() / 1000.0),
            "stdev_ms": rounded(tally.latency.stdev() / 1000.0),
            "max_ms": ms(tally.latency.max()),
        });
        for (quantile, _, name) in QUANTILES {
            latency[name] = ms(tally.latency.value_at_quantile(quantile)).into();
        }
        json!({
            "generator": "load",
            "version": env!("CARGO_PKG_VERSION"),
            "url": options.target.url,
            "connections": options.connections,
            "connections_opened": tally.counts.opened,
            "keep_alive": options.keep_alive,
            "rate": options.rate,
            "duration_seconds": rounded(self.seconds),
            "requests": tally.answered,
            "requests_per_second": rounded(self.per_second()),
            "requests_late": tally.late,
            "due": options.rate.map(|_| self.due),
            "sent": tally.counts.sent,
            "never_sent": self.never_sent,
            "unanswered": tally.unanswered,
            "errors_connect": tally.connect_errors,
            "errors_read": tally.read_errors,
            "errors_write": tally.write_errors,
            "errors_timeout": tally.timeouts,
            "first_error": tally.first_error,
            "non_2xx": tally.non_2xx,
            "transfer_bytes": tally.counts.received,
            "interrupted": self.interrupted,
            "latency": latency,
        })
    }

    fn table(&self) -> String {
        let (options, tally) = (self.options, &self.tally);
        let kept = if options.keep_alive { "kept" } else { "one for each request" };
        let (kind, since) = match options.rate {
            Some(rate) => (format!("open loop, {rate} requests a second"), "the moment it was due"),
            None => ("closed loop".to_owned(), "its start, connecting included,"),
        };
        let mut text = format!("{}\n", options.target.url);
        text += &format!("{} connections, {kept}; {kind}; ", options.connections);
        text += &format!(
            "{:.2} s{}\n\n",
            self.seconds,
            if self.interrupted { ", then Ctrl-C" } else { "" }
        );
        let megabytes = tally.counts.received as f64 / 1e6;
        let mut row = |name: &str, count: u64, more: &str| {
            text += format!("{name:<13}{count:>10}   {more}").trim_end();
            text += "\n";
        };
        if options.rate.is_some() {
            row("due", self.due, "");
            row("never sent", self.never_sent, "no connection was free for them");
        }
        row("sent", tally.counts.sent, "");
        row("answered", tally.answered, &format!("{:.2} a second", self.per_second()));
        row("late", tally.late, "answered in the second after the end");
        row("unanswered", tally.unanswered, "no answer at all");
        let errors = [
            ("connect", tally.connect_errors),
            ("read", tally.read_errors),
            ("write", tally.write_errors),
            ("timeout", tally.timeouts),
        ];
        let errors = errors.map(|(name, count)| format!("{name} {count}")).join(", ");
        row("errors", tally.errors(), &errors);
        row("not 2xx", tally.non_2xx, "answers with another status");
        row("opened", tally.counts.opened, &format!("connections; {megabytes:.2} MB received"));
        if let Some(error) = &tally.first_error {
            text += &format!("first error: {error}\n");
        }
        text += &format!("\nlatency in ms, from {since} to its last byte\n");
        let mut row = |name: &str, value: f64| text += &format!("{name:<13}{value:>10.2}\n");
        row("mean", tally.latency.mean() / 1000.0);
        row("deviation", tally.latency.stdev() / 1000.0);
        for (quantile, name, _) in QUANTILES {
            row(name, ms(tally.latency.value_at_quantile(quantile)));
        }
        row("maximum", ms(tally.latency.max()));
        text
    }
}

/// Microseconds as milliseconds.
fn ms(microseconds: u64) -> f64 {
    microseconds as f64 / 1000.0
}

/// To three digits behind the point: more would pretend to a precision that nobody has.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
