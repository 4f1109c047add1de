//! Reads from cargo's messages which programs it has built.

use std::path::PathBuf;

use serde::Deserialize;

/// A program, as cargo says after it has built it.
///
/// Cargo alone knows where it lies: a triple, a target folder and a build folder can be set in the environment and in
/// files above the repository. Whoever guesses finds none, or one of last week.
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
    /// The program that one of the messages of `cargo build --message-format json` names, if it names one.
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
        let said = profile.iter().filter(|(what, _)| *what != "test");
        let said = said.map(|(what, value)| match value.as_str() {
            Some(word) => format!("{what} {word}"),
            None => format!("{what} {value}"),
        });
        let profile = said.collect::<Vec<_>>().join(", ");
        Some(Built { name: target.name, path: executable?, profile })
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
