//! Turns the name of a file, bold above its listing, into the listing's head: where the book has an address, with a link
//! to the file.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use mdbook_preprocessor::config::Config;
use pictures::text::escape;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::published;

/// Counts the lines of code in these files, paths from `root`: neither empty ones nor comments. Fails when one can't be
/// read.
pub(crate) fn lines_of_code(root: &Path, paths: &[String]) -> Result<usize> {
    let mut count = 0;
    for path in paths {
        let text = fs::read_to_string(root.join(path));
        let text = text.with_context(|| format!("cannot read {path}"))?;
        let lines = text.lines().map(str::trim_start);
        count += lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    }
    Ok(count)
}

/// Makes heads of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listings {
    /// The address at which a reader on the web finds a file, with `{path}` in it; none as long as the book has no address.
    template: Option<String>,
}

impl Listings {
    /// Reads from the settings at which address a page is edited, and so at which a file is shown.
    pub(crate) fn of(config: &Config) -> Listings {
        Listings { template: published::shown_at(config) }
    }

    /// Turns each name that is bold and alone in its paragraph, with a listing below it, into a head.
    pub(crate) fn put_heads(&self, page: &str) -> String {
        let parser = Parser::new_ext(page, Options::ENABLE_TABLES);
        let events: Vec<_> = parser.into_offset_iter().collect();
        let mut headed = String::with_capacity(page.len());
        let mut end = 0;
        for six in events.windows(6) {
            if let [
                (Event::Start(Tag::Paragraph), place),
                (Event::Start(Tag::Strong), _),
                (Event::Code(name), _),
                (Event::End(TagEnd::Strong), _),
                (Event::End(TagEnd::Paragraph), _),
                (Event::Start(Tag::CodeBlock(_)), _),
            ] = six
            {
                headed += &page[end..place.start];
                headed += &self.head(None, name);
                if page[place.clone()].ends_with('\n') {
                    headed.push('\n');
                }
                end = place.end;
            }
        }
        headed + &page[end..]
    }

    /// Writes the head of a listing of the file `name` or, `from` another file, of the difference between the two.
    pub(crate) fn head(&self, from: Option<&str>, name: &str) -> String {
        let name = escape(name);
        let code = format!("<code>{name}</code>");
        let words = match &self.template {
            Some(template) => {
                let address = escape(template).replace("{path}", &name);
                format!("<a href=\"{address}\">{code}</a>")
            }
            None => code,
        };
        let from = from.map(|from| format!("<span><code>{}</code> → </span>", escape(from)));
        format!(
            "<p class=\"listing-head\">{}<strong>{words}</strong></p>",
            from.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SETTINGS;

    fn settings(more: &str) -> Config {
        format!("{SETTINGS}{more}").parse().unwrap()
    }

    #[test]
    fn a_name_above_a_listing_becomes_its_head() {
        let listing = "\n```rust,ignore\nfn main() {}\n```\n";
        let name = "**`examples/a/main.rs`**";
        let page = format!(
            "{name}\n{listing}\n{name} has more.\n{listing}\n{name}\n\n- {name}\n{listing}"
        );
        for (more, words) in [
            ("", "<code>examples/a/main.rs</code>"),
            (
                "edit-url-template = \"https://a.b/c/edit/main/{path}\"\n",
                "<a href=\"https://a.b/c/blob/main/examples/a/main.rs\"><code>examples/a/main.rs</code></a>",
            ),
        ] {
            let head = format!("<p class=\"listing-head\"><strong>{words}</strong></p>");
            let headed = page.replacen(name, &head, 1);
            assert_eq!(Listings::of(&settings(more)).put_heads(&page), headed, "{more}");
        }
    }
}
