//! What is printed at the end.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::{arrivals::Arrivals, options::Options, schedule::Schedule, tally::Tally};

/// Quantiles with their names in the table and in JSON.
const QUANTILES: [(f64, &str, &str); 5] = [
    (0.5, "50%", "p50_ms"),
    (0.75, "75%", "p75_ms"),
    (0.9, "90%", "p90_ms"),
    (0.99, "99%", "p99_ms"),
    (0.999, "99.9%", "p999_ms"),
];

/// How the connections came and stayed.
pub struct Opening {
    /// How long it took until all connections were open, and the idle connections had an answer.
    pub opened_in: Duration,
    /// How many of the idle connections never were, or had ended before the end.
    pub idle_lost: usize,
    /// How many clients had no connection when all were to ask.
    pub turned_away: usize,
}

/// What was seen of the requests.
pub struct Seen {
    /// By the clients.
    pub by_clients: Tally,
    /// By the neighbour, if there was one.
    pub by_neighbour: Tally,
}

/// A run, added up.
pub struct Report<'a> {
    options: &'a Options,
    opening: Opening,
    /// How long requests were sent, in seconds.
    seconds: f64,
    /// How many requests were due; 0 in a closed loop.
    due: u64,
    /// How many of them no client was free to send.
    never_sent: u64,
    tally: Tally,
    neighbour: Tally,
    /// Whether Ctrl-C ended it.
    pub interrupted: bool,
}

impl Report<'_> {
    /// Adds to the tally what was never sent.
    pub fn new<'a>(
        options: &'a Options,
        schedule: &Schedule,
        seen: Seen,
        opening: Opening,
        interrupted: bool,
    ) -> Report<'a> {
        let Seen { by_clients: mut tally, by_neighbour: neighbour } = seen;
        let mut never_sent = 0;
        for age in schedule.never_sent() {
            tally.add_latency(age);
            never_sent += 1;
        }
        let seconds = schedule.lasted().as_secs_f64();
        let due = schedule.count_due();
        Report { options, opening, seconds, due, never_sent, tally, neighbour, interrupted }
    }

    /// Prints it.
    pub fn print(&self, as_json: bool) {
        match as_json {
            true => println!("{:#}", self.json()),
            false => print!("{}", self.table()),
        }
    }

    /// Answers within the time, divided by the time.
    fn per_second(&self) -> f64 {
        self.tally.answered as f64 / self.seconds
    }

    /// Answers in time of the clients, or of the neighbour, divided by the time; `None` where they were not counted.
    fn in_time_per_second(&self, tally: &Tally) -> Option<f64> {
        self.options.in_time.map(|_| rounded(tally.in_time as f64 / self.seconds))
    }

    /// A figure of the latencies, in milliseconds; `None` where there is not one latency.
    fn latency_ms(&self, figure: impl Fn(&Histogram<u64>) -> f64) -> Option<f64> {
        milliseconds(&self.tally.latency, figure)
    }

    /// A figure of the latencies of the neighbour's requests, in milliseconds.
    fn neighbour_ms(&self, figure: impl Fn(&Histogram<u64>) -> f64) -> Option<f64> {
        milliseconds(&self.neighbour.latency, figure)
    }

    /// How many of the neighbour's requests failed, or were answered with another status than 2xx.
    fn neighbour_errors(&self) -> u64 {
        self.neighbour.errors() + self.neighbour.non_2xx
    }

    /// When the last answer came, in seconds from the moment at which all asked; `None` where they didn't ask together, and
    /// where none came.
    fn last_answer(&self) -> Option<f64> {
        let last = self.options.together.map(|_| self.tally.slowest_answer.as_secs_f64());
        last.filter(|_| self.tally.answered > 0)
    }

    fn json(&self) -> Value {
        let options = self.options;
        let tally = &self.tally;
        let neighbour = options.neighbour.as_deref();
        let mut latency = json!({
            // As wrk2 calls it: counted from when a request was due, so nothing is omitted.
            "corrected": options.rate.is_some(),
            "mean_ms": self.latency_ms(Histogram::mean),
            "stdev_ms": self.latency_ms(Histogram::stdev),
            "max_ms": self.latency_ms(|latency| latency.max() as f64),
        });
        for (quantile, _, name) in QUANTILES {
            latency[name] = self.latency_ms(at(quantile)).into();
        }
        json!({
            "generator": "load",
            "version": env!("CARGO_PKG_VERSION"),
            "url": options.target.url,
            "connections": options.connections,
            "connections_opened": tally.counts.opened,
            "opening_seconds": rounded(self.opening.opened_in.as_secs_f64()),
            "keep_alive": options.keep_alive,
            "idle_connections": options.idle,
            "idle_lost": self.opening.idle_lost,
            "turned_away": options.together.map(|_| self.opening.turned_away),
            "last_answer_seconds": self.last_answer().map(rounded),
            "neighbour": neighbour,
            "neighbour_requests": neighbour.map(|_| self.neighbour.answered),
            "neighbour_rate": options.neighbour_rate,
            "neighbour_mean_ms": self.neighbour_ms(Histogram::mean),
            "neighbour_p999_ms": self.neighbour_ms(at(0.999)),
            "neighbour_errors": neighbour.map(|_| self.neighbour_errors()),
            "neighbour_in_time_per_second":
                neighbour.and_then(|_| self.in_time_per_second(&self.neighbour)),
            "rate": options.rate,
            "arrivals": options.rate.map(|_| match options.arrivals {
                Arrivals::Even => "even",
                Arrivals::Poisson { .. } => "poisson",
            }),
            "seed": match options.arrivals {
                Arrivals::Even => None,
                Arrivals::Poisson { seed } => Some(seed),
            },
            "duration_seconds": rounded(self.seconds),
            "requests": tally.answered,
            "requests_per_second": rounded(self.per_second()),
            "requests_late": tally.late,
            "in_time_ms": options.in_time.map(in_ms),
            "in_time_per_second": self.in_time_per_second(tally),
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
        let options = self.options;
        let tally = &self.tally;
        let kept = if options.keep_alive { "kept" } else { "one for each request" };
        let (kind, since) = match options.rate {
            Some(rate) => {
                let random = match options.arrivals {
                    Arrivals::Even => String::new(),
                    Arrivals::Poisson { seed } => format!(" at random (seed {seed})"),
                };
                (format!("open loop, {rate} requests a second{random}"), "the moment it was due")
            }
            None if options.together.is_some() => {
                ("each asks once, all together".to_owned(), "the moment at which all asked")
            }
            None => ("closed loop".to_owned(), "its start, connecting included,"),
        };
        let mut text = format!("{}\n", options.target.url);
        text += &format!("{} connections, {kept}; {kind}; ", options.connections);
        if options.idle > 0 {
            text += &format!("{} more that are idle; ", options.idle);
        }
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
        if let (Some(limit), Some(rate)) = (options.in_time, self.in_time_per_second(tally)) {
            let limit = in_ms(limit);
            let more = format!("with status 200 within {limit} ms, {rate:.2} a second");
            row("in time", tally.in_time, &more);
        }
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
        if let Some(limit) = options.together {
            let limit = limit.as_secs_f64();
            let more = format!("not connected within {limit} s, so it never asked");
            row("turned away", self.opening.turned_away as u64, &more);
        }
        if options.idle > 0 {
            let opened_in = self.opening.opened_in.as_secs_f64();
            let more = format!("idle connections; all were open after {opened_in:.2} s");
            row("lost", self.opening.idle_lost as u64, &more);
        }
        if let Some(path) = &options.neighbour {
            let mean = self.neighbour_ms(Histogram::mean).unwrap_or(0.0);
            let slowest = self.neighbour_ms(at(0.999)).unwrap_or(0.0);
            let errors = self.neighbour_errors();
            let more = format!(
                "answers to {path}, {mean:.2} ms each, 99.9% within {slowest:.2} ms; {errors} errors"
            );
            row("neighbour", self.neighbour.answered, &more);
            if let Some(rate) = self.in_time_per_second(&self.neighbour) {
                let more = format!("of the neighbour's, {rate:.2} a second");
                row("  in time", self.neighbour.in_time, &more);
            }
        }
        if let Some(error) = &tally.first_error {
            text += &format!("an error: {error}\n");
        }
        text += &format!("\nlatency in ms, from {since} to its last byte\n");
        self.latencies(&mut text);
        text
    }

    /// The rows of the latencies.
    fn latencies(&self, text: &mut String) {
        let mut row = |name: &str, value: Option<f64>| {
            let value = value.map_or("-".to_owned(), |value| format!("{value:.2}"));
            *text += &format!("{name:<13}{value:>10}\n");
        };
        row("mean", self.latency_ms(Histogram::mean));
        row("deviation", self.latency_ms(Histogram::stdev));
        for (quantile, name, _) in QUANTILES {
            row(name, self.latency_ms(at(quantile)));
        }
        row("maximum", self.latency_ms(|latency| latency.max() as f64));
    }
}

/// The time within which this share of the requests had ended, in microseconds.
fn at(quantile: f64) -> impl Fn(&Histogram<u64>) -> f64 {
    move |latency| latency.value_at_quantile(quantile) as f64
}

/// A figure of these latencies, in milliseconds; `None` where there is not one.
fn milliseconds(latency: &Histogram<u64>, figure: impl Fn(&Histogram<u64>) -> f64) -> Option<f64> {
    (!latency.is_empty()).then(|| rounded(figure(latency) / 1000.0))
}

/// A time in milliseconds.
fn in_ms(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1000.0)
}

/// With three digits behind the point: more would pretend to a precision it doesn't have.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
