//! The book as somebody publishes it. How it opens in a browser: `browser/published.mjs`.

use std::fs;

use ladder_tests::{build_book, copy_published_book};
use regex::Regex;

use super::{
    build::scratch,
    repository::{files_below, root},
};

#[test]
fn the_three_lines_of_the_settings_publish_the_book() {
    let copy = scratch("published");
    copy_published_book(&copy);
    let output = copy.join("target/built");
    let finished = build_book(&copy, &output);
    let said = format!("{}{}", finished.stdout, finished.stderr);
    assert_eq!(finished.code, Some(0), "{said}");
    assert!(!said.to_lowercase().contains("warn"), "{said}");

    let source =
        Regex::new("href=\"https://example.org/someone/one-thread/(?:edit|blob)/main/([^\"]*)\"")
            .expect("it is one");
    let mut sources = 0;
    for path in files_below(&output) {
        if path.extension().is_none_or(|ending| ending != "html") {
            continue;
        }
        let html = fs::read_to_string(&path).expect("it is text");
        for found in source.captures_iter(&html) {
            sources += 1;
            assert!(root().join(&found[1]).is_file(), "{}: {}", path.display(), &found[1]);
        }
    }
    assert!(sources > 150, "{sources} links to sources");
    let read = |name: &str| fs::read_to_string(output.join(name)).expect("it is there");
    let clone = "git clone https://example.org/someone/one-thread\n";
    assert!(read("introduction.html").contains(clone));
    assert!(read("404.html").contains("<base href=\"https://someone.example.org/book/\">"));
    fs::remove_dir_all(&copy).expect("the copy can be removed");
}
