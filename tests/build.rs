//! Makes the macro that runs a test for each declared server, and a copy of rung 3's pool in which
//! the threads, locks and condition variables are shuttle's.
//!
//! The pool itself stays plain `std`, as the chapter shows it. The model checker must see every
//! point at which another thread may go on, so its copy uses shuttle's types of the same names.

use std::{collections::BTreeSet, env, fmt::Write, fs, path::Path};

use records::servers::{FOREIGN, SERVERS};

/// What the copy replaces: whole lines, each of which must be there exactly once.
const REPLACED: [(&str, &str); 2] = [
    (
        "use std::sync::{Arc, Condvar, Mutex, MutexGuard};",
        "use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard};",
    ),
    ("use std::{io, mem, thread};", "use shuttle::thread;\nuse std::{io, mem};"),
];

fn main() {
    let pool = Path::new("../examples/ch03/ch03_threadpool/pool.rs");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", pool.display());
    let source =
        fs::read_to_string(pool).unwrap_or_else(|error| panic!("{}: {error}", pool.display()));

    let mut found = [0; REPLACED.len()];
    let mut copy = String::new();
    for line in source.lines() {
        let replaced = REPLACED.iter().position(|(old, _)| *old == line);
        let line = match replaced {
            Some(index) => {
                found[index] += 1;
                REPLACED[index].1.to_owned()
            }
            // `include!` takes no inner doc comment.
            None => line.replacen("//!", "//", 1),
        };
        copy += &line;
        copy.push('\n');
    }
    for ((old, _), count) in REPLACED.iter().zip(found) {
        assert_eq!(count, 1, "{}: this line must be there once: {old}", pool.display());
    }
    // What is still `std`'s own is invisible to the model checker, which would then prove nothing.
    for hidden in ["std::sync", "std::thread"] {
        assert!(!copy.contains(hidden), "{}: {hidden} outside the known lines", pool.display());
    }

    for (name, text) in
        [("pool.rs", copy), ("runtime.rs", runtime()), ("for_each_rung.rs", for_each_macros())]
    {
        let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
        let target = Path::new(&folder).join(name);
        fs::write(&target, text).unwrap_or_else(|error| panic!("{}: {error}", target.display()));
    }
}

/// The parts of the runtime by hand that decide who runs when, as modules, with shuttle's types.
///
/// `Arc` stays `std`'s: a waker is made of one, and counting references is no point at which order matters.
fn runtime() -> String {
    let mut text = String::new();
    for file in ["queue.rs", "runtime/budget.rs", "runtime/readiness.rs", "runtime/task.rs"] {
        let path = Path::new("../examples/own_runtime").join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        let source =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let copy = source
            .replace("//!", "//")
            .replace("use crate::queue", "use super::queue")
            .replace("use super::runtime;", "use super::super::runtime;")
            .replace("use std::sync::{Condvar, Mutex", "use shuttle::sync::{Condvar, Mutex")
            .replace(
                "use std::sync::{Arc, Mutex};",
                "use std::sync::Arc;\nuse shuttle::sync::Mutex;",
            )
            .replace("use std::sync::Mutex", "use shuttle::sync::Mutex")
            .replace("use std::sync::atomic", "use shuttle::sync::atomic");
        let hidden = copy.replace("use std::sync::Arc;", "").contains("std::sync");
        assert!(!hidden, "{}: std::sync outside the known lines", path.display());
        let module = path.file_stem().expect("it has a name").display();
        let _ = writeln!(text, "pub mod {module} {{\n{copy}\n}}");
    }
    let _ = writeln!(text, "pub mod time {{\n{}\n}}", time());
    let _ = writeln!(text, "pub mod closing {{\n{CLOSING_USES}\n{}\n}}", closing());
    text
}

/// The timers of the runtime by hand, with a clock that the test moves.
fn time() -> String {
    let path = Path::new("../examples/own_runtime/runtime/time.rs");
    println!("cargo::rerun-if-changed={}", path.display());
    let source =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let copy = source.replace("//!", "//").replace("use super::{", "use super::super::{").replace(
        "use std::time::{Duration, Instant}",
        "use std::time::Duration;\nuse super::super::clock::Instant",
    );
    assert!(copy.contains("clock::Instant"), "{}: another clock", path.display());
    copy
}

/// What [`closing`] uses; the test has a runtime of its own, of the same form.
const CLOSING_USES: &str = "use std::{future::poll_fn, pin::pin, task::Poll};
use shuttle::sync::atomic::Ordering;
use super::super::{lock, runtime};";

/// How the runtime by hand stops: the part of its file that the page shows.
fn closing() -> String {
    let path = Path::new("../examples/own_runtime/runtime/mod.rs");
    println!("cargo::rerun-if-changed={}", path.display());
    let source =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let part = source.split_once("// ANCHOR: close\n").and_then(|(_, rest)| {
        rest.split_once("// ANCHOR_END: close\n").map(|(part, _)| part.to_owned())
    });
    part.unwrap_or_else(|| panic!("{}: no anchor `close`", path.display()))
}

/// The servers on which a plain `cargo test` runs the whole contract. On the others of the ladder it runs the list
/// `smoke`, and `cargo test -- --include-ignored` runs everything on all.
const WHOLE: [&str; 3] = ["ch01_single_threaded", "ch03_threadpool", "ch06_tokio"];

/// The one of them on which a plain `cargo test` runs the lists whose names end with `_slow` too: their tests wait for
/// seconds.
const PATIENT: &str = "ch06_tokio";

/// One server of each way of scheduling: those that speak for the ladder where the site decides, which all of it shares.
const SPEAKERS: [&str; 5] =
    ["ch01_single_threaded", "ch02_thread_spawn", "ch03_threadpool", "event_loop", "ch06_tokio"];

/// A server, and the lists whose tests are made for it.
struct Entry {
    name: &'static str,
    /// Each with whether a plain `cargo test` runs it.
    lists: Vec<(String, bool)>,
}

/// The macros `for_each_rung!`, which makes tests for the servers of the ladder, and `for_each_server!`, which makes
/// those of the contract, also for the servers outside it. A plain `cargo test` runs none of the latter, and so compiles
/// none.
fn for_each_macros() -> String {
    for server in SERVERS.iter() {
        let mut speakers = SERVERS.iter().filter(|one| SPEAKERS.contains(&one.name.as_str()));
        let is_spoken_for = speakers.any(|one| one.schedule == server.schedule);
        assert!(is_spoken_for, "SPEAKERS has no server that schedules as {}", server.name);
    }

    let mut rungs = Vec::new();
    let mut servers = Vec::new();
    for server in SERVERS.iter() {
        let name = server.name.as_str();
        let own = |runs| lists(name, format!("{:?}", server.schedule), runs);
        rungs.push(Entry { name, lists: own(true) });
        let mut contract = own(WHOLE.contains(&name));
        contract.push(("smoke".to_owned(), true));
        if SPEAKERS.contains(&name) {
            contract.push(("for_each_parser".to_owned(), WHOLE.contains(&name)));
        }
        servers.push(Entry { name, lists: contract });
    }
    for server in FOREIGN.iter() {
        let mut contract = lists(&server.name, format!("{:?}", server.schedule), false);
        contract.push(("smoke".to_owned(), false));
        contract.push(("for_each_parser".to_owned(), false));
        servers.push(Entry { name: &server.name, lists: contract });
    }
    for_each("for_each_rung", &rungs) + &for_each("for_each_server", &servers)
}

/// The lists for all servers, for those of one schedule, and for a single one; each also with the ending `_slow`.
fn lists(name: &str, schedule: String, runs: bool) -> Vec<(String, bool)> {
    let lists = ["every".to_owned(), schedule, name.to_owned()];
    let with_slow = |list: String| {
        let slow = format!("{list}_slow");
        [(list, runs), (slow, runs && name == PATIENT)]
    };
    lists.into_iter().flat_map(with_slow).collect()
}

/// A macro that makes a module of tests for each of these servers.
///
/// It takes lists of functions that take a `Rung`, such as `every: [...]`, and makes a test for each server that has the
/// list. A list that no server has does not compile.
fn for_each(name: &str, servers: &[Entry]) -> String {
    let mut modules = String::new();
    let mut own = String::new();
    let mut all = BTreeSet::new();
    for Entry { name: of, lists } in servers {
        let _ = writeln!(modules, "mod {of} {{ $crate::{name}! {{ @tests {of} $($lists)* }} }}");
        for (list, runs) in lists {
            let ignore = if *runs { "" } else { "#[ignore = \"slow\"]" };
            let _ = writeln!(
                own,
                "(@tests {of} {list}: [$($(#[$attribute:meta])* $test:ident),* $(,)?] $($lists:tt)*) => {{
                    $($(#[$attribute])* #[test] {ignore}
                    fn $test() {{ $crate::check(\"{of}\", stringify!($test), super::$test).unwrap(); }})*
                    $crate::{name}! {{ @tests {of} $($lists)* }}
                }};"
            );
            all.insert(list);
        }
    }
    let others: String = all
        .iter()
        .map(|list| {
            format!(
                "(@tests $server:ident {list}: [$($tests:tt)*] $($lists:tt)*) => {{
                    $crate::{name}! {{ @tests $server $($lists)* }}
                }};\n"
            )
        })
        .collect();
    format!(
        "/// Makes a module of tests for each of certain servers: see build.rs.
        #[macro_export]
        macro_rules! {name} {{
            {own} {others} (@tests $server:ident) => {{}};
            ($($lists:tt)*) => {{ {modules} }};
        }}\n"
    )
}
