//! Makes copies of rung 3's pool and of the runtime by hand in which the threads, locks and condition variables are
//! shuttle's.
//!
//! The pool itself stays plain `std`, as the chapter shows it. The model checker must see every
//! point at which another thread may go on, so its copy uses shuttle's types of the same names.

use std::{env, fmt::Write, fs, path::Path};

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

    for (name, text) in [("pool.rs", copy), ("runtime.rs", runtime())] {
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
