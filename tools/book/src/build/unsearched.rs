//! What a tool printed is on a page as it was, but no search finds it: its rows are no words of the book.
//!
//! mdBook's search leaves out what is in a script. So mdBook is given these blocks as scripts of a kind that no browser
//! runs, and what it has rendered gets them back as blocks.

use std::{fs, path::Path, sync::LazyLock};

use anyhow::{Context, Result};
use mdbook_driver::book::Book;
use regex::{Captures, Regex};

use pictures::text::escape;

/// What comes after the fence of such a block.
pub(crate) const AS_PRINTED: &str = "text,as-printed";

const SCRIPT: &str = "<script type=\"text/plain\" class=\"as-printed\">";

static BLOCKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!("(?ms)^```{AS_PRINTED}\n(.*?)\n```$")).expect("a correct expression")
});

static SCRIPTS: LazyLock<Regex> = LazyLock::new(|| {
    // After a block there is one end of a line, and after HTML there are two.
    Regex::new(&format!("(?s){SCRIPT}(.*?)</script></pre>\n+")).expect("a correct expression")
});

/// Makes scripts of the blocks of a book.
pub(super) fn hide(book: &mut Book) {
    let script = |block: &Captures| format!("<pre>{SCRIPT}{}\n</script></pre>", &block[1]);
    book.for_each_chapter_mut(|chapter| {
        chapter.content = BLOCKS.replace_all(&chapter.content, script).into_owned();
    });
}

/// Makes blocks of the scripts of a page.
pub(super) fn show(page: &str) -> String {
    let block = |script: &Captures| {
        format!("<code class=\"language-text as-printed\">{}</code></pre>\n", escape(&script[1]))
    };
    SCRIPTS.replace_all(page, block).into_owned()
}

/// Does that for all pages in a folder.
pub(super) fn show_all(folder: &Path) -> Result<()> {
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.context("cannot read a folder")?;
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "html") {
            let page = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            fs::write(path, show(&page))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}
