//! The preprocessor `ladder` of mdBook, which fills in the directives of all pages.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, book::Book};
use records::results::{Results, books};
use serde_json::Value;

use crate::{
    anchors::without_anchors,
    check::check_pages,
    diagrams::Diagrams,
    filler::Filler,
    problem::fail_on,
    published,
    report::measured::Measured,
    settings,
    terms::{GLOSSARY, Terms},
};

pub use crate::directive::help;

/// The preprocessor.
#[derive(Debug, Default)]
pub struct Ladder {
    /// Where the reader's own recordings are, to stand beside the book's; `None` for nowhere.
    pub yours: Option<PathBuf>,
    /// Leave a diagram that nobody has drawn yet to the script that draws while somebody writes.
    pub live: bool,
}

impl Preprocessor for Ladder {
    fn name(&self) -> &str {
        "ladder"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        // With plain mdBook this is the only place where we can stand in its way.
        settings::refuse_to_delete(&context.root, &context.config)?;
        published::check(&context.config)?;
        let source = context.root.join(&context.config.book.src);
        let filler = Filler {
            root: context.root.clone(),
            measured: Measured::read(&context.root)?,
            results: Results::read(&books(&context.root))?,
            yours: self.yours.as_deref().map(Results::read).transpose()?,
            repository: context.config.get("output.html.git-repository-url").ok().flatten(),
            filled: RefCell::default(),
        };
        let diagrams = Diagrams::of(&source);
        let glossary = book.chapters().find(|it| it.path.as_deref() == Some(Path::new(GLOSSARY)));
        let terms = glossary.map(|it| Terms::of(&it.content)).unwrap_or_default();
        let mut failure = None;
        book.for_each_chapter_mut(|chapter| {
            if failure.is_some() {
                return;
            }
            let page = chapter.path.clone().unwrap_or_default();
            let filled = filler.fill(&page, &chapter.content).map(|content| {
                // A whole file that is included shows its anchors.
                diagrams.put(&terms.explain(&without_anchors(&content)))
            });
            match filled {
                Ok(content) => chapter.content = content,
                Err(error) => {
                    let file = chapter.source_path.clone().unwrap_or_default();
                    failure = Some(error.context(format!("{}", file.display())));
                }
            }
        });
        // mdBook has swallowed absent includes by now, and line numbers have moved: read the files themselves. Only
        // what could not be filled in is tried again, to say where it stands.
        let asked = (!self.live).then_some(&diagrams);
        fail_on(&check_pages(&context.root, &source, &filler, asked)?)?;
        failure.map_or(Ok(book), Err)
    }

    fn supports_renderer(&self, renderer: &str) -> Result<bool> {
        Ok(supports(renderer))
    }
}

/// Whether the preprocessor has something to do for this renderer.
pub fn supports(renderer: &str) -> bool {
    // `mdbook test` compiles the listings, and needs no figures.
    renderer != "test"
}

/// Speaks mdBook's protocol for preprocessors: the book comes as JSON on standard input. Fails when the input is not of
/// this protocol, or a page has a problem.
pub fn preprocess() -> Result<()> {
    let input = std::io::read_to_string(std::io::stdin()).context("cannot read the book")?;
    let (context, book) = parse(&input)?;
    let book = Ladder::default().run(&context, book)?;
    serde_json::to_writer(std::io::stdout(), &book).context("cannot hand the book back to mdBook")
}

/// The book and its settings, as mdBook hands them over. Another release may do that in another form.
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
