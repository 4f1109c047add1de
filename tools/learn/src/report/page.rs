//! A class as a page: one file without any other, in the colours of the reader's system.

use std::time::SystemTime;

use super::class::Class;

/// Draws the page. It says when it was made, in the time of whoever looks at it.
pub(super) fn page(class: &Class, now: SystemTime) -> String {
    let headings: String = class
        .headings()
        .iter()
        .map(|heading| format!("<th scope=\"col\">{heading}</th>"))
        .collect();
    let mut rows = String::new();
    for row in &class.rows {
        let bar = row.place.as_ref().map(|(passed, _)| {
            format!(
                "<progress aria-hidden=\"true\" max=\"{}\" value=\"{}\"></progress> ",
                passed.of, passed.passed
            )
        });
        for (index, cell) in class.cells(row).iter().enumerate() {
            let cell = escaped(cell);
            rows += &match index {
                0 => format!("<tr><th scope=\"row\">{cell}</th>"),
                1 => format!("<td>{}{cell}</td>", bar.as_deref().unwrap_or_default()),
                _ => format!("<td>{cell}</td>"),
            };
        }
        rows += "</tr>\n";
    }
    let sentence = escaped(&class.sentence().unwrap_or_default());
    let made = httpdate::fmt_http_date(now);
    let page = include_str!("page.html");
    // From the end of the page to its beginning, so that no place is looked for in what others have written.
    [("ROWS", &rows), ("HEADINGS", &headings), ("MADE", &made), ("SENTENCE", &sentence)]
        .iter()
        .fold(page.to_owned(), |page, (name, text)| page.replacen(&format!("[{name}]"), text, 1))
}

/// Writes a text so that no letter of it is taken for markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
