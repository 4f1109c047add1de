//! Writes names, numbers, tables and figures in Markdown and HTML, with everything escaped that would be markup.

use std::fmt::Write;

use anyhow::{Context, Result};
use records::base::number;
use serde::Serialize;

/// Escapes a text for HTML and XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Undoes [`escape`] and removes the marks of code: for a drawing's title.
pub fn unescaped(html: &str) -> String {
    let text = html.replace("<code>", "").replace("</code>", "").replace("&lt;", "<");
    text.replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Escapes a name for Markdown.
pub fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\\`*_{}[]<>|#$~&".contains(letter) {
            safe.push('\\');
        }
        safe.push(letter);
    }
    safe
}

/// Writes inline code that survives a `|` in a table and a backtick inside.
pub fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Counts in words: "1 round", "2 rounds".
pub fn plural(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", number(count as f64, 0))
}

/// Writes a text with a capital letter, as a sentence begins.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Joins words: `a`, `a and b`, `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => words.concat(),
    }
}

/// Returns the day of a moment in RFC 3339.
pub fn day(moment: &str) -> &str {
    moment.split('T').next().unwrap_or(moment)
}

/// Writes a Markdown table. Its first column and those in `left` hold words; the others hold numbers, at the right.
pub fn table(
    headings: &[impl AsRef<str>],
    left: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut text = String::new();
    let headings: Vec<&str> = headings.iter().map(AsRef::as_ref).collect();
    let _ = write!(text, "| {} |\n|---|", headings.join(" | "));
    for heading in &headings[1..] {
        text += if left.contains(heading) { "---|" } else { "---:|" };
    }
    text.push('\n');
    for cells in rows {
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// Writes a drawing with its finding, a line of counts, and its caption. `attributes` are those of its element.
pub fn figure(
    attributes: &str,
    finding: &str,
    counts: &str,
    drawing: &str,
    caption: &str,
) -> String {
    let counts = match counts {
        "" => String::new(),
        counts => format!("<p class=\"counts\">{counts}</p>\n"),
    };
    let caption = match caption {
        "" => String::new(),
        caption => format!("\n<figcaption>{caption}</figcaption>"),
    };
    format!(
        "<figure {attributes}>\n<p class=\"finding\">{finding}</p>\n{counts}{drawing}{caption}\n</figure>"
    )
}

/// Writes data for a script into a page.
pub fn data(value: &impl Serialize) -> Result<String> {
    // Nothing in it may end the element, or begin a comment.
    let json = serde_json::to_string(value).context("cannot write a picture")?;
    Ok(format!("<script type=\"application/json\">{}</script>", json.replace('<', "\\u003c")))
}

/// Returns the unit of a figure, which is a part of its name; empty for a count.
pub fn unit(figure: &str) -> String {
    split(figure).1
}

/// Splits a figure's name from its unit.
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

/// Writes a figure's name as people say it, with its unit: `latency, 99% below, ms`.
pub fn figure_words(figure: &str) -> String {
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
            ("user", None) => text += " in user mode",
            ("system", None) => text += " in the kernel",
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
    fn a_table_has_its_numbers_at_the_right() {
        let row = ["a", "1", "b"].map(str::to_owned).to_vec();
        let text = table(&["Name", "Number", "Word"], &["Word"], [row]);
        assert_eq!(text, "| Name | Number | Word |\n|---|---:|---|\n| a | 1 | b |\n");
    }

    #[test]
    fn a_drawing_has_the_words_of_its_page() {
        let text = "a & b < \"c\" > d";
        assert_eq!(unescaped(&format!("<code>{}</code>", escape(text))), text);
    }

    #[test]
    fn names_are_listed() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            [0, 1, 2, 3].map(|count| listed(&names[..count])),
            ["", "a", "a and b", "a, b and c"]
        );
    }

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
            ("server_cpu_user_us_per_request", "server CPU time in user mode, µs per request"),
            ("server_cpu_system_us_per_request", "server CPU time in the kernel, µs per request"),
            ("server_switches_per_request", "server switches per request"),
            ("errors_read", "errors read"),
            ("rounds_per_second", "rounds per second"),
            ("memory_kib_per_thread", "memory, KiB per thread"),
            ("switch_ns", "switch, ns"),
        ] {
            assert_eq!(figure_words(figure), name);
        }
        assert_eq!(unit("errors"), "");
    }
}
