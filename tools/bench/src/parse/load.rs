//! What `load --json` prints.

use anyhow::{Context, Result};
use records::figures::Figures;
use serde_json::Value;

use super::numbers::{require, sum_errors};
use crate::figures;

/// What it prints under the name of the figure.
const NAMES: &str = "connections_opened opening_seconds idle_connections idle_lost duration_seconds \
    requests requests_per_second sent requests_late due never_sent unanswered \
    errors_connect errors_read errors_write errors_timeout non_2xx transfer_bytes \
    neighbour_requests neighbour_mean_ms neighbour_errors";

pub fn parse(text: &str) -> Result<Figures> {
    let report: Value = serde_json::from_str(text).context("load printed no JSON")?;
    let mut figures = Figures::new();
    let mut take = |name: &str, pointer: &str| {
        figures::set(&mut figures, name, report.pointer(pointer).and_then(Value::as_f64));
    };
    take("concurrency", "/connections");
    for name in NAMES.split(' ') {
        take(name, &format!("/{name}"));
    }
    for name in ["mean", "stdev", "max", "p50", "p75", "p90", "p99", "p999"] {
        take(&format!("latency_{name}_ms"), &format!("/latency/{name}_ms"));
    }
    require("load", &figures, &["requests", "requests_per_second", "concurrency", "sent"])?;
    // A request that load gave up is one that failed. wrk goes on waiting for it.
    // A connection that should have been idle and was not there makes the run another one.
    let kinds = "errors_connect errors_read errors_write errors_timeout non_2xx idle_lost \
        neighbour_errors";
    sum_errors(&mut figures, &kinds.split(' ').collect::<Vec<_>>());
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::expect;

    #[test]
    fn an_open_loop() {
        let text = r#"{"generator":"load","version":"0.1.0","url":"http://127.0.0.1:1/","connections":64,
            "connections_opened":64,"keep_alive":true,"rate":1000.0,"duration_seconds":5.01,"requests":990,
            "requests_per_second":197.6,"sent":1000,"unanswered":10,"errors_connect":1,"errors_read":2,"errors_write":3,
            "errors_timeout":4,"non_2xx":5,"transfer_bytes":12345,"latency":{"corrected":true,"mean_ms":1.5,
            "stdev_ms":0.5,"max_ms":9.0,"p50_ms":1.25,"p75_ms":2.0,"p90_ms":3.0,"p99_ms":8.0,"p999_ms":9.0}}"#;
        let expected = "concurrency 64, requests_per_second 197.6, sent 1000, unanswered 10, errors 15, \
            errors_timeout 4, latency_p50_ms 1.25, latency_p999_ms 9, \
            duration_seconds 5.01";
        expect(&parse(text).unwrap(), expected);
        let neighbour =
            r#"{"neighbour_requests":40,"neighbour_mean_ms":50.5,"neighbour_errors":2,"#;
        let figures = parse(&text.replacen('{', neighbour, 1)).unwrap();
        expect(&figures, "neighbour_requests 40, neighbour_mean_ms 50.5, errors 17");
        assert!(parse("{}").unwrap_err().to_string().contains("printed no requests"));
        assert!(parse("load: cannot connect").is_err());
    }
}
