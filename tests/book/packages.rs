//! What is compiled for whom.

use std::collections::BTreeSet;

use super::repository::{
    METADATA, compiled_for, example_folders, files_below, packages, read, root, short,
};

/// Beginnings of the names of packages that exist for `async`.
const ASYNC: [&str; 16] = [
    "async",
    "blocking",
    "concurrent-queue",
    "event-listener",
    "fastrand",
    "futures",
    "mio",
    "parking",
    "pin-",
    "piper",
    "polling",
    "pollster",
    "slab",
    "smol",
    "tokio",
    "waker-fn",
];

fn name(package: &str) -> &str {
    package.split(' ').next().unwrap_or_default()
}

fn of_kind<'a>(packages: &'a BTreeSet<String>, kinds: &[&str]) -> Vec<&'a str> {
    packages
        .iter()
        .map(|package| name(package))
        .filter(|name| kinds.iter().any(|kind| name.starts_with(kind)))
        .collect()
}

#[test]
fn the_first_three_rungs_compile_nothing_for_async() {
    for rung in ["ch01_single_threaded", "ch02_thread_spawn", "ch03_threadpool"] {
        let compiled = compiled_for(rung);
        assert!(compiled.iter().any(|package| name(package) == "site"), "{rung}: {compiled:?}");
        assert_eq!(of_kind(&compiled, &ASYNC), [""; 0], "{rung}");
    }
}

#[test]
fn the_first_two_rungs_compile_only_the_site() {
    let mut site = compiled_for("site");
    site.insert(
        compiled_for("ch01_single_threaded")
            .into_iter()
            .find(|package| name(package) == "site")
            .expect("the site"),
    );
    for rung in ["ch01_single_threaded", "ch02_thread_spawn"] {
        assert_eq!(compiled_for(rung), site, "{rung}");
    }
    assert!(site.len() <= 12, "the site is meant to be small: {site:?}");
}

#[test]
fn each_rung_has_only_its_own_runtime() {
    for (rung, others) in [
        ("event_loop", &["tokio", "async", "futures", "smol", "polling"][..]),
        ("ch04_async_std", &["tokio", "smol", "mio"]),
        ("ch04_smol", &["tokio", "async-std", "mio"]),
        ("ch05_futures_executor", &["tokio", "async-std", "smol", "mio"]),
        ("ch05_futures_blocking", &["tokio", "async-std", "smol", "async-io", "polling", "mio"]),
        ("own_runtime", &["tokio", "async", "futures", "smol", "polling"]),
        ("ch06_tokio", &["async-", "smol", "polling"]),
    ] {
        assert_eq!(of_kind(&compiled_for(rung), others), [""; 0], "{rung}");
    }
}

/// The names of the workspace's own packages on which this one depends, those for its tests included.
fn own_dependencies(package: &str) -> BTreeSet<String> {
    let own: BTreeSet<&str> = packages()
        .filter(|package| package["source"].is_null())
        .filter_map(|package| package["name"].as_str())
        .collect();
    let package = super::repository::package(package);
    let dependencies = package["dependencies"].as_array().expect("a list");
    let names = dependencies.iter().filter_map(|dependency| dependency["name"].as_str());
    names.filter(|name| own.contains(name)).map(str::to_owned).collect()
}

#[test]
fn dependencies_point_one_way() {
    assert!(own_dependencies("site").is_empty());
    for rung in servers::NAMES.iter() {
        assert_eq!(own_dependencies(rung), BTreeSet::from(["site".to_owned()]), "{rung}");
    }
    assert!(own_dependencies("experiment").is_empty());
    let shared = BTreeSet::from(["experiment".to_owned(), "site".to_owned()]);
    for name in example_folders() {
        assert!(own_dependencies(&name).is_subset(&shared), "{name}");
    }
    for package in packages().filter(|package| package["source"].is_null()) {
        let name = package["name"].as_str().expect("a name");
        assert!(!own_dependencies(name).contains("xtask"), "{name} depends on the tool");
    }
}

/// `1.88` or `1.88.0` as numbers.
fn version(text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> =
        text.split('.').map(|number| number.parse().expect("a number")).collect();
    numbers.resize(3, 0);
    numbers
}

#[test]
fn the_stated_rust_version_is_enough_for_every_dependency() {
    let own = packages().filter(|package| package["source"].is_null());
    let stated: BTreeSet<&str> = own
        .map(|package| package["rust_version"].as_str().expect("rust-version is stated"))
        .collect();
    let [stated] = stated.into_iter().collect::<Vec<_>>()[..] else {
        panic!("the packages state different versions")
    };
    // Only what is resolved for this system counts.
    let nodes = METADATA["resolve"]["nodes"].as_array().expect("a list");
    let resolved: BTreeSet<&str> = nodes.iter().filter_map(|node| node["id"].as_str()).collect();
    for package in
        packages().filter(|package| resolved.contains(package["id"].as_str().expect("an id")))
    {
        if let Some(needed) = package["rust_version"].as_str() {
            let name = &package["name"];
            assert!(
                version(needed) <= version(stated),
                "{name} needs Rust {needed}; Cargo.toml states {stated}"
            );
        }
    }
}

#[test]
fn every_package_has_the_licence_of_the_whole() {
    for package in packages().filter(|package| package["source"].is_null()) {
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{}", package["name"]);
    }
}

/// They panic where a pipe is closed or a disk is full, and a server must not end for that.
#[test]
fn no_example_prints_with_a_macro_that_panics() {
    let macros = ["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!("];
    for path in files_below(&root().join("examples")) {
        let name = short(&path);
        if !name.ends_with(".rs") || name.contains("/tests/") {
            continue;
        }
        for (index, line) in read(&path).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let found = macros.iter().find(|name| code.contains(**name));
            assert_eq!(found, None, "{name}:{}: write to it and let an error go", index + 1);
        }
    }
}
