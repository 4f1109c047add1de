//! Parses the output of wrk.

use anyhow::{Context, Result};
use records::figures::Figures;

use super::numbers::{milliseconds, plain, require, scaled, sum_errors};
use crate::figures::{self, set};

pub fn parse(text: &str) -> Result<Figures> {
    // wrk prints no line for what did not happen.
    let absent = ["errors_connect", "errors_read", "errors_write", "timeouts", "non_2xx"];
    let mut figures = figures::named(absent.map(|name| (name, Some(0.0))));
    let mut in_distribution = false;
    for line in text.lines().map(str::trim) {
        in_distribution |= line.starts_with("Latency Distribution");
        match line.strip_prefix("Socket errors:") {
            Some(list) => socket_errors(line, list, &mut figures)?,
            None => one_line(line, in_distribution, &mut figures)?,
        }
    }
    let always = ["requests", "requests_per_second", "latency_mean_ms", "concurrency"];
    require("wrk", &figures, &always)?;
    sum_errors(&mut figures, &["errors_connect", "errors_read", "errors_write", "non_2xx"]);
    Ok(figures)
}

/// Parses `connect 0, read 12, write 0, timeout 3`.
fn socket_errors(line: &str, list: &str, figures: &mut Figures) -> Result<()> {
    for part in list.split(',') {
        let (kind, count) = part
            .trim()
            .split_once(' ')
            .with_context(|| format!("wrk's line `{line}` has no counts"))?;
        match kind {
            "timeout" => set(figures, "timeouts", plain(count)?),
            kind => set(figures, &format!("errors_{kind}"), plain(count)?),
        }
    }
    Ok(())
}

fn one_line(line: &str, in_distribution: bool, figures: &mut Figures) -> Result<()> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [threads, "threads", "and", connections, "connections"] => {
            let (threads, asked) = (plain(threads)?, plain(connections)?);
            set(figures, "tool_threads", threads);
            // It prints how many it was asked for; each of its threads opens the same number of them.
            set(figures, "concurrency", (asked / threads.max(1.0)).floor() * threads);
        }
        ["Latency", "Distribution", ..] => {}
        ["Latency", mean, stdev, max, _] => {
            set(figures, "latency_mean_ms", milliseconds(mean)?);
            set(figures, "latency_stdev_ms", milliseconds(stdev)?);
            set(figures, "latency_max_ms", milliseconds(max)?);
        }
        ["Req/Sec", mean, stdev, max, _] => {
            set(figures, "thread_requests_per_second_mean", scaled(mean, 1000.0)?);
            set(figures, "thread_requests_per_second_stdev", scaled(stdev, 1000.0)?);
            set(figures, "thread_requests_per_second_max", scaled(max, 1000.0)?);
        }
        [percent, time] if in_distribution && percent.ends_with('%') => {
            let percent = percent.trim_end_matches('%');
            set(figures, &format!("latency_p{percent}_ms"), milliseconds(time)?);
        }
        [requests, "requests", "in", duration, bytes, "read"] => {
            set(figures, "requests", plain(requests)?);
            let seconds = milliseconds(duration.trim_end_matches(','))? / 1000.0;
            set(figures, "duration_seconds", seconds);
            set(figures, "transfer_bytes", scaled(bytes, 1024.0)?);
        }
        ["Requests/sec:", rate] => set(figures, "requests_per_second", plain(rate)?),
        ["Transfer/sec:", rate] => set(figures, "transfer_bytes_per_second", scaled(rate, 1024.0)?),
        ["Non-2xx", "or", "3xx", "responses:", count] => set(figures, "non_2xx", plain(count)?),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{expect, fixture};

    #[test]
    fn figures_are_read() {
        for (name, expected) in [
            // It was asked for 500 connections, and opened 41 in each thread.
            (
                "wrk-timeouts",
                "tool_threads 12, concurrency 492, latency_mean_ms 1000, latency_stdev_ms 564.67, latency_max_ms 1910, \
                 thread_requests_per_second_mean 9.07, requests 40, duration_seconds 4.1, transfer_bytes 5959.68, \
                 timeouts 21, errors_connect 0, errors 0, requests_per_second 9.76, transfer_bytes_per_second 1454.08",
            ),
            (
                "wrk-latency",
                "latency_p50_ms 0.626, latency_p99_ms 6.99, thread_requests_per_second_mean 11600, \
                 transfer_bytes 13537116.16",
            ),
            ("wrk-root", "requests 52778, errors 0"),
            ("wrk-non2xx", "non_2xx 24150, errors 24150, requests 24150"),
        ] {
            expect(&parse(&fixture(name)).unwrap(), expected);
        }
        let errors = "Socket errors: connect 1, read 52778, write 3, timeout 4\nRequests/sec:";
        let text = fixture("wrk-root").replace("Requests/sec:", errors);
        expect(&parse(&text).unwrap(), "errors_read 52778, timeouts 4, errors 52782");
    }

    #[test]
    fn without_a_single_answer_there_is_no_spread() {
        let text = "Running 1s test @ http://127.0.0.1:1/\n  2 threads and 20 connections\n  \
            Thread Stats   Avg      Stdev     Max   +/- Stdev\n    \
            Latency     0.00us    0.00us   0.00us    -nan%\n    Req/Sec     0.00      0.00     0.00      -nan%\n  \
            0 requests in 1.00s, 0.00B read\nRequests/sec:      0.00\nTransfer/sec:       0.00B\n";
        expect(&parse(text).unwrap(), "requests 0, transfer_bytes 0");
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        for text in ["unable to connect to 127.0.0.1:27199 Connection refused\n", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
