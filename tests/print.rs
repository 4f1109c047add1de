//! `cargo xtask print`: the PDF and the EPUB hold the whole book, its charts and diagrams as pictures, what is
//! for teachers once, and answers, hints and solutions at the end. What is folded for reference is named only; that
//! no table is cut at the margin is looked at in `browser/paper.mjs`.

use std::{fs, process::Command, time::Duration};

use ladder_tests::{chromium, have, program, root, run, skip};
use regex::Regex;

/// How long a browser and pandoc may take on a busy machine.
const MINUTES: Duration = Duration::from_secs(15 * 60);

/// The titles of all chapters, as their pages have them.
fn titles() -> Vec<String> {
    let summary = fs::read_to_string(root().join("book/SUMMARY.md")).expect("the book has one");
    let link = Regex::new(r"\]\(([a-z0-9-]+\.md)\)").expect("a correct expression");
    let title = |page: &str| {
        let text = fs::read_to_string(root().join("book").join(page)).expect("SUMMARY.md names it");
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).expect("it has a title");
        title.replace('`', "")
    };
    link.captures_iter(&summary).map(|found| title(&found[1])).collect()
}

/// The Markdown of all pages of the book's folder.
fn pages() -> Vec<String> {
    let files = fs::read_dir(root().join("book")).expect("the pages").flatten();
    files.filter_map(|page| fs::read_to_string(page.path()).ok()).collect()
}

#[test]
#[ignore = "slow: cargo test --test print -- --include-ignored"]
fn the_pdf_and_the_epub_hold_every_chapter_and_every_picture() {
    if chromium().is_none() {
        return skip(
            "no Chromium; to get it: apt install chromium, dnf install chromium, brew install --cask chromium",
        );
    }
    let how = "apt install pandoc, dnf install pandoc, brew install pandoc";
    if !have("pandoc", &["--version"], how) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let printed =
        run(program("print").current_dir(root()).arg("--out").arg(folder.path()), MINUTES);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .expect("it was made")
        .map(|entry| {
            entry.expect("it can be read").file_name().into_string().expect("a plain name")
        })
        .collect();
    names.sort();
    assert_eq!(names, ["from-one-thread-to-tokio.epub", "from-one-thread-to-tokio.pdf"]);

    let pdf = fs::read(folder.path().join("from-one-thread-to-tokio.pdf")).expect("it is there");
    assert!(pdf.starts_with(b"%PDF-"));
    let sheet = Regex::new(r"/Type /Page\b").expect("a correct expression");
    let sheets = sheet.find_iter(&String::from_utf8_lossy(&pdf)).count();
    assert!((100..350).contains(&sheets), "{sheets} pages");

    let mut pandoc = Command::new("pandoc");
    pandoc.args(["--from=epub", "--to=html", "--wrap=none"]);
    let read = run(pandoc.arg(folder.path().join("from-one-thread-to-tokio.epub")), MINUTES);
    assert_eq!(read.code, Some(0), "{}", read.stderr);
    has_every_chapter(&read.stdout);
    has_its_answers_at_the_end(&read.stdout);
    has_every_picture(&read.stdout);
}

#[track_caller]
fn has_every_chapter(epub: &str) {
    let tags = Regex::new("<[^>]*>").expect("a correct expression");
    for title in titles() {
        let is_it = |line: &str| {
            let text = tags.replace_all(line, "");
            line.starts_with("<h1") && text.replace("&amp;", "&").trim() == title
        };
        assert!(epub.lines().any(is_it), "no chapter {title:?} in the EPUB");
    }
}

/// The notes for teachers once, no solution beside its task, and what is for reference only by its name.
#[track_caller]
fn has_its_answers_at_the_end(epub: &str) {
    let is_taught = |page: &&String| page.contains("<summary>For teachers</summary>");
    let taught = pages().iter().filter(is_taught).count();
    assert_eq!(epub.matches("Ask before the reveal:").count(), taught);
    let end = epub.find(">Hints and solutions</h1>").expect("the EPUB has an end for them");
    let solutions: Vec<usize> =
        epub.match_indices("A solution, and why: ").map(|(at, _)| at).collect();
    assert!(solutions.len() >= 18 && solutions.iter().all(|at| *at > end), "{end}: {solutions:?}");
    let answers = epub.find(">Answers to the questions</h1>").expect("and for answers");
    assert!(answers < end && epub.matches(">Answer 1<").count() == 1);
    assert!(epub.contains("On the screen, in threads-and-tasks.html: The figures of"));
    assert!(!epub.contains(">Greatest</th>"), "the figures behind a chart are printed");
    let first = epub.find("The task: ").expect("the EPUB has the tasks");
    assert!(first < end, "the tasks stand in their chapters");
}

/// One for each chart and each diagram, which the browser has drawn.
#[track_caller]
fn has_every_picture(epub: &str) {
    let drawn =
        Regex::new(r"(?m)^(```mermaid|\{\{#(experiment|chart) )").expect("a correct expression");
    let folded = Regex::new("(?s)<details>.*?</details>").expect("a correct expression");
    let drawn: usize =
        pages().iter().map(|page| drawn.find_iter(&folded.replace_all(page, "")).count()).sum();
    let image = Regex::new("<img [^>]*>").expect("a correct expression");
    let images: Vec<&str> = image.find_iter(epub).map(|found| found.as_str()).collect();
    assert!(images.len() >= drawn && drawn > 20, "{} of {drawn} pictures", images.len());
    for image in images {
        assert!(image.contains("alt=\"") && !image.contains("alt=\"\""), "no words for {image}");
    }
    assert!(!epub.contains("<script") && !epub.contains("<svg"));
}
