//! Whether the figures of one output fit together, and to what was asked for.
//!
//! A generator whose clock was set during the run prints a rate that no server had. Such a run does not count.

use records::{base::number, figures::Figures, sketch::seconds_asked};

use crate::figures::get;

/// How much a rate may differ from requests divided by seconds, as a part of it: generators round.
const ROUNDED: f64 = 0.01;

/// How much longer than asked for a run may take, as a part of that and in seconds besides: answers come late.
const LONGER: (f64, f64) = (0.1, 1.0);

/// How much shorter than asked for a run may be, in seconds.
const SHORTER: f64 = 0.1;

/// How much later than its own clock's end we may see a run end, in seconds.
const UNSEEN: f64 = 0.5;

/// Why the figures of this command line contradict each other, if they do. `elapsed`: for how long it ran by our own
/// clock, in seconds.
pub fn contradiction(generator: &[String], figures: &Figures, elapsed: f64) -> Option<String> {
    let tool = generator.first()?.as_str();
    // Two of them count in their rate what was not answered.
    let counted = if matches!(tool, "drill" | "oha") { "sent" } else { "requests" };
    let requests = get(figures, counted)?;
    let rate = get(figures, "requests_per_second")?;
    let Some(seconds) = get(figures, "duration_seconds") else {
        return no_rate(tool, requests, rate);
    };
    if let Some(asked) = seconds_asked(generator) {
        let most = asked * (1.0 + LONGER.0) + LONGER.1;
        if seconds > most || seconds < asked - SHORTER {
            return Some(format!(
                "{tool} was asked for {asked} s, and printed that it ran for {} s",
                number(seconds, 2)
            ));
        }
    }
    // To which part of a second it prints its time: wrk has a hundredth of a minute where that is above one.
    let rounding = match tool {
        "drill" => 0.05,
        "wrk" if seconds >= 60.0 => 0.3,
        _ => 0.005,
    };
    let off = (requests - rate * seconds).abs();
    if off > requests.max(rate * seconds) * ROUNDED + rate * rounding + 1.0 {
        let words = number(requests / seconds, 2);
        let [requests, rate] = [(requests, 0), (rate, 2)].map(|(it, digits)| number(it, digits));
        return Some(format!(
            "{tool} contradicts itself: {requests} requests in {seconds} s are {words} per second, and it printed {rate}"
        ));
    }
    if seconds > elapsed + UNSEEN {
        let [seconds, elapsed] = [seconds, elapsed].map(|it| number(it, 2));
        return Some(format!("{tool} printed that it ran for {seconds} s, and it was {elapsed} s"));
    }
    no_rate(tool, requests, rate)
}

/// Requests without a rate, or a rate without requests.
fn no_rate(tool: &str, requests: f64, rate: f64) -> Option<String> {
    ((requests > 0.0) != (rate > 0.0)).then(|| {
        let [requests, rate] = [(requests, 0), (rate, 2)].map(|(it, digits)| number(it, digits));
        format!("{tool} contradicts itself: {requests} requests, and {rate} per second")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse::output, testing::fixture};

    fn of(line: &str, text: &str, elapsed: f64) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let figures = output(words.first().map(String::as_str), text).unwrap();
        contradiction(&words, &figures, elapsed).unwrap_or_default()
    }

    #[test]
    fn real_output_fits_together() {
        for (line, name) in [
            ("wrk -t12 -c500 -d4s http://h/", "wrk-timeouts"),
            ("ab -c 100 -n 500 http://h/", "ab-tenth"),
            ("oha -z 2s http://h/", "oha-deadline"),
            ("drill --stats", "drill-sleep"),
            ("drill --stats", "drill-stopped"),
        ] {
            assert_eq!(of(line, &fixture(name), 60.0), "", "{name}");
        }
    }

    /// The clock was set back while wrk ran; its other lines are those of a run of a second.
    #[test]
    fn a_time_that_can_not_be_makes_a_run_void() {
        let line = "wrk -t2 -c50 -d1s http://127.0.0.1:8080/";
        let text = fixture("wrk-clock-set-back");
        let why = of(line, &text, 1.1);
        assert!(
            why.starts_with("wrk was asked for 1 s, and printed that it ran for 18,446,"),
            "{why}"
        );
        let text = fixture("wrk-timeouts");
        let asked = |line: &str, text: &str, elapsed| of(line, text, elapsed);
        for (line, text, elapsed, words) in [
            ("wrk -d4s", text.replace(" 4.10s", " 4.50s"), 60.0, "it printed 9.76"),
            ("wrk -d4s", text.replace("9.76", "0.00"), 60.0, "it printed 0.00"),
            (
                "wrk -d9s",
                text.clone(),
                60.0,
                "was asked for 9 s, and printed that it ran for 4.10 s",
            ),
            (
                "wrk",
                text.replace("9.76", "0.00").replace("40 req", "1 req"),
                60.0,
                "and 0.00 per second",
            ),
            ("wrk", text.clone(), 2.0, "ran for 4.10 s, and it was 2.00 s"),
            (
                "ab -n 500",
                fixture("ab-tenth").replace("2.032", "20.32"),
                60.0,
                "ab contradicts itself",
            ),
            ("oha -z 9s", fixture("oha-deadline"), 60.0, "oha was asked for 9 s"),
            (
                "drill",
                fixture("drill-sleep").replace("421.01", "4210.01"),
                60.0,
                "drill contradicts",
            ),
        ] {
            let why = asked(line, &text, elapsed);
            assert!(why.contains(words), "{line}: {why}");
        }
    }
}
