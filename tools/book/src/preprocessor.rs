//! The preprocessor `ladder` of mdBook, which fills in the directives of all pages.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use mdbook_preprocessor::{
    Preprocessor, PreprocessorContext,
    book::{Book, Chapter},
};
use records::{
    anchors::without_anchors,
    results::{Results, shown_folder},
};
use serde_json::Value;

use crate::{
    diagrams::Diagrams,
    fault::Fault,
    filler::Filler,
    listings::Listings,
    published,
    report::measured::Measured,
    starts,
    terms::{GLOSSARY, Terms},
    way::Signs,
};

/// The preprocessor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ladder {
    /// The folder of the reader's own recordings, to stand beside the book's, if there is one.
    pub yours: Option<PathBuf>,
    /// Whether a diagram that nobody has drawn yet is left to the script that draws while somebody writes.
    pub somebody_writes: bool,
}

impl Preprocessor for Ladder {
    fn name(&self) -> &str {
        "ladder"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        published::check(&context.config)?;
        let source = &context.config.book.src;
        let listings = Listings::of(&context.config);
        let glossary = book.chapters().find(|it| it.path.as_deref() == Some(Path::new(GLOSSARY)));
        let pages = Pages {
            filler: Filler {
                root: context.root.clone(),
                measured: Measured::read(&context.root)?,
                results: Results::read(&shown_folder(&context.root))?,
                yours: self.own_recordings(),
                repository: context.config.get("output.html.git-repository-url").ok().flatten(),
                listings: listings.clone(),
            },
            terms: glossary.map(|it| Terms::of(&it.content)).unwrap_or_default(),
            diagrams: Diagrams::of(&context.root.join(source)),
            listings,
            signs: Signs::of(&context.root)?,
            somebody_writes: self.somebody_writes,
        };
        let mut faults = Vec::new();
        book.for_each_chapter_mut(|chapter| {
            if let Err(found) = pages.fill(chapter) {
                let file = source.join(chapter.source_path.clone().unwrap_or_default());
                // The page holds its includes by now; the file has the lines that its author knows.
                let written = fs::read_to_string(context.root.join(&file)).unwrap_or_default();
                faults.extend(found.into_iter().map(|fault| fault.in_file(&file, &written)));
            }
        });
        ensure!(faults.is_empty(), "{}", faults.join("\n"));
        Ok(book)
    }

    fn supports_renderer(&self, renderer: &str) -> Result<bool> {
        Ok(supports(renderer))
    }
}

impl Ladder {
    /// Reads the reader's own recordings. Where that fails, prints a warning, and the book shows none.
    fn own_recordings(&self) -> Option<Results> {
        match Results::read(self.yours.as_ref()?) {
            Ok(results) => Some(results),
            Err(error) => {
                eprintln!("warning: your own recordings are not shown: {error:#}");
                None
            }
        }
    }
}

/// The sources from which pages are filled in.
struct Pages {
    filler: Filler,
    terms: Terms,
    diagrams: Diagrams,
    listings: Listings,
    signs: Signs,
    somebody_writes: bool,
}

impl Pages {
    /// Fills in a page, which holds its includes. Fails with all that is wrong in it.
    fn fill(&self, chapter: &mut Chapter) -> Result<(), Vec<Fault>> {
        let page = chapter.path.clone().unwrap_or_default();
        // Before an exercise or a chart brings headings of its own.
        let signed = self.signs.insert(&page, &chapter.content);
        let filled = self.filler.fill(&page, &signed)?;
        // A whole file that is included shows its anchors.
        let explained = self.terms.explain(&without_anchors(&filled));
        let drawn =
            self.diagrams.put(&explained, self.somebody_writes).map_err(|fault| vec![fault])?;
        chapter.content = starts::put(&self.filler.root, &self.listings.put_heads(&drawn));
        Ok(())
    }
}

/// Tells whether the preprocessor has something to do for this renderer.
pub(crate) fn supports(renderer: &str) -> bool {
    // `mdbook test` compiles the listings, and needs no figures.
    renderer != "test"
}

/// Speaks mdBook's protocol for preprocessors: the book comes as JSON on standard input. Fails when the input is not of
/// this protocol, or a page has a problem.
pub(crate) fn preprocess() -> Result<()> {
    let input = std::io::read_to_string(std::io::stdin()).context("cannot read the book")?;
    let (context, book) = parse(&input)?;
    let book = Ladder::default().run(&context, book)?;
    serde_json::to_writer(std::io::stdout(), &book).context("cannot hand the book back to mdBook")
}

/// Reads the book and its settings, as mdBook hands them over. Another release may do that in another form.
fn parse(input: &str) -> Result<(PreprocessorContext, Book)> {
    mdbook_preprocessor::parse_input(input.as_bytes()).with_context(|| {
        let ours = mdbook_preprocessor::MDBOOK_VERSION;
        let its: Option<Value> = serde_json::from_str(input).ok();
        match its.as_ref().and_then(|it| it[0]["mdbook_version"].as_str()) {
            Some(its) => format!(
                "this is mdBook {its}, and the book needs the release with which mdBook {ours} is compatible; \
                 install that one (cargo install mdbook --version {ours}), or build the book with \
                 `cargo xtask build`, which needs no mdBook"
            ),
            None => "mdBook calls this itself, and hands the book over on standard input".to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_release_of_mdbook_is_named_with_what_to_do() {
        let old = r#"[{"root": "/b", "config": {"book": {}}, "renderer": "html", "mdbook_version": "0.4.52"},
            {"sections": [], "__non_exhaustive": null}]"#;
        let complaint = parse(old).unwrap_err().to_string();
        let ours = format!("mdbook --version {}", mdbook_preprocessor::MDBOOK_VERSION);
        for words in ["mdBook 0.4.52", &ours, "cargo xtask build"] {
            assert!(complaint.contains(words), "{words}: {complaint}");
        }
        assert!(parse("").unwrap_err().to_string().contains("on standard input"));
    }
}
