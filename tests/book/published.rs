//! The book as somebody publishes it: with the three lines of `book.toml` that name its places.

use std::fs;

use ladder_tests::{build_book, copy_book};
use regex::Regex;

use super::{
    build::scratch,
    repository::{files_below, root},
};

/// What is put in the place of the three dots, which the comment has in each of the lines.
const PLACES: [(&str, &str); 3] = [
    ("git-repository-url", "example.org/someone/one-thread"),
    ("edit-url-template", "example.org/someone/one-thread"),
    ("site-url", "someone.example.org/book"),
];

#[test]
fn the_three_lines_of_the_settings_publish_the_book() {
    let copy = scratch("published");
    copy_book(&copy);
    let file = copy.join("book.toml");
    let mut settings = fs::read_to_string(&file).expect("it is there");
    for (name, place) in PLACES {
        let commented = format!("\n# {name} = \"https://…");
        assert_eq!(settings.matches(&commented).count(), 1, "{name} stands in a comment");
        settings = settings.replace(&commented, &format!("\n{name} = \"https://{place}"));
    }
    fs::write(&file, settings).expect("it can be written");
    let output = copy.join("target/built");
    let finished = build_book(&copy, &output);
    let said = format!("{}{}", finished.stdout, finished.stderr);
    assert_eq!(finished.code, Some(0), "{said}");
    assert!(!said.to_lowercase().contains("warn"), "{said}");

    // Where a page has moved, mdBook writes the new one, without a host.
    let own = Regex::new(
        "(?:<link rel=\"canonical\" href|<meta property=\"og:(?:url|image)\" content)=\"(https:[^\"]*)\"",
    )
    .expect("it is one");
    let source =
        Regex::new("href=\"https://example.org/someone/one-thread/(?:edit|blob)/main/([^\"]*)\"")
            .expect("it is one");
    let (mut pages, mut sources) = (0, 0);
    for path in files_below(&output) {
        if path.extension().is_none_or(|ending| ending != "html") {
            continue;
        }
        let html = fs::read_to_string(&path).expect("it is text");
        let name = path.strip_prefix(&output).expect("it is below").display().to_string();
        let mut addresses = 0;
        for found in own.captures_iter(&html) {
            addresses += 1;
            let file = found[1].strip_prefix("https://someone.example.org/book/");
            let file = file.unwrap_or_else(|| panic!("{name}: {}", &found[1]));
            let file = if file.is_empty() { "index.html" } else { file };
            assert!(output.join(file).is_file(), "{name}: {}", &found[1]);
        }
        // A page has all three, and what is no page of the book has none.
        assert!([0, 3].contains(&addresses), "{name}: {addresses}");
        pages += usize::from(addresses > 0);
        for found in source.captures_iter(&html) {
            sources += 1;
            assert!(root().join(&found[1]).is_file(), "{name}: {}", &found[1]);
        }
    }
    assert!(pages > 30, "{pages} pages");
    assert!(sources > 150, "{sources} links to sources");
    let read = |name: &str| fs::read_to_string(output.join(name)).expect("it is there");
    let clone = "git clone https://example.org/someone/one-thread\n";
    assert!(read("introduction.html").contains(clone));
    assert!(read("404.html").contains("<base href=\"/book/\">"));
    fs::remove_dir_all(&copy).expect("the copy can be removed");
}
