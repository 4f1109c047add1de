//! Reads from cargo's messages which programs it has built.

use std::path::PathBuf;

use serde::Deserialize;

/// A program that cargo has built.
///
/// Cargo alone knows where it lies: a triple, a target folder and a build folder can be set in the environment and in
/// files above the repository. A guess finds no program, or one of last week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The name of its example or binary.
    pub name: String,
    /// The path of the executable.
    pub path: PathBuf,
    /// The compiler settings, such as `opt_level 3, debug_assertions false`.
    pub profile: String,
}

impl Built {
    /// Reads the program that a message of `cargo build --message-format json` names, if it names one.
    pub fn in_message(message: &str) -> Option<Built> {
        #[derive(Deserialize)]
        struct Message {
            executable: Option<PathBuf>,
            target: Target,
            profile: serde_json::Map<String, serde_json::Value>,
        }
        #[derive(Deserialize)]
        struct Target {
            name: String,
        }
        let Message { executable, target, profile } = serde_json::from_str(message).ok()?;
        let mut settings = Vec::new();
        for (name, value) in &profile {
            match value.as_str() {
                _ if name == "test" => {}
                Some(word) => settings.push(format!("{name} {word}")),
                None => settings.push(format!("{name} {value}")),
            }
        }
        Some(Built { name: target.name, path: executable?, profile: settings.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_message_names_a_program_and_how_it_was_compiled() {
        let message = r#"{"reason":"compiler-artifact","target":{"kind":["example"],"name":"one"},
            "profile":{"opt_level":"3","debuginfo":0,"test":false},"executable":"/t/x86/release/examples/one","fresh":true}"#;
        let built = Built::in_message(message).unwrap();
        assert_eq!(built.path, Path::new("/t/x86/release/examples/one"));
        assert_eq!((built.name.as_str(), &*built.profile), ("one", "debuginfo 0, opt_level 3"));
        for other in [
            message.replace("\"/t/x86/release/examples/one\"", "null"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "warning: no JSON".to_owned(),
        ] {
            assert_eq!(Built::in_message(&other), None, "{other}");
        }
    }
}
