//! What was run, as a reader would type it, and why it had fewer requests than its source.

use base::number;
use records::ladder::Run;

use crate::text::code;

/// The tool's command line, as a reader would type it: with the rungs' default port.
pub fn command(run: &Run) -> String {
    command_line(&run.tool.argv)
}

/// A generator's command line with the rungs' default port in its URL.
pub(crate) fn command_line(argv: &[String]) -> String {
    let words = argv.iter().map(|word| match word.strip_prefix("http://127.0.0.1:") {
        Some(rest) => {
            format!("http://127.0.0.1:8080{}", &rest[rest.find('/').unwrap_or(rest.len())..])
        }
        None => word.clone(),
    });
    code(&words.collect::<Vec<_>>().join(" "))
}

/// The server's command line.
pub fn server(run: &Run) -> String {
    code(&run.server.argv.join(" "))
}

/// The sentence that says why a run had fewer requests, if it had.
pub fn reduced(run: &Run) -> Option<String> {
    let reduced = run.reduced.as_ref()?;
    Some(format!(
        "{} requests instead of {}: {}.",
        number(reduced.requests as f64, 0),
        number(reduced.instead_of as f64, 0),
        reduced.reason
    ))
}
