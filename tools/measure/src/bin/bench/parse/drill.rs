//! Parses the output of `drill --stats --nanosec --quiet`.

use anyhow::{Context, Result};
use records::figures::Figures;

use super::numbers::{plain, require};
use crate::figures;

/// The lines that are read, and the figure in each.
const LINES: [(&str, &str); 9] = [
    ("Time taken for tests", "duration_seconds"),
    ("Total requests", "sent"),
    // What it calls successful has a status of 2xx. Another status counts as a failure, as does no answer.
    ("Successful requests", "requests"),
    ("Failed requests", "errors"),
    ("Requests per second", "requests_per_second"),
    ("Median time per request", "latency_p50_ms"),
    ("Average time per request", "latency_mean_ms"),
    ("Sample standard deviation", "latency_stdev_ms"),
    ("99.0'th percentile", "latency_p99_ms"),
];

pub fn parse(text: &str) -> Result<Figures> {
    let mut figures = Figures::new();
    for line in text.lines() {
        // The lines of a single step of the plan begin with its name, and are the same again.
        let Some((name, value)) = line.split_once("  ") else { continue };
        let Some(value) = value.split_whitespace().next() else { continue };
        let Some((_, figure)) = LINES.iter().find(|(known, _)| *known == name) else { continue };
        let value = if figure.starts_with("latency_") {
            let digits = value.strip_suffix("ns").context("drill was not asked for --nanosec")?;
            plain(digits)? / 1e6
        } else {
            plain(value)?
        };
        figures::set(&mut figures, figure, value);
    }
    require("drill", &figures, &["requests", "requests_per_second", "sent", "errors"])?;
    if figures["errors"] > 0.0 {
        // Its times are of all requests, those that nobody answered included.
        figures.retain(|name, _| !name.starts_with("latency_"));
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{expect, fixture};

    #[test]
    fn a_server_that_waits() {
        let expected = "requests 200, sent 200, errors 0, requests_per_second 421.01, duration_seconds 0.5, \
            latency_p50_ms 103.935, latency_mean_ms 104.98816, latency_p99_ms 112.127";
        expect(&parse(&fixture("drill-sleep")).unwrap(), expected);
        let in_ms = fixture("drill-sleep").replace("000ns", "ms");
        assert!(parse(&in_ms).is_err());
        assert!(parse("Concurrency 50\n").unwrap_err().to_string().contains("no requests"));
    }

    /// Its rate counts what failed; nobody answered a single one of these.
    #[test]
    fn a_server_that_has_stopped() {
        let figures = parse(&fixture("drill-stopped")).unwrap();
        let expected = "requests 0, sent 4500, errors 4500, requests_per_second 25141.02";
        expect(&figures, expected);
        assert!(!figures.contains_key("latency_p50_ms"));
    }
}
