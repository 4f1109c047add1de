//! What the page "Which task is it?" claims of its programs: which page of the shop is slow, which holds the worker, and
//! who says so.
//!
//! A time is compared with other times of the same run only. A machine that stalls may change which is longer, so each
//! program has several tries.

use std::{collections::BTreeMap, fs, process::Command};

use ladder_tests::{DEADLINE, example, root, run};

const PAGE: &str = "book/which-task.md";

const PAGES: [&str; 5] = ["dearest", "newsletter", "presents", "receipt", "total"];

/// A machine with eight times as much to do had five bad tries, one after the other.
const TRIES: usize = 20;

/// The page that holds its worker.
const CULPRIT: &str = "newsletter";

/// What a program prints.
#[track_caller]
fn printed(name: &str) -> String {
    let finished = run(&mut example(name), DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{name}");
    finished.stdout
}

/// What the page shows below the command that runs this program.
#[track_caller]
fn shown(command: &str) -> String {
    let page = fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let start = format!("```console\n$ {command}\n");
    let (_, below) = page.split_once(&start).unwrap_or_else(|| panic!("no {command} on the page"));
    below.split("```").next().unwrap_or_default().to_owned()
}

/// What the slowest request of each client took, in milliseconds: the lines `total  292 ms`.
#[track_caller]
fn slowest(printed: &str) -> BTreeMap<&str, u64> {
    let lines = printed.lines().filter_map(|line| {
        let (page, time) = line.strip_suffix(" ms")?.split_once("  ")?;
        Some((page.trim(), time.trim().parse().expect("milliseconds")))
    });
    let slowest: BTreeMap<&str, u64> = lines.collect();
    assert_eq!(slowest.keys().copied().collect::<Vec<_>>(), PAGES, "{printed}");
    slowest
}

/// Whether each page takes at least half as long as the page that holds the worker.
fn all_are_slow(printed: &str) -> bool {
    let slowest = slowest(printed);
    slowest.values().all(|time| 2 * time >= slowest[CULPRIT])
}

#[test]
fn the_times_of_the_pages_do_not_tell_who_holds_the_worker() {
    let comes_out = |printed: &str| {
        let slowest = slowest(printed);
        all_are_slow(printed) && slowest["receipt"] > slowest[CULPRIT]
    };
    assert!((0..TRIES).any(|_| comes_out(&printed("which_task"))), "some page wasn't slow");
    assert!(comes_out(&shown("cargo run --example which_task")));
}

/// How much of its time the worker was busy: the line `busy for 588 of 911 ms`.
#[track_caller]
fn busy(printed: &str) -> f64 {
    let line = printed.lines().last().and_then(|line| line.strip_prefix("busy for "));
    let numbers = line.and_then(|line| line.strip_suffix(" ms")?.split_once(" of "));
    let (busy, all) = numbers.unwrap_or_else(|| panic!("no times in {printed}"));
    let number = |text: &str| text.parse::<f64>().expect("milliseconds");
    number(busy) / number(all)
}

/// The five pages wait for most of their time, so a worker that nobody holds would be busy for a small part of it.
#[test]
fn the_counter_says_that_the_worker_is_held() {
    let is_held = |printed: &str| (0.4..=1.0).contains(&busy(printed));
    assert!((0..TRIES).any(|_| is_held(&printed("which_task_metrics"))), "it was idle");
    assert!(is_held(&shown("cargo run --example which_task_metrics")));
}

/// The pages that compute nothing are fast when nothing is computed next to them.
#[test]
fn nobody_waits_once_the_page_is_repaired() {
    let comes_out = |printed: &str| {
        let slowest = slowest(printed);
        let others = PAGES.iter().filter(|page| **page != "receipt");
        others.into_iter().all(|page| 2 * slowest[page] < slowest["receipt"])
    };
    assert!((0..TRIES).any(|_| comes_out(&printed("which_task_repaired"))), "some page was slow");
    assert!(comes_out(&shown("cargo run --example which_task_repaired")));
}

/// A time as tracing writes it, in milliseconds: `1.23ms`, `456µs`, `2.1s`.
#[track_caller]
fn milliseconds(written: &str) -> f64 {
    let units = [("ns", 1e-6), ("µs", 1e-3), ("ms", 1.0), ("s", 1e3)];
    let read = |(unit, factor): (&str, f64)| {
        Some(written.strip_suffix(unit)?.parse::<f64>().ok()? * factor)
    };
    units.into_iter().find_map(read).unwrap_or_else(|| panic!("{written} is no time"))
}

/// For each page, the longest that one of its spans was busy, in milliseconds: the lines `total: close time.busy=…`.
#[track_caller]
fn busiest(printed: &str) -> BTreeMap<&str, f64> {
    let mut busiest = BTreeMap::new();
    for line in printed.lines() {
        let Some((spans, times)) = line.split_once(": close time.busy=") else { continue };
        let page = spans.rsplit([' ', ':']).next().expect("a span has a name");
        let busy = milliseconds(times.split(' ').next().unwrap_or_default());
        let longest = busiest.entry(page).or_insert(busy);
        *longest = busy.max(*longest);
    }
    assert_eq!(busiest.keys().copied().collect::<Vec<_>>(), PAGES, "{printed}");
    busiest
}

/// Whether the spans say that one page was busy for longer than all others together.
fn spans_name_it(printed: &str) -> bool {
    let busiest = busiest(printed);
    busiest[CULPRIT] > busiest.values().sum::<f64>() / 2.0
}

/// Tokio is compiled once more, with spans of its own.
#[ignore = "slow"]
#[test]
fn spans_tell_who_is_busy_unless_they_stay_entered() {
    let command = |name: &str| format!("cargo run -p which_task_spans --example {name}");
    assert!((0..TRIES).any(|_| spans_name_it(&printed("which_task_spans"))), "another was busy");
    assert!(spans_name_it(&shown(&command("which_task_spans"))));
    assert!(!spans_name_it(&printed("which_task_entered")));
    assert!(!spans_name_it(&shown(&command("which_task_entered -- 1"))));
}

/// Tokio has to be compiled once more, and much else.
#[ignore = "slow"]
#[test]
fn the_program_that_the_console_looks_at_is_built_as_the_page_says() {
    let page = fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let command = page.lines().find_map(|line| line.strip_prefix("$ RUSTFLAGS="));
    let words = shlex::split(command.expect("the page builds it")).expect("a shell reads it");
    let [flags, program, arguments @ ..] = &words[..] else { panic!("no command: {words:?}") };
    let arguments: Vec<&String> = arguments.iter().take_while(|word| *word != "--").collect();
    assert_eq!(program, "cargo");
    let mut cargo = Command::new(program);
    cargo.args(arguments).current_dir(root());
    // Any free port, because somebody else's console may be open.
    cargo.env("RUSTFLAGS", flags).env("TOKIO_CONSOLE_BIND", "127.0.0.1:0");
    let finished = run(&mut cargo, 30 * DEADLINE);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    slowest(&finished.stdout);
}
