//! The rooms of the tool: crates and modules in layers, so that no import runs upwards and none in a circle.

use std::collections::{BTreeMap, BTreeSet};

use ladder_tests::none;
use regex::Regex;

use super::repository::{compiled_for, files_below, packages, read, root};

/// The crates of the tool, from the bottom up: those of a layer know only those of the layers below it.
const LAYERS: [&[&str]; 7] = [
    &["base", "servers"],
    &["records"],
    &["process", "report", "workshop"],
    &["book"],
    &["bench", "doctor", "learn", "observe", "pack", "print"],
    &["xtask"],
    &["ladder_tests"],
];

/// The dependencies of a package that lie in this repository, those of its tests left out.
fn own_dependencies(package: &str) -> Vec<String> {
    let package = super::repository::package(package);
    let all = package["dependencies"].as_array().expect("a list").iter();
    let own = all.filter(|one| one["source"].is_null() && one["kind"].is_null());
    own.filter_map(|one| one["name"].as_str()).map(str::to_owned).collect()
}

#[test]
fn no_crate_knows_one_above_it() {
    let place = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    let tools = root().join("tools");
    let mut complaints = Vec::new();
    for package in packages() {
        let manifest = package["manifest_path"].as_str().expect("a path");
        let name = package["name"].as_str().expect("a name");
        if std::path::Path::new(manifest).starts_with(&tools) && place(name).is_none() {
            complaints.push(format!("{name} has no layer in tests/book/layers.rs"));
        }
    }
    for name in LAYERS.concat() {
        let known = own_dependencies(name).into_iter();
        let above = known.filter(|known| place(known).is_some_and(|it| Some(it) >= place(name)));
        complaints.extend(above.map(|above| format!("{name} knows {above}, which is above it")));
    }
    none(complaints);
}

/// The packages that `cargo xtask serve` compiled in the first edition.
const ONCE: usize = 169;

/// Measuring, recording, learning, packing and printing are compiled by whoever asks for them.
#[test]
fn a_reader_compiles_only_what_reading_needs() {
    let compiled = compiled_for("xtask");
    assert!(compiled.len() < ONCE, "cargo xtask serve compiles {} packages", compiled.len());
    let heavy = ["process", "ctrlc", "fs4", "indicatif", "nix"];
    let names = compiled.iter().filter_map(|package| package.split(' ').next());
    none(
        names
            .filter(|name| heavy.contains(name))
            .map(|name| format!("{name} is compiled"))
            .collect(),
    );
}

/// The modules of a crate, by file, with the modules of the same crate that each names outside of its tests.
fn modules(krate: &str) -> BTreeMap<String, BTreeSet<String>> {
    let folder = root().join(krate).join("src");
    let sources: BTreeMap<String, String> = files_below(&folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| {
            let name = path.strip_prefix(&folder).expect("it lies there").with_extension("");
            let name = name.to_string_lossy().replace(['/', '\\'], "::");
            (name.trim_end_matches("::mod").to_owned(), read(&path))
        })
        .collect();
    let named = Regex::new(r"crate::\{?([^;]*);").expect("a correct expression");
    let words = Regex::new(r"[a-z_0-9]+(?:::[a-z_0-9]+)*").expect("a correct expression");
    let of = |source: &str| {
        let own = source.split("\nmod tests {").next().unwrap_or_default();
        let code = own.lines().filter(|line| !line.trim_start().starts_with("//"));
        let mut known = BTreeSet::new();
        for import in named.captures_iter(&code.collect::<Vec<_>>().join("\n")) {
            let paths = words.find_iter(&import[1]).map(|path| path.as_str().to_owned());
            known.extend(paths.filter(|path| sources.contains_key(path)));
        }
        known
    };
    sources.iter().map(|(name, source)| (name.clone(), of(source))).collect()
}

/// The modules that reach themselves.
fn circle(modules: &BTreeMap<String, BTreeSet<String>>) -> Vec<&String> {
    let reaches_itself = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = modules[start].iter().collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(&modules[next]);
            }
        }
        seen.contains(start)
    };
    modules.keys().filter(|name| reaches_itself(name)).collect()
}

#[test]
fn no_module_reaches_itself() {
    let mut complaints = Vec::new();
    for name in LAYERS.concat().into_iter().filter(|name| *name != "ladder_tests") {
        let folder = if name == "xtask" { name.to_owned() } else { format!("tools/{name}") };
        let modules = modules(&folder);
        assert!(!modules.is_empty(), "{folder} has no module");
        let circle = circle(&modules);
        if !circle.is_empty() {
            complaints.push(format!("{folder}: {circle:?} import each other in a circle"));
        }
    }
    none(complaints);
}

#[test]
fn a_circle_is_found() {
    let known = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let modules = BTreeMap::from([
        ("a".to_owned(), known(&["b"])),
        ("b".to_owned(), known(&["c"])),
        ("c".to_owned(), known(&["a"])),
        ("d".to_owned(), known(&["a"])),
    ]);
    assert_eq!(circle(&modules), ["a", "b", "c"]);
}
