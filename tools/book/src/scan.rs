//! Where directives stand in a text.

/// The directives that are mdBook's own.
const MDBOOK: [&str; 5] = ["include", "rustdoc_include", "playground", "playpen", "title"];

/// What stands between `{{#` and `}}`.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    /// The whole of it, braces included.
    pub text: &'a str,
    /// In bytes.
    pub start: usize,
    pub name: &'a str,
    /// What follows the name.
    pub rest: &'a str,
}

impl Found<'_> {
    /// Whether mdBook fills it in, and not we.
    pub(crate) fn is_mdbooks(&self) -> bool {
        MDBOOK.contains(&self.name)
    }

    /// The byte after it.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// All directives in a text, mdBook's included, but not those behind a backslash.
pub(crate) fn directives(text: &str) -> impl Iterator<Item = Found<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(braces) = text[from..].find("{{") {
            let start = from + braces;
            let found = found_at(text, start);
            from = found.as_ref().map_or(start + 1, Found::end);
            if found.is_some() && !text[..start].ends_with('\\') {
                return found;
            }
        }
        None
    })
}

/// The directive whose two braces start at this byte, if it is one: it has a `#`, and ends on its line.
fn found_at(text: &str, start: usize) -> Option<Found<'_>> {
    let inside = &text[start + 2..];
    let inside = &inside[..inside.find(['{', '}', '\n'])?];
    let end = start + 2 + inside.len();
    let rest = inside.trim_start().strip_prefix('#').filter(|_| text[end..].starts_with("}}"))?;
    let rest = rest.trim_start();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let (name, rest) = rest.split_at(rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()));
    Some(Found { text: &text[start..end + 2], start, name, rest: rest.trim() })
}
