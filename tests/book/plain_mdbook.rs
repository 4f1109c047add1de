//! The book is built by plain mdBook as well, as `book.toml` tells it to: its figures and diagrams come from the
//! command that is named there, and what comes out is what the tool makes.

use std::{fs, path::Path};

use ladder_tests::{build_book, root};
use mdbook_driver::MDBook;
use mdbook_mermaid::Mermaid;

/// A page of a built book.
fn page(folder: &Path, page: &str) -> String {
    let file = folder.join(page);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
#[ignore = "slow"]
fn plain_mdbook_makes_the_same_pages() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plain_mdbook");
    let [plain, ours] = ["plain", "ours"].map(|name| scratch.join(name));
    let mut book = MDBook::load(root()).expect("book.toml is right");
    // `mdbook-mermaid` is a command only where it was installed; the library is the same program.
    book.with_preprocessor(Mermaid);
    book.config.build.build_dir.clone_from(&plain);
    book.build().expect("plain mdBook builds the book");
    let finished = build_book(root(), &ours);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for name in ["introduction.html", "ch03-threadpool.html", "ch06-tokio.html", "measuring.html"] {
        assert!(
            page(&plain, name) == page(&ours, name),
            "{name} differs: see {}",
            scratch.display()
        );
    }
}
