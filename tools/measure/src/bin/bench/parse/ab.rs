//! Parses the output of ab.

use anyhow::Result;
use records::figures::Figures;

use super::numbers::{plain, require, sum_errors};
use crate::figures::{self, set};

/// The lines with a single number, and the figure that it is.
const LINES: [(&str, &str); 10] = [
    ("Concurrency Level", "concurrency"),
    ("Time taken for tests", "duration_seconds"),
    ("Complete requests", "requests"),
    ("Failed requests", "failed"),
    ("Write errors", "errors_write"),
    ("Non-2xx responses", "non_2xx"),
    ("Total transferred", "total_bytes"),
    ("HTML transferred", "html_bytes"),
    ("Requests per second", "requests_per_second"),
    ("Transfer rate", "transfer_bytes_per_second"),
];

pub fn parse(text: &str) -> Result<Figures> {
    // ab prints no line for what did not happen.
    let failed = ["failed_connect", "failed_receive", "failed_length", "failed_exceptions"];
    let mut figures = figures::named(failed.map(|name| (name, Some(0.0))));
    figures.extend(figures::named([("errors_write", Some(0.0)), ("non_2xx", Some(0.0))]));
    for line in text.lines().map(str::trim) {
        one_line(line, &mut figures)?;
    }
    require("ab", &figures, &["requests", "requests_per_second", "duration_seconds", "failed"])?;
    for (name, same) in [("errors_connect", "failed_connect"), ("errors_read", "failed_receive")] {
        let value = figures[same];
        set(&mut figures, name, value);
    }
    // Not failed_length: the bodies of /tenth differ in length, and ab takes the first one's for the right one.
    let kinds =
        ["failed_connect", "failed_receive", "failed_exceptions", "errors_write", "non_2xx"];
    sum_errors(&mut figures, &kinds);
    Ok(figures)
}

fn one_line(line: &str, figures: &mut Figures) -> Result<()> {
    // `(Connect: 0, Receive: 0, Length: 491, Exceptions: 0)`
    if let Some(list) = line.strip_prefix('(').and_then(|line| line.strip_suffix(')')) {
        for (kind, count) in list.split(',').filter_map(|part| part.trim().split_once(": ")) {
            set(figures, &format!("failed_{}", kind.to_lowercase()), plain(count)?);
        }
        return Ok(());
    }
    // `  99%   2004`
    if let Some((percent, time)) = line.split_once('%') {
        let time = time.split_whitespace().next();
        if let (Ok(percent), Some(time)) = (percent.parse::<u8>(), time) {
            set(figures, &format!("latency_p{percent}_ms"), plain(time)?);
        }
        return Ok(());
    }
    let Some((name, value)) = line.split_once(':') else { return Ok(()) };
    let words: Vec<&str> = value.split_whitespace().collect();
    if let Some(first) = words.first()
        && let Some((_, figure)) = LINES.iter().find(|(known, _)| *known == name)
    {
        // ab's Kbyte has 1024 bytes.
        let unit = if name == "Transfer rate" { 1024.0 } else { 1.0 };
        set(figures, figure, plain(first)? * unit);
    }
    // Of the four lines of connection times, the one over the whole request.
    if let ("Total", [_min, mean, stdev, _median, max]) = (name, &words[..]) {
        set(figures, "latency_mean_ms", plain(mean)?);
        set(figures, "latency_stdev_ms", plain(stdev)?);
        set(figures, "latency_max_ms", plain(max)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{expect, fixture};

    #[test]
    fn figures_are_read() {
        let expected = "concurrency 100, duration_seconds 2.032, requests 500, failed 491, failed_length 491, \
            failed_receive 0, errors 0, total_bytes 80492, html_bytes 12492, requests_per_second 246.04, \
            transfer_bytes_per_second 39608.32, latency_mean_ms 205, latency_stdev_ms 600.6, latency_max_ms 2008, \
            latency_p50_ms 5, latency_p90_ms 2002, latency_p100_ms 2008";
        expect(&parse(&fixture("ab-tenth")).unwrap(), expected);
        expect(&parse(&fixture("ab-non2xx")).unwrap(), "non_2xx 100, errors 100");
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        let refused = "This is ApacheBench, Version 2.3 <$Revision$>\n\
            Benchmarking 127.0.0.1 (be patient)...apr_socket_recv: Connection refused (111)\n";
        assert!(parse(refused).unwrap_err().to_string().contains("printed no requests"));
    }
}
