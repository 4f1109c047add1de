//! What a program prints that is run as an experiment: `{"figures": {"rounds_per_second": 1234.5}}`.

use anyhow::{Context, Result, bail};
use records::figures::{Figures, check_printed};
use serde_json::{Map, Value};

pub fn parse(text: &str) -> Result<Figures> {
    let printed: Value =
        serde_json::from_str(text).context("it did not print one JSON object and nothing else")?;
    let named: &Map<String, Value> =
        printed["figures"].as_object().context("it printed no object `figures`")?;
    let mut figures = Figures::new();
    for (name, value) in named {
        check_printed(name)?;
        let value = match value {
            Value::Null => None,
            Value::Number(value) => value.as_f64(),
            _ => bail!("its figure `{name}` is {value}, which is no number"),
        };
        figures.insert(name.clone(), value);
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use records::figures::check_name;

    use super::*;

    #[test]
    fn figures_are_read() {
        let text = "{\"figures\": {\"rounds_per_second\": 1234.5, \"switches\": 12, \"rss_kib\": null},\n \"more\": [1]}\n";
        let expected = [
            ("rounds_per_second".to_owned(), Some(1234.5)),
            ("rss_kib".to_owned(), None),
            ("switches".to_owned(), Some(12.0)),
        ];
        assert_eq!(parse(text).unwrap(), expected.into());
    }

    #[test]
    fn anything_else_is_refused() {
        for (text, why) in [
            ("", "one JSON object and nothing else"),
            ("8 threads: 12 a second", "one JSON object and nothing else"),
            ("{\"figures\": {}}\nDone.", "one JSON object and nothing else"),
            ("{\"figures\": {\"a\": 1}", "one JSON object and nothing else"),
            ("{\"a\": 1}", "no object `figures`"),
            ("[1]", "no object `figures`"),
            ("{\"figures\": {\"a\": \"1\"}}", "`a` is \"1\", which is no number"),
            ("{\"figures\": {\"Rounds\": 1}}", "not `Rounds`"),
            ("{\"figures\": {\"stall_p99_ms\": 1}}", "`stall_p99_ms` would be"),
            ("{\"figures\": {\"program_seconds\": 1}}", "measures itself"),
        ] {
            let message = format!("{:#}", parse(text).unwrap_err());
            assert!(message.contains(why), "{text}: {message}");
        }
        check_name("program_seconds").unwrap();
        assert!(check_name("program_speed").is_err() && check_name("").is_err());
    }
}
