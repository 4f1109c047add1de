//! What a figure is called: its unit is a part of its name in the records.

/// The unit of a figure, which is a part of its name; empty for a count.
pub(crate) fn unit(figure: &str) -> String {
    split(figure).1
}

/// A figure's name without its unit, and the unit.
fn split(figure: &str) -> (&str, String) {
    const UNITS: [(&str, &str); 10] = [
        ("requests_per_second", "requests/s"),
        ("bytes_per_second", "bytes/s"),
        ("_ns", "ns"),
        ("_us", "µs"),
        ("_ms", "ms"),
        ("_seconds", "s"),
        ("_kib", "KiB"),
        ("_mib", "MiB"),
        ("_bytes", "bytes"),
        ("_percent", "%"),
    ];
    let found = UNITS.iter().find_map(|(end, unit)| Some((figure.strip_suffix(end)?, *unit)));
    if let Some((name, unit)) = found {
        return (name, unit.to_owned());
    }
    match figure.split_once("_per_") {
        None => (figure, String::new()),
        Some((name, one)) => {
            let (name, unit) = split(name);
            let one = one.replace('_', " ");
            (name, format!("{unit} per {one}").trim_start().to_owned())
        }
    }
}

/// A figure's name as people say it, with its unit: `latency, 99% below, ms`.
pub(crate) fn words(figure: &str) -> String {
    if figure == "requests_per_second" {
        return "requests per second".to_owned();
    }
    let (name, unit) = split(figure);
    let mut text = String::new();
    for word in name.split('_').filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix('p').filter(|digits| digits.parse::<u32>().is_ok());
        match (word, digits) {
            (_, Some("50")) => text += ", median",
            (_, Some("100")) => text += ", highest",
            (_, Some(digits)) => {
                // p999 is 99.9%.
                let (whole, fraction) = digits.split_at(digits.len().min(2));
                let point = if fraction.is_empty() { "" } else { "." };
                text += &format!(", {whole}{point}{fraction}% below");
            }
            ("mean", None) => text += ", mean",
            ("max", None) => text += ", highest",
            ("cpu", None) => text += " CPU time",
            ("non", None) => text += " responses that are not",
            (word, None) => text += &format!(" {word}"),
        }
    }
    let text = text.trim_start_matches([',', ' ']);
    match unit.as_str() {
        "" => text.to_owned(),
        unit if unit.starts_with("per ") => format!("{text} {unit}"),
        unit => format!("{text}, {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_names_for_people() {
        for (figure, name) in [
            ("requests_per_second", "requests per second"),
            ("latency_p50_ms", "latency, median, ms"),
            ("latency_p99_ms", "latency, 99% below, ms"),
            ("latency_p999_ms", "latency, 99.9% below, ms"),
            ("latency_max_ms", "latency, highest, ms"),
            ("server_peak_memory_mib", "server peak memory, MiB"),
            ("server_cpu_us_per_request", "server CPU time, µs per request"),
            ("server_switches_per_request", "server switches per request"),
            ("errors_read", "errors read"),
            ("rounds_per_second", "rounds per second"),
            ("memory_kib_per_thread", "memory, KiB per thread"),
            ("switch_ns", "switch, ns"),
        ] {
            assert_eq!(words(figure), name);
        }
        assert_eq!(unit("errors"), "");
    }
}
