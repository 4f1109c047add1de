//! What a reader may start from its page, and what clients then ask it: the entries `[[start]]` of `examples/servers.toml`.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;

use super::{FILE, Kind, Server, complaints};

/// Programs that are started from their pages in one manner.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// The names of their examples.
    pub names: Vec<String>,
    /// The package that cargo has to be told, where it is no default member.
    pub package: Option<String>,
    /// The variables that the text sets.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// What clients ask for at the same time, in this order: a path of HTTP, or else a line of text.
    #[serde(default)]
    pub asks: Vec<String>,
    /// What `break_it` does to it, one after the other.
    #[serde(default)]
    pub attacks: Vec<String>,
}

impl Started {
    /// How this program is started; `None` if no page may start it.
    pub fn named(name: &str) -> Option<&'static Started> {
        FILE.start.iter().find(|it| it.names.iter().any(|own| own == name))
    }

    /// Tells whether it serves clients, and so goes on until it is stopped.
    pub fn is_server(&self) -> bool {
        !self.asks.is_empty() || !self.attacks.is_empty()
    }

    /// The arguments of cargo that build this program of theirs, which is one of `names`.
    pub fn build_arguments(&self, name: &str) -> Vec<String> {
        let mut arguments = vec!["build".to_owned(), "--example".to_owned(), name.to_owned()];
        if let Some(package) = &self.package {
            arguments.extend(["--package".to_owned(), package.clone()]);
        }
        arguments
    }
}

/// What is wrong with these entries.
pub(super) fn faults(entries: &[Started], servers: &[Server]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut before: Vec<&String> = Vec::new();
    for entry in entries {
        let serves = entry.is_server();
        for name in &entry.names {
            let is_known = servers.iter().any(|server| {
                let is_rust = matches!(server.kind, Kind::Rung | Kind::Framework);
                is_rust && server.name == *name || server.steps.contains(name)
            });
            faults.extend(complaints(
                name,
                &[
                    (before.contains(&name), " is started in two manners"),
                    (serves && !is_known, " is asked, and no server in Rust and no step"),
                    (!serves && is_known, " is a server that nobody asks"),
                ],
            ));
            before.push(name);
        }
    }
    faults
}

/// The name of the example whose `main` stands in this file, a path from the repository's root.
pub fn example_of(root: &Path, file: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        #[serde(default)]
        example: Vec<Example>,
    }
    #[derive(Deserialize)]
    struct Example {
        name: String,
        path: Option<String>,
    }
    let file = Path::new(file);
    let folder = file.ancestors().skip(1).find(|it| root.join(it).join("Cargo.toml").is_file())?;
    let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml")).ok()?;
    let manifest: Manifest = toml::from_str(&manifest).ok()?;
    let inside = file.strip_prefix(folder).ok()?;
    let mut examples = manifest.example.into_iter();
    let own = examples.find(|it| it.path.as_deref().map(Path::new) == Some(inside));
    own.map(|it| it.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::find_root,
        servers::{SERVERS, example_folder},
    };

    #[test]
    fn every_rung_and_every_step_can_be_started() {
        let root = find_root().unwrap();
        for server in SERVERS.iter() {
            assert!(Started::named(&server.name).is_some(), "{}", server.name);
            assert!(example_folder(&root, &server.name).is_dir());
            // A relay leads to another server, which no page starts as well.
            for step in server.steps.iter().filter(|step| !step.contains("relay")) {
                assert!(Started::named(step).is_some(), "{step}");
            }
        }
        let pieces = Started::named("first_server_pieces").unwrap();
        assert!(pieces.is_server() && !pieces.attacks.is_empty());
        assert!(!Started::named("full_queue").unwrap().is_server());
        assert_eq!(Started::named("break_it"), None);
        let door = Started::named("door_trait").unwrap().build_arguments("door_trait");
        assert_eq!(door.join(" "), "build --example door_trait --package doors");
    }

    #[test]
    fn a_file_is_the_example_of_which_it_has_the_main() {
        let root = find_root().unwrap();
        let pieces = example_of(&root, "examples/ch01/first_server/pieces.rs");
        assert_eq!(pieces.as_deref(), Some("first_server_pieces"));
        for other in ["examples/ch03/first_pool/handler.rs", "examples/none.rs", "book.toml"] {
            assert_eq!(example_of(&root, other), None, "{other}");
        }
    }
}
