//! The name of a file, bold above its listing, becomes the listing's head: where the book has an address, with a link to
//! the file. The page for printing keeps the name as it is.

use std::sync::LazyLock;

use mdbook_driver::config::Config;
use regex::{Captures, Regex};

use pictures::text::escape;

use crate::published;

/// A name, bold and alone in its paragraph, and the listing below it.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<p><strong><code>([^<]+)</code></strong></p>(\s*<pre><code)")
        .expect("a correct expression")
});

/// Where a reader on the web finds the files.
pub(super) struct Files {
    /// An address with `{path}` in it; none as long as the book has none.
    template: Option<String>,
}

impl Files {
    /// As `book.toml` says where a page is edited.
    pub(super) fn of(config: &Config) -> Self {
        Self { template: published::shown_at(config) }
    }

    /// A page whose listings have their heads.
    pub(super) fn head(&self, page: &str) -> String {
        let head = |found: &Captures<'_>| {
            let (_, [name, listing]) = found.extract();
            let code = format!("<code>{name}</code>");
            let words = match &self.template {
                Some(template) => {
                    let address = escape(template).replace("{path}", name);
                    format!("<a href=\"{address}\">{code}</a>")
                }
                None => code,
            };
            format!("<p class=\"listing-head\"><strong>{words}</strong></p>{listing}")
        };
        NAMED.replace_all(page, head).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SETTINGS;

    #[test]
    fn a_name_above_a_listing_becomes_its_head() {
        let listing = "\n<pre><code class=\"language-rust ignore\">fn main() {}\n</code></pre>\n";
        let name = "<strong><code>examples/a/main.rs</code></strong>";
        let page = format!("<p>{name}</p>{listing}<p>{name} has more.</p>{listing}<p>{name}</p>\n");
        let settings = |more: &str| format!("{SETTINGS}{more}").parse::<Config>().unwrap();
        for (more, words) in [
            ("", name),
            (
                "edit-url-template = \"https://a.b/c/edit/main/{path}\"\n",
                "<strong><a href=\"https://a.b/c/blob/main/examples/a/main.rs\"><code>examples/a/main.rs</code></a></strong>",
            ),
        ] {
            let head = format!("<p class=\"listing-head\">{words}</p>{listing}");
            let headed = page.replacen(&format!("<p>{name}</p>{listing}"), &head, 1);
            assert_eq!(Files::of(&settings(more)).head(&page), headed, "{more}");
        }
    }
}
