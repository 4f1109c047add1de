//! What is under way, on a line of the terminal that the next one replaces.

use std::io::Write;

use console::Term;

/// Says what is under way, if somebody looks; nothing takes the line away.
pub fn progress(text: &str) {
    let mut terminal = Term::stderr();
    if !terminal.is_term() {
        return;
    }
    // One that does not know its width is taken for a narrow one. The last column stays free: a letter there begins a
    // new line on some terminals.
    let width = match terminal.size_checked() {
        Some((_, width)) if width > 1 => usize::from(width).min(80) - 1,
        _ => 39,
    };
    let text: String = text.chars().take(width).collect();
    let _ = write!(terminal, "\r{text:<width$}\r").and_then(|()| terminal.flush());
}
