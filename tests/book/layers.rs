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
    &["bench", "diagrams", "doctor", "learn", "observe", "pack", "print"],
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

/// The paths in what stands behind `use`: `{a::b, c}` are two.
fn paths(import: &str) -> Vec<String> {
    let (mut open, mut paths) = (Vec::new(), Vec::new());
    let mut prefix = String::new();
    for part in import.split_inclusive(['{', ',', '}']) {
        let word: String =
            part.trim_end_matches(['{', ',', '}']).split_whitespace().take(1).collect();
        match part.chars().last() {
            Some('{') => {
                open.push(prefix.clone());
                prefix += &word;
            }
            end => {
                if !word.is_empty() {
                    paths.push(prefix.clone() + &word);
                }
                if end == Some('}') {
                    prefix = open.pop().unwrap_or_default();
                }
            }
        }
    }
    paths
}

/// A path from the crate's root, of one that stands in the module `here`.
fn absolute(here: &str, path: &str) -> String {
    if let Some(rest) = path.strip_prefix("crate::") {
        return rest.to_owned();
    }
    let (mut here, mut path) = (here, path.trim_start_matches("self::"));
    while let Some(rest) = path.strip_prefix("super::") {
        here = here.rsplit_once("::").map_or("", |(parent, _)| parent);
        path = rest;
    }
    format!("{here}::{path}").trim_start_matches("::").to_owned()
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
    let import = Regex::new(r"\buse\s+([^;]+);").expect("a correct expression");
    let inline = Regex::new(r"\b(?:\w+::)+\w+").expect("a correct expression");
    let of = |here: &str, source: &str| {
        let own = source.split("\nmod tests {").next().unwrap_or_default();
        let lines = own.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n");
        let mut named: Vec<String> =
            import.captures_iter(&code).flat_map(|found| paths(&found[1])).collect();
        let rest = import.replace_all(&code, "");
        named.extend(inline.find_iter(&rest).map(|path| path.as_str().to_owned()));
        let module = |path: String| {
            let ends = path.match_indices("::").map(|(end, _)| end).chain([path.len()]);
            let known = ends.map(|end| &path[..end]).filter(|path| sources.contains_key(*path));
            known.last().map(str::to_owned)
        };
        let known = named.iter().filter_map(|path| module(absolute(here, path)));
        known.filter(|known| known != here).collect()
    };
    sources.iter().map(|(name, source)| (name.clone(), of(name, source))).collect()
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
    assert_eq!(
        paths("crate::{a::{self, B}, c, super_d as e}"),
        ["crate::a::self", "crate::a::B", "crate::c", "crate::super_d"]
    );
    let absolute = ["crate::a::B", "super::c", "self::d", "e"].map(|path| absolute("m::n", path));
    assert_eq!(absolute, ["a::B", "m::c", "m::n::d", "m::n::e"]);
}
