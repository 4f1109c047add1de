//! A mistake in a page, which its writer is to find.

use std::fs;

use ladder_tests::build_book;

use super::build::scratch;

#[test]
fn a_malformed_directive_is_refused_with_its_file_and_line() {
    let repository = scratch("refused");
    let write = |name: &str, text: &str| {
        fs::write(repository.join(name), text).expect("it can be written");
    };
    fs::create_dir(repository.join("book")).expect("it can be made");
    write("Cargo.toml", "");
    write(
        "book.toml",
        "[book]\ntitle = \"A small book\"\nsrc = \"book\"\n[build]\nbuild-dir = \"target/book\"\n[output.html]\n",
    );
    write("book/SUMMARY.md", "# Summary\n\n- [One thread](one.md)\n");
    write("book/one.md", "# One thread\n\nIt was recorded:\n\n{{#replay}}\n");
    let output = repository.join("target/built");
    let finished = build_book(&repository, &output);
    assert_ne!(finished.code, Some(0), "it was built: {}", finished.stdout);
    for words in ["book/one.md:5: ", "{{#replay RUNG}}"] {
        assert!(finished.stderr.contains(words), "no {words} in: {}", finished.stderr);
    }
    assert!(!output.exists(), "a broken book was left");
    fs::remove_dir_all(&repository).expect("it can be removed");
}
