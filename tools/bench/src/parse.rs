//! Reads what the generators print: wrk, ab, load, oha and drill.

use anyhow::{Context, Result, bail};
use records::figures::Figures;
use serde_json::Value;

/// The figures in wrk's output.
///
/// # Errors
/// When a line that wrk always prints is missing.
pub fn wrk(text: &str) -> Result<Figures> {
    let mut figures = Figures::new();
    let mut set = |name: &str, value: f64| {
        figures.insert(name.to_owned(), Some(value));
    };
    // wrk prints no line for what did not happen.
    for name in ["errors_connect", "errors_read", "errors_write", "timeouts", "non_2xx"] {
        set(name, 0.0);
    }
    let mut in_distribution = false;
    for line in text.lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [threads, "threads", "and", connections, "connections"] => {
                set("tool_threads", plain(threads)?);
                set("concurrency", plain(connections)?);
            }
            ["Latency", "Distribution", ..] => in_distribution = true,
            ["Latency", mean, stdev, max, _] => {
                set("latency_mean_ms", milliseconds(mean)?);
                set("latency_stdev_ms", milliseconds(stdev)?);
                set("latency_max_ms", milliseconds(max)?);
            }
            ["Req/Sec", mean, stdev, max, _] => {
                set("thread_requests_per_second_mean", scaled(mean, 1000.0)?);
                set("thread_requests_per_second_stdev", scaled(stdev, 1000.0)?);
                set("thread_requests_per_second_max", scaled(max, 1000.0)?);
            }
            [percent, time] if in_distribution && percent.ends_with('%') => {
                let percent = percent.trim_end_matches('%');
                set(&format!("latency_p{percent}_ms"), milliseconds(time)?);
            }
            [requests, "requests", "in", duration, bytes, "read"] => {
                set("requests", plain(requests)?);
                set("duration_seconds", milliseconds(duration.trim_end_matches(','))? / 1000.0);
                set("transfer_bytes", scaled(bytes, 1024.0)?);
            }
            ["Requests/sec:", rate] => set("requests_per_second", plain(rate)?),
            ["Transfer/sec:", rate] => set("transfer_bytes_per_second", scaled(rate, 1024.0)?),
            ["Non-2xx", "or", "3xx", "responses:", count] => set("non_2xx", plain(count)?),
            _ => {
                if let Some(list) = line.strip_prefix("Socket errors:") {
                    for part in list.split(',') {
                        let (kind, count) = part
                            .trim()
                            .split_once(' ')
                            .with_context(|| format!("wrk's line `{line}` has no counts"))?;
                        match kind {
                            "timeout" => set("timeouts", plain(count)?),
                            kind => set(&format!("errors_{kind}"), plain(count)?),
                        }
                    }
                }
            }
        }
    }
    require(
        "wrk",
        &figures,
        &["requests", "requests_per_second", "latency_mean_ms", "concurrency"],
    )?;
    let kinds = ["errors_connect", "errors_read", "errors_write", "non_2xx"];
    sum(&mut figures, "errors", &kinds);
    Ok(figures)
}

/// The figures in ab's output.
///
/// # Errors
/// When a line that ab prints at the end of a whole run is missing.
pub fn ab(text: &str) -> Result<Figures> {
    let mut figures = Figures::new();
    let mut set = |name: &str, value: f64| {
        figures.insert(name.to_owned(), Some(value));
    };
    // ab prints no line for what did not happen.
    for name in [
        "failed_connect",
        "failed_receive",
        "failed_length",
        "failed_exceptions",
        "errors_write",
        "non_2xx",
    ] {
        set(name, 0.0);
    }
    for line in text.lines().map(str::trim) {
        if let Some(list) = line.strip_prefix('(').and_then(|line| line.strip_suffix(')')) {
            for part in list.split(',') {
                if let Some((kind, count)) = part.trim().split_once(": ") {
                    set(&format!("failed_{}", kind.to_lowercase()), plain(count)?);
                }
            }
            continue;
        }
        if let Some((percent, time)) = line.split_once('%') {
            let time = time.split_whitespace().next();
            if let (Ok(percent), Some(time)) = (percent.parse::<u8>(), time) {
                set(&format!("latency_p{percent}_ms"), plain(time)?);
            }
            continue;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        let words: Vec<&str> = value.split_whitespace().collect();
        let Some(first) = words.first() else { continue };
        match name {
            "Concurrency Level" => set("concurrency", plain(first)?),
            "Time taken for tests" => set("duration_seconds", plain(first)?),
            "Complete requests" => set("requests", plain(first)?),
            "Failed requests" => set("failed", plain(first)?),
            "Write errors" => set("errors_write", plain(first)?),
            "Non-2xx responses" => set("non_2xx", plain(first)?),
            "Total transferred" => set("total_bytes", plain(first)?),
            "HTML transferred" => set("html_bytes", plain(first)?),
            "Requests per second" => set("requests_per_second", plain(first)?),
            // ab's Kbyte has 1024 bytes.
            "Transfer rate" => set("transfer_bytes_per_second", plain(first)? * 1024.0),
            // Of the four lines of connection times, the one over the whole request.
            "Total" => {
                if let [_min, mean, stdev, _median, max] = words[..] {
                    set("latency_mean_ms", plain(mean)?);
                    set("latency_stdev_ms", plain(stdev)?);
                    set("latency_max_ms", plain(max)?);
                }
            }
            _ => {}
        }
    }
    require("ab", &figures, &["requests", "requests_per_second", "duration_seconds", "failed"])?;
    for (name, same) in [("errors_connect", "failed_connect"), ("errors_read", "failed_receive")] {
        let value = figures[same];
        figures.insert(name.to_owned(), value);
    }
    // Not failed_length: the bodies of /tenth differ in length, and ab takes the first one's for the right one.
    let kinds =
        ["failed_connect", "failed_receive", "failed_exceptions", "errors_write", "non_2xx"];
    sum(&mut figures, "errors", &kinds);
    Ok(figures)
}

/// The figures in what `load --json` prints.
///
/// # Errors
/// When it is not that, or lacks what `load` always prints.
pub fn load(text: &str) -> Result<Figures> {
    let report: Value = serde_json::from_str(text).context("load printed no JSON")?;
    let mut figures = Figures::new();
    let mut take = |name: &str, pointer: &str| {
        figures.insert(name.to_owned(), report.pointer(pointer).and_then(Value::as_f64));
    };
    take("concurrency", "/connections");
    for name in [
        "connections_opened",
        "opening_seconds",
        "idle_connections",
        "idle_lost",
        "duration_seconds",
        "requests",
        "requests_per_second",
        "sent",
        "requests_late",
        "due",
        "never_sent",
        "unanswered",
        "errors_connect",
        "errors_read",
        "errors_write",
        "errors_timeout",
        "non_2xx",
        "transfer_bytes",
    ] {
        take(name, &format!("/{name}"));
    }
    for name in ["mean", "stdev", "max", "p50", "p75", "p90", "p99", "p999"] {
        take(&format!("latency_{name}_ms"), &format!("/latency/{name}_ms"));
    }
    require_values("load", &figures, &["requests", "requests_per_second", "concurrency", "sent"])?;
    // A request that load gave up is one that failed. wrk goes on waiting for it.
    // A connection that should have been idle and was not there makes the run another one.
    let kinds =
        ["errors_connect", "errors_read", "errors_write", "errors_timeout", "non_2xx", "idle_lost"];
    sum(&mut figures, "errors", &kinds);
    Ok(figures)
}

/// The figures in what `oha --no-tui --output-format json` prints.
///
/// # Errors
/// When it is not that, or lacks what oha always prints.
pub fn oha(text: &str) -> Result<Figures> {
    let report: Value = serde_json::from_str(text).context("oha printed no JSON")?;
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64);
    let mut figures = Figures::new();
    let mut set = |name: &str, value: Option<f64>| {
        figures.insert(name.to_owned(), value);
    };
    // Its times are in seconds.
    let milliseconds = |pointer: &str| number(pointer).map(|seconds| seconds * 1000.0);
    set("duration_seconds", number("/summary/total"));
    set("requests_per_second", number("/summary/requestsPerSec"));
    set("latency_mean_ms", milliseconds("/summary/average"));
    set("latency_max_ms", milliseconds("/summary/slowest"));
    set("transfer_bytes", number("/summary/totalData"));
    for percent in ["p50", "p75", "p90", "p95", "p99"] {
        set(
            &format!("latency_{percent}_ms"),
            milliseconds(&format!("/latencyPercentiles/{percent}")),
        );
    }
    set("latency_p999_ms", milliseconds("/latencyPercentiles/p99.9"));
    let counts = |pointer: &str| report.pointer(pointer).and_then(Value::as_object);
    let total = |counts: Option<&serde_json::Map<String, Value>>, wanted: &dyn Fn(&str) -> bool| {
        let wanted = counts.into_iter().flatten().filter(|(name, _)| wanted(name));
        wanted.filter_map(|(_, count)| count.as_f64()).fold(0.0, |sum, count| sum + count)
    };
    let codes = counts("/statusCodeDistribution");
    let errors = counts("/errorDistribution");
    let ended = |name: &str| name.contains("deadline");
    let late = |name: &str| name.contains("timeout");
    let answered = total(codes, &|_| true);
    let unanswered = total(errors, &ended);
    let failed = total(errors, &|name| !ended(name) && !late(name));
    let late = total(errors, &late);
    let non_2xx = total(codes, &|code| !code.starts_with('2'));
    set("requests", codes.map(|_| answered));
    set("unanswered", Some(unanswered));
    set("sent", Some(answered + unanswered + failed + late));
    set("errors_timeout", Some(late));
    set("non_2xx", Some(non_2xx));
    // What was under way at the end is no error.
    set("errors", Some(failed + late + non_2xx));
    require_values("oha", &figures, &["requests", "requests_per_second", "duration_seconds"])?;
    Ok(figures)
}

/// The figures in what `drill --stats --nanosec --quiet` prints.
///
/// # Errors
/// When a line that drill always prints at the end is missing.
pub fn drill(text: &str) -> Result<Figures> {
    let mut figures = Figures::new();
    for line in text.lines() {
        // The lines of a single step of the plan begin with its name, and are the same again.
        let Some((name, value)) = line.split_once("  ") else { continue };
        let Some(value) = value.split_whitespace().next() else { continue };
        let mut set = |name: &str, value: f64| {
            figures.insert(name.to_owned(), Some(value));
        };
        let milliseconds = |text: &str| -> Result<f64> {
            let digits = text.strip_suffix("ns").context("drill was not asked for --nanosec")?;
            Ok(plain(digits)? / 1e6)
        };
        match name {
            "Time taken for tests" => set("duration_seconds", plain(value)?),
            "Total requests" => set("sent", plain(value)?),
            // What it calls successful has a status of 2xx. Another status counts as a failure, as does no answer.
            "Successful requests" => set("requests", plain(value)?),
            "Failed requests" => set("errors", plain(value)?),
            "Requests per second" => set("requests_per_second", plain(value)?),
            "Median time per request" => set("latency_p50_ms", milliseconds(value)?),
            "Average time per request" => set("latency_mean_ms", milliseconds(value)?),
            "Sample standard deviation" => set("latency_stdev_ms", milliseconds(value)?),
            "99.0'th percentile" => set("latency_p99_ms", milliseconds(value)?),
            _ => {}
        }
    }
    require("drill", &figures, &["requests", "requests_per_second", "sent", "errors"])?;
    if figures["errors"] > Some(0.0) {
        // Its times are of all requests, those that nobody answered included.
        figures.retain(|name, _| !name.starts_with("latency_"));
    }
    Ok(figures)
}

fn require_values(tool: &str, figures: &Figures, names: &[&str]) -> Result<()> {
    match names.iter().find(|name| figures.get(**name).copied().flatten().is_none()) {
        Some(name) => bail!("{tool} printed no {name}"),
        None => Ok(()),
    }
}

fn require(tool: &str, figures: &Figures, names: &[&str]) -> Result<()> {
    for name in names {
        if !figures.contains_key(*name) {
            bail!("{tool} printed no {name}");
        }
    }
    Ok(())
}

fn sum(figures: &mut Figures, name: &str, of: &[&str]) {
    let total = of.iter().filter_map(|name| figures.get(*name).copied().flatten()).sum();
    figures.insert(name.to_owned(), Some(total));
}

fn plain(text: &str) -> Result<f64> {
    let value: Result<f64, _> = text.parse();
    match value {
        Ok(value) if value.is_finite() => Ok(value),
        _ => bail!("`{text}` is no number"),
    }
}

/// A number with a unit letter: `11.60k`, `12.91MB`. `k` and what follows it are powers of `step`.
fn scaled(text: &str, step: f64) -> Result<f64> {
    let text = text.trim_end_matches('B');
    let (digits, power) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 1),
        Some((end, 'M')) => (&text[..end], 2),
        Some((end, 'G')) => (&text[..end], 3),
        Some((end, 'T')) => (&text[..end], 4),
        Some((end, 'P')) => (&text[..end], 5),
        _ => (text, 0),
    };
    Ok(plain(digits)? * step.powi(power))
}

/// A time with its unit: `626.00us`, `1.03ms`, `4.10s`, `1.50m`, `1.00h`.
fn milliseconds(text: &str) -> Result<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "us" => 0.001,
        "ms" => 1.0,
        "s" => 1000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        unit => bail!("`{unit}` in `{text}` is no unit of time"),
    };
    // Rounding takes away what binary fractions add: 0.626 and not 0.6260000000000001.
    Ok((plain(digits)? * factor * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use records::figures::FIGURES;

    use super::*;

    /// Real output, of wrk 4.1.0, ab 2.3, oha 1.16.0 and drill 0.9.1.
    fn fixture(name: &str) -> String {
        let path = format!("{}/fixtures/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    }

    #[track_caller]
    fn expect(figures: &Figures, expected: &[(&str, f64)]) {
        for (name, value) in expected {
            let got = figures.get(*name).copied().flatten();
            let got = got.unwrap_or_else(|| panic!("no {name}"));
            assert!((got - value).abs() <= value.abs() * 1e-9, "{name}: {got}, not {value}");
        }
        for name in figures.keys() {
            assert!(FIGURES.contains(&name.as_str()), "{name} is no known figure");
        }
    }

    #[test]
    fn wrk_with_timeouts() {
        let figures = wrk(&fixture("wrk-timeouts")).unwrap();
        let expected = [
            ("tool_threads", 12.0),
            ("concurrency", 500.0),
            ("latency_mean_ms", 1000.0),
            ("latency_stdev_ms", 564.67),
            ("latency_max_ms", 1910.0),
            ("thread_requests_per_second_mean", 9.07),
            ("requests", 40.0),
            ("duration_seconds", 4.1),
            ("transfer_bytes", 5.82 * 1024.0),
            ("timeouts", 21.0),
            ("errors_connect", 0.0),
            ("errors", 0.0),
            ("requests_per_second", 9.76),
            ("transfer_bytes_per_second", 1.42 * 1024.0),
        ];
        expect(&figures, &expected);
    }

    #[test]
    fn wrk_with_its_distribution_and_with_units() {
        let figures = wrk(&fixture("wrk-latency")).unwrap();
        let expected = [
            ("latency_p50_ms", 0.626),
            ("latency_p99_ms", 6.99),
            ("thread_requests_per_second_mean", 11600.0),
            ("transfer_bytes", 12.91 * 1024.0 * 1024.0),
        ];
        expect(&figures, &expected);
        expect(&wrk(&fixture("wrk-root")).unwrap(), &[("requests", 52778.0), ("errors", 0.0)]);
    }

    #[test]
    fn wrk_counts_answers_that_are_errors() {
        let figures = wrk(&fixture("wrk-non2xx")).unwrap();
        expect(&figures, &[("non_2xx", 24150.0), ("errors", 24150.0), ("requests", 24150.0)]);
    }

    #[test]
    fn wrk_counts_errors_of_the_socket() {
        let text = fixture("wrk-root").replace(
            "Requests/sec:",
            "Socket errors: connect 1, read 52778, write 3, timeout 4\nRequests/sec:",
        );
        let expected = [("errors_read", 52778.0), ("timeouts", 4.0), ("errors", 52782.0)];
        expect(&wrk(&text).unwrap(), &expected);
    }

    #[test]
    fn wrk_without_a_single_answer_has_no_spread() {
        let text = "Running 1s test @ http://127.0.0.1:1/\n  2 threads and 20 connections\n  \
            Thread Stats   Avg      Stdev     Max   +/- Stdev\n    \
            Latency     0.00us    0.00us   0.00us    -nan%\n    Req/Sec     0.00      0.00     0.00      -nan%\n  \
            0 requests in 1.00s, 0.00B read\nRequests/sec:      0.00\nTransfer/sec:       0.00B\n";
        expect(&wrk(text).unwrap(), &[("requests", 0.0), ("transfer_bytes", 0.0)]);
    }

    #[test]
    fn ab_with_its_percentiles() {
        let figures = ab(&fixture("ab-tenth")).unwrap();
        let expected = [
            ("concurrency", 100.0),
            ("duration_seconds", 2.032),
            ("requests", 500.0),
            ("failed", 491.0),
            ("failed_length", 491.0),
            ("failed_receive", 0.0),
            ("errors", 0.0),
            ("total_bytes", 80492.0),
            ("html_bytes", 12492.0),
            ("requests_per_second", 246.04),
            ("transfer_bytes_per_second", 38.68 * 1024.0),
            ("latency_mean_ms", 205.0),
            ("latency_stdev_ms", 600.6),
            ("latency_max_ms", 2008.0),
            ("latency_p50_ms", 5.0),
            ("latency_p90_ms", 2002.0),
            ("latency_p100_ms", 2008.0),
        ];
        expect(&figures, &expected);
    }

    #[test]
    fn ab_counts_answers_that_are_errors() {
        expect(&ab(&fixture("ab-non2xx")).unwrap(), &[("non_2xx", 100.0), ("errors", 100.0)]);
    }

    #[test]
    fn load_in_an_open_loop() {
        let text = r#"{"generator":"load","version":"0.1.0","url":"http://127.0.0.1:1/","connections":64,
            "connections_opened":64,"keep_alive":true,"rate":1000.0,"duration_seconds":5.01,"requests":990,
            "requests_per_second":197.6,"sent":1000,"unanswered":10,"errors_connect":1,"errors_read":2,"errors_write":3,
            "errors_timeout":4,"non_2xx":5,"transfer_bytes":12345,"latency":{"corrected":true,"mean_ms":1.5,
            "stdev_ms":0.5,"max_ms":9.0,"p50_ms":1.25,"p75_ms":2.0,"p90_ms":3.0,"p99_ms":8.0,"p999_ms":9.0}}"#;
        let figures = load(text).unwrap();
        let expected = [
            ("concurrency", 64.0),
            ("requests_per_second", 197.6),
            ("sent", 1000.0),
            ("unanswered", 10.0),
            ("errors", 15.0),
            ("errors_timeout", 4.0),
            ("latency_p50_ms", 1.25),
            ("latency_p999_ms", 9.0),
            ("duration_seconds", 5.01),
        ];
        expect(&figures, &expected);
        assert!(load("{}").unwrap_err().to_string().contains("printed no requests"));
        assert!(load("load: cannot connect").is_err());
    }

    /// oha counts what it cut off at the end in its rate: 1000 in 2.0 s, of which 950 were answered.
    #[test]
    fn oha_against_a_server_that_waits() {
        let figures = oha(&fixture("oha-deadline")).unwrap();
        let expected = [
            ("requests", 950.0),
            ("unanswered", 50.0),
            ("sent", 1000.0),
            ("errors", 0.0),
            ("requests_per_second", 499.3535770571048),
            ("latency_p50_ms", 101.929107),
            ("latency_p999_ms", 106.864519),
        ];
        expect(&figures, &expected);
    }

    #[test]
    fn oha_with_a_deadline() {
        let text = r#"{"summary":{"successRate":1.0,"total":2.0,"slowest":0.05,"fastest":0.001,"average":0.002,
            "requestsPerSec":500.5,"totalData":4096},"latencyPercentiles":{"p50":0.0015,"p99":0.04,"p99.9":0.05},
            "statusCodeDistribution":{"200":990,"404":1},
            "errorDistribution":{"aborted due to deadline":8,"timeout":1,"Connection refused":2}}"#;
        let figures = oha(text).unwrap();
        let expected = [
            ("requests", 991.0),
            ("sent", 1002.0),
            ("unanswered", 8.0),
            ("errors", 4.0),
            ("errors_timeout", 1.0),
            ("latency_p99_ms", 40.0),
            ("latency_p999_ms", 50.0),
        ];
        expect(&figures, &expected);
        assert_eq!(figures["latency_p75_ms"], None);
        assert!(oha("{}").is_err());
    }

    #[test]
    fn drill_against_a_server_that_waits() {
        let figures = drill(&fixture("drill-sleep")).unwrap();
        let expected = [
            ("requests", 200.0),
            ("sent", 200.0),
            ("errors", 0.0),
            ("requests_per_second", 421.01),
            ("duration_seconds", 0.5),
            ("latency_p50_ms", 103.935),
            ("latency_mean_ms", 104.98816),
            ("latency_p99_ms", 112.127),
        ];
        expect(&figures, &expected);
        let in_ms = fixture("drill-sleep").replace("000ns", "ms");
        assert!(drill(&in_ms).is_err());
        assert!(drill("Concurrency 50\n").unwrap_err().to_string().contains("no requests"));
    }

    /// Its rate counts what failed; nobody answered a single one of these.
    #[test]
    fn drill_against_a_server_that_has_stopped() {
        let figures = drill(&fixture("drill-stopped")).unwrap();
        let expected = [
            ("requests", 0.0),
            ("sent", 4500.0),
            ("errors", 4500.0),
            ("requests_per_second", 25141.02),
        ];
        expect(&figures, &expected);
        assert!(!figures.contains_key("latency_p50_ms"));
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        let refused = "This is ApacheBench, Version 2.3 <$Revision$>\n\
            Benchmarking 127.0.0.1 (be patient)...apr_socket_recv: Connection refused (111)\n";
        assert!(ab(refused).unwrap_err().to_string().contains("printed no requests"));
        assert!(wrk("unable to connect to 127.0.0.1:27199 Connection refused\n").is_err());
        assert!(wrk("").is_err());
    }
}
