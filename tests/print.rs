//! `cargo xtask print`: the PDF and the EPUB hold the whole book, its charts and diagrams as pictures, what is
//! for teachers once, and answers, hints and solutions at the end. What is folded for reference is named only; that
//! no table is cut at the margin is looked at in `browser/paper.mjs`.

use std::{fs, path::Path, process::Command, time::Duration};

use ladder_tests::{chromium, have, run, skip, tool};
use regex::Regex;

/// How long a browser and pandoc may take on a busy machine.
const MINUTES: Duration = Duration::from_secs(15 * 60);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in it")
}

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

#[test]
fn the_pdf_and_the_epub_hold_every_chapter_and_every_picture() {
    if chromium().is_none() {
        return skip(
            "no Chromium; to get it: apt install chromium, dnf install chromium, brew install --cask chromium",
        );
    }
    if !have(
        "pandoc",
        &["--version"],
        "apt install pandoc, dnf install pandoc, brew install pandoc",
    ) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let printed =
        run(tool().current_dir(root()).arg("print").arg("--out").arg(folder.path()), MINUTES);
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
    let pages = Regex::new(r"/Type /Page\b").expect("a correct expression");
    let pages = pages.find_iter(&String::from_utf8_lossy(&pdf)).count();
    assert!((100..350).contains(&pages), "{pages} pages");

    let mut pandoc = Command::new("pandoc");
    pandoc.args(["--from=epub", "--to=html", "--wrap=none"]);
    let read = run(pandoc.arg(folder.path().join("from-one-thread-to-tokio.epub")), MINUTES);
    assert_eq!(read.code, Some(0), "{}", read.stderr);
    let tags = Regex::new("<[^>]*>").expect("a correct expression");
    for title in titles() {
        let is_it = |line: &str| {
            let text = tags.replace_all(line, "");
            line.starts_with("<h1") && text.replace("&amp;", "&").trim() == title
        };
        assert!(read.stdout.lines().any(is_it), "no chapter {title:?} in the EPUB");
    }
    // The notes for teachers once, and no solution beside its task.
    let taught = fs::read_dir(root().join("book")).expect("the pages").flatten();
    let taught = taught.filter_map(|page| fs::read_to_string(page.path()).ok());
    let taught = taught.filter(|page| page.contains("<summary>For teachers</summary>")).count();
    assert_eq!(read.stdout.matches("Ask before the reveal:").count(), taught);
    let solutions = read.stdout.match_indices("A solution, and why: ").map(|(at, _)| at);
    let end = read.stdout.find(">Hints and solutions</h1>").expect("the EPUB has an end for them");
    let solutions: Vec<usize> = solutions.collect();
    assert!(solutions.len() >= 18 && solutions.iter().all(|at| *at > end), "{end}: {solutions:?}");
    let answers = read.stdout.find(">Answers to the questions</h1>").expect("and for answers");
    assert!(answers < end && read.stdout.matches(">Answer 1<").count() == 1);
    // What is for reference is named, with a page that has it.
    assert!(read.stdout.contains("On the screen, in threads-and-tasks.html: The figures of"));
    assert!(!read.stdout.contains(">Greatest</th>"), "the figures behind a chart are printed");
    let first = read.stdout.find("The task: ").expect("the EPUB has the tasks");
    assert!(first < end, "the tasks stand in their chapters");
    // One for each chart and each diagram, which the browser has drawn.
    let sources = fs::read_dir(root().join("book")).expect("the pages").flatten();
    let pages = sources.filter_map(|page| fs::read_to_string(page.path()).ok());
    let drawn =
        Regex::new(r"(?m)^(```mermaid|\{\{#(experiment|chart) )").expect("a correct expression");
    let folded = Regex::new("(?s)<details>.*?</details>").expect("a correct expression");
    let drawn: usize =
        pages.map(|page| drawn.find_iter(&folded.replace_all(&page, "")).count()).sum();
    let image = Regex::new("<img [^>]*>").expect("a correct expression");
    let images: Vec<&str> = image.find_iter(&read.stdout).map(|found| found.as_str()).collect();
    assert!(images.len() >= drawn && drawn > 20, "{} of {drawn} pictures", images.len());
    for image in images {
        assert!(image.contains("alt=\"") && !image.contains("alt=\"\""), "no words for {image}");
    }
    assert!(!read.stdout.contains("<script") && !read.stdout.contains("<svg"));
}
