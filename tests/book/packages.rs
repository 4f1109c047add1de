//! What is compiled for whom.

use std::collections::BTreeSet;

use ladder_tests::{none, unlike};
use records::servers::{SERVERS, Server};

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
fn a_rung_without_a_runtime_compiles_nothing_for_async() {
    let without: Vec<_> = SERVERS.iter().filter(|server| server.runtime.is_none()).collect();
    assert!(without.len() >= 3, "{without:?}");
    for Server { name: rung, reactor, .. } in without {
        let compiled = compiled_for(rung);
        assert!(compiled.iter().any(|package| name(package) == "site"), "{rung}: {compiled:?}");
        let own: Vec<&str> = reactor.as_deref().into_iter().collect();
        assert_eq!(of_kind(&compiled, &ASYNC), own, "{rung}: left: compiled, right: its reactor");
    }
}

#[test]
fn the_first_two_rungs_compile_only_the_site() {
    let mut site = compiled_for("site");
    site.insert(
        compiled_for(&SERVERS[0].name)
            .into_iter()
            .find(|package| name(package) == "site")
            .expect("the site"),
    );
    for Server { name: rung, .. } in &SERVERS[..2] {
        assert_eq!(compiled_for(rung), site, "{rung}");
    }
}

/// Its own runtime and reactor are compiled, and those of no other rung.
#[test]
fn each_rung_has_only_its_own_runtime() {
    let declared = |part: fn(&Server) -> &Option<String>| -> BTreeSet<&str> {
        SERVERS.iter().filter_map(|server| part(server).as_deref()).collect()
    };
    let (runtimes, reactors) = (declared(|it| &it.runtime), declared(|it| &it.reactor));
    let mut complaints = Vec::new();
    for Server { name: rung, runtime, reactor, .. } in SERVERS.iter() {
        let compiled = compiled_for(rung);
        let among = |known: &BTreeSet<&'static str>| -> Vec<&str> {
            known
                .iter()
                .copied()
                .filter(|it| compiled.iter().any(|package| name(package) == *it))
                .collect()
        };
        for (what, compiled, own) in
            [("runtime", among(&runtimes), runtime), ("reactor", among(&reactors), reactor)]
        {
            let own: Vec<&str> = own.as_deref().into_iter().collect();
            if compiled != own {
                complaints.push(format!(
                    "{rung}: of all {what}s it compiles {compiled:?}, and examples/servers.toml says {own:?}"
                ));
            }
        }
        // The family of packages around `polling`.
        let of_polling = of_kind(&compiled, &["async-", "smol"]);
        if reactor.as_deref() != Some("polling") && !of_polling.is_empty() {
            complaints.push(format!("{rung} compiles {of_polling:?}, which belong to polling"));
        }
    }
    none(complaints);
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
    let mut complaints = Vec::new();
    for rung in records::servers::NAMES.iter() {
        let own = own_dependencies(rung);
        if own != BTreeSet::from(["site".to_owned()]) {
            complaints
                .push(format!("{rung} depends on {own:?} of our packages, and not on site alone"));
        }
    }
    assert!(own_dependencies("experiment").is_empty());
    // The pages of the shop are looked at by several programs.
    let shared = BTreeSet::from(["experiment", "site", "which_task"].map(str::to_owned));
    for name in example_folders() {
        let others: Vec<String> = own_dependencies(&name).difference(&shared).cloned().collect();
        complaints.extend(others.iter().map(|other| format!("{name} depends on {other}")));
    }
    for package in packages().filter(|package| package["source"].is_null()) {
        let name = package["name"].as_str().expect("a name");
        if own_dependencies(name).contains("xtask") {
            complaints.push(format!("{name} depends on the tool"));
        }
    }
    none(complaints);
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

/// Building the book, measuring, recording, learning, packing and printing are compiled by whoever asks for them.
#[test]
fn who_asks_for_one_thing_compiles_nothing_of_the_others() {
    let measuring = ["measure", "fs4", "indicatif"];
    let building = ["book", "pictures", "site", "mdbook-core", "handlebars", "notify"];
    let for_no_learner = [&measuring[..], &building].concat();
    let mut complaints = Vec::new();
    for (program, others) in [("xtask", &for_no_learner[..]), ("book", &measuring[..])] {
        let compiled = compiled_for(program);
        let found = compiled.iter().map(|package| name(package)).filter(|it| others.contains(it));
        complaints.extend(found.map(|name| format!("{name} is compiled for {program}")));
    }
    none(complaints);
}

/// The packages are named, because a pattern would take for one whatever else lies there.
#[test]
fn every_package_is_named_in_the_workspace() {
    let workspace: toml::Table = read("Cargo.toml").parse().expect("it is TOML");
    let named = |list: &str| -> BTreeSet<String> {
        let names = workspace["workspace"][list].as_array().expect("it is a list");
        names.iter().map(|name| name.as_str().expect("it is a name").to_owned()).collect()
    };
    let found: BTreeSet<String> = files_below(root())
        .iter()
        .filter(|path| path.file_name().is_some_and(|name| name == "Cargo.toml"))
        .map(|path| short(path.parent().expect("it lies in a folder")))
        .filter(|folder| !folder.is_empty() && !folder.starts_with("examples/live"))
        .collect();
    let complaints_about = |list: &str, found: &BTreeSet<String>| {
        let no_such = format!(" is no package that belongs into `{list}` of Cargo.toml");
        unlike(&named(list), found, &no_such, &format!(" is missing in `{list}` of Cargo.toml"))
    };
    let mut complaints = complaints_about("members", &found);
    let mut default = found;
    default.retain(|name| {
        let apart = ["examples/elsewhere/", "examples/libraries/", "tools/measure/observed"];
        !apart.iter().any(|apart| name.starts_with(apart))
    });
    let of_all_exercises = ["exercises/kit", "exercises/texts"];
    default.retain(|name| {
        !name.starts_with("exercises/") || of_all_exercises.contains(&name.as_str())
    });
    // They would have each rung compiled with the features that they want of Tokio.
    let with_features = [
        "examples/ch06/tested_echo",
        "examples/ch06/which_task_console",
        "examples/ch06/which_task_spans",
        "examples/ch07/paused",
        "examples/doors",
        "examples/emblem/emblem_tested",
    ];
    default.retain(|name| !with_features.contains(&name.as_str()));
    complaints.extend(complaints_about("default-members", &default));
    none(complaints);
}
