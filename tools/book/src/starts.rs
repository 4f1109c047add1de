//! The places below listings and exercises where a page offers to start them. They are empty: `book/start/start.js` fills
//! them, where the book is served by this program.

use std::{collections::BTreeSet, fs, path::Path};

use pictures::text::escape;
use records::servers::{Server, Started, example_of};

use crate::playground::Playground;

/// What `listings` and `difference` have put above each listing.
const HEAD: &str = "<p class=\"listing-head\">";

/// The command with which an exercise begins, up to its name.
const EXERCISE: &str = "\n```console\n$ cargo xtask learn start ";

/// The page with a place below the last listing of each program, and below the command of each exercise.
pub(crate) fn put(root: &Path, page: &str) -> String {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (head, _) in page.rmatch_indices(HEAD) {
        if let Some((end, file, name)) = program(root, page, head)
            && let Some(place) = place(&root.join(file), &name)
            && seen.insert(name)
        {
            found.push((end, place));
        }
    }
    for (start, _) in page.match_indices(EXERCISE) {
        let (name, rest) = page[start + EXERCISE.len()..].split_once('\n').unwrap_or_default();
        if let Some(after) = rest.strip_prefix("```") {
            let place = format!("<div class=\"start\" data-check=\"{name}\"></div>");
            found.push((page.len() - after.len(), place));
        }
    }
    found.sort();
    let mut placed = String::with_capacity(page.len());
    let mut end = 0;
    for (at, place) in found {
        placed += &page[end..at];
        placed += "\n\n";
        placed += &place;
        placed.push('\n');
        end = at;
    }
    placed + &page[end..]
}

/// The program whose `main` is listed below the head that begins here, and where its listing ends.
fn program<'a>(root: &Path, page: &'a str, head: usize) -> Option<(usize, &'a str, String)> {
    let (line, below) = page[head..].split_once("</p>")?;
    let (_, file) = line.rsplit_once("<code>")?;
    let (file, _) = file.split_once("</code>")?;
    let name = example_of(root, file)?;
    let listing = below.trim_start();
    let rest = if listing.starts_with('`') {
        let fence = &listing[..listing.len() - listing.trim_start_matches('`').len()];
        listing.split_once(&format!("\n{fence}"))?.1
    } else {
        listing.strip_prefix("<pre")?.split_once("</pre>")?.1
    };
    Some((page.len() - rest.len(), file, name))
}

/// The place from which a page may start a program, in the colour of its server; `None` if no page may.
fn place(file: &Path, name: &str) -> Option<String> {
    let started = Started::named(name)?;
    let server = Server::named(name).or_else(|| Server::with_step(name));
    let colour = server.and_then(|server| server.colour.as_deref());
    let style = colour.map(|it| format!(" style=\"--s: var(--server-{it})\"")).unwrap_or_default();
    let kind = if started.is_server() { "server" } else { "program" };
    // Of the small servers, a published page can have the Playground run those of which it has the crates.
    let source = fs::read_to_string(file).ok().filter(|_| name.contains("_small"));
    let elsewhere = match source.as_deref().and_then(Playground::of) {
        // In one line, because an empty one would end the HTML.
        Some(Playground::Runs(text)) => {
            format!(" data-sent=\"{}\"", escape(&text).replace('\n', "&#10;"))
        }
        Some(Playground::Lacks(lacking)) => format!(" data-lacks=\"{lacking}\""),
        None => String::new(),
    };
    Some(format!("<div class=\"start\" data-{kind}=\"{name}\"{style}{elsewhere}></div>"))
}

#[cfg(test)]
mod tests {
    use records::base::find_root;

    use super::*;
    use crate::listings::Listings;

    #[test]
    fn the_last_listing_of_a_program_has_a_place_below_it() {
        let listing = |file: &str| format!("**`{file}`**\n\n```rust,ignore\nfn main() {{}}\n```\n");
        let small = listing("examples/ch03/ch03_small/main.rs");
        let handler = listing("examples/ch03/first_pool/handler.rs");
        let page = format!(
            "# A\n\n{small}\nAgain:\n\n{small}\n{handler}\n{HEAD}<code>b.rs</code> → \
             <code>examples/ch04/first_task/woken.rs</code></p>\n\n<pre class=\"change\">\n+ it</pre>\n\n\
             ```console\n$ cargo xtask learn start answer_404\n```\n\nEnd.\n"
        );
        let placed = put(&find_root().unwrap(), &Listings::default().put_heads(&page));
        let small = "<div class=\"start\" data-server=\"ch03_small\" style=\"--s: var(--server-pool)\" data-sent=\"//! A queue";
        for (before, place, after) in [
            ("```\n\n", small, " and four threads: `cargo run --example ch03_small`&#10;"),
            (
                "+ it</pre>\n\n",
                "<div class=\"start\" data-program=\"first_task_woken\"></div>",
                "\n\n\n```",
            ),
            ("```\n\n", "<div class=\"start\" data-check=\"answer_404\"></div>", "\n\n\nEnd."),
        ] {
            assert!(placed.contains(&format!("{before}{place}{after}")), "{place}: {placed}");
        }
        assert_eq!(placed.matches("class=\"start\"").count(), 3, "{placed}");
        assert!(placed.contains("fn work(streams: &amp;Mutex") && placed.contains("client {path}"));
        assert!(placed.split("Again:").next().is_some_and(|first| !first.contains("start\"")));
    }
}
