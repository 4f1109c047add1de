//! The page on futures that are begun and not polled: which programs stand still, and what their own rows say of it.

use std::fs;

use ladder_tests::{DEADLINE, example, root, run};

/// What a program prints, which ends after a second at the latest.
#[track_caller]
fn lines(name: &str) -> Vec<String> {
    let finished = run(&mut example(name), DEADLINE);
    assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
    finished.stdout.lines().map(str::to_owned).collect()
}

/// The row of a future: its bar, and how it ended.
#[track_caller]
fn row(lines: &[String], name: &str) -> (String, String) {
    let line = lines.iter().find(|line| line.starts_with(&format!("{name:9} ")));
    let rest = line.unwrap_or_else(|| panic!("no row {name} in {lines:#?}"))[10..].trim_end();
    let (bar, how) = rest.rsplit_once("  ").unwrap_or_else(|| panic!("{rest:?} doesn't end"));
    (bar.trim_end().to_owned(), how.to_owned())
}

const FORGOTTEN: &str = "is woken, and nobody polls it";
const ANSWERED: &str = "has its answer";

fn stands_still(lines: &[String]) -> bool {
    lines.last().is_some_and(|line| line.ends_with(": it stands still"))
}

/// Whether this future has what the other waits for, and is queued for a poll to the end.
#[track_caller]
fn is_forgotten(lines: &[String], forgotten: &str, waits: &str) {
    assert!(stands_still(lines), "{lines:#?}");
    let (bar, how) = row(lines, forgotten);
    assert_eq!(how, FORGOTTEN, "{lines:#?}");
    // On a busy machine its first poll is a column later than the other's.
    assert!(bar.trim_start().starts_with('.') && bar.ends_with('/'), "{lines:#?}");
    assert_eq!(row(lines, waits).1, "waits", "{lines:#?}");
}

#[test]
fn a_lent_future_is_woken_and_never_polled() {
    for name in ["lent", "lent_blocking"] {
        let lines = lines(name);
        is_forgotten(&lines, "question", "status");
        assert_eq!(row(&lines, "other").1, ANSWERED, "{name}");
    }
}

/// Also if what takes from the buffer would poll futures side by side, but has as many as it may.
#[test]
fn so_is_one_in_a_buffer() {
    for name in ["lent_buffer", "lent_each_behind"] {
        let lines = lines(name);
        assert_eq!(row(&lines, "first").1, ANSWERED, "{name}");
        is_forgotten(&lines, "second", "store 1");
    }
}

#[test]
fn a_question_with_what_follows_it_and_one_with_a_task_hold_up_nobody() {
    for name in ["lent_each", "lent_set"] {
        let lines = lines(name);
        assert!(!stands_still(&lines), "{name}: {lines:#?}");
        for future in ["first", "second", "store 1", "store 2"] {
            assert_eq!(row(&lines, future).1, ANSWERED, "{name}: {lines:#?}");
        }
    }
}

#[test]
fn what_is_polled_dropped_or_spawned_holds_up_nobody() {
    for (name, question, status) in [
        ("lent_polled", ANSWERED, "dropped"),
        ("lent_dropped", "dropped", ANSWERED),
        ("lent_spawned", ANSWERED, ANSWERED),
    ] {
        let lines = lines(name);
        assert!(!stands_still(&lines), "{name}: {lines:#?}");
        assert_eq!(row(&lines, "question").1, question, "{name}: {lines:#?}");
        assert_eq!(row(&lines, "status").1, status, "{name}: {lines:#?}");
    }
}

/// The rows on the page, without their lengths, are those that are printed, in any order.
#[test]
fn the_page_shows_the_rows_of_each_program() {
    let page = fs::read_to_string(root().join("book/lent-and-forgotten.md")).expect("it is there");
    for name in [
        "lent",
        "lent_blocking",
        "lent_buffer",
        "lent_dropped",
        "lent_each",
        "lent_each_behind",
        "lent_polled",
        "lent_set",
        "lent_spawned",
    ] {
        let command = format!("$ cargo run --example {name}\n");
        let (_, below) = page.split_once(&command).unwrap_or_else(|| panic!("no {name} there"));
        let shown = below.split("```").next().unwrap_or_default();
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        let printed = lines(name);
        assert_eq!(stands_still(&shown), stands_still(&printed), "{name}");
        let ends = |lines: &[String]| -> Vec<(String, String)> {
            let names = lines[..lines.len() - 1].iter().map(|line| line[..9].trim_end());
            let mut ends: Vec<_> = names.map(|it| (it.to_owned(), row(lines, it).1)).collect();
            ends.sort();
            ends
        };
        assert_eq!(ends(&shown), ends(&printed), "{name}: left: on the page, right: printed");
    }
}
