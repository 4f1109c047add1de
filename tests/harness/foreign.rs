//! The servers outside the ladder: those in other languages are built once for all tests, and skipped where that can't
//! be; and all are held to what is declared of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
    sync::{LazyLock, Mutex, PoisonError},
};

use records::servers::{Difference, Server, TOOLCHAINS, Toolchain};

use super::{
    failure::Failure, other_programs::skip, probe::Answer, repository::root, rungs::Rung,
    server::with_last_words,
};

/// Which toolchains are here, by name, and what to install for the others.
static LOOKED: LazyLock<BTreeMap<&str, Result<String, String>>> = LazyLock::new(|| {
    TOOLCHAINS.iter().map(|toolchain| (toolchain.name.as_str(), toolchain.require())).collect()
});

/// The toolchains that have built their servers for these tests.
static BUILT: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

/// What libraries answer where the contract has it otherwise, by their names and those of the cases.
static INSTEAD: LazyLock<BTreeMap<String, BTreeMap<String, Answer>>> =
    LazyLock::new(|| super::probe::read(&root().join("tests/wire/foreign.toml")));

/// The command that starts a server in another language, freshly built; `None` for one in Rust.
///
/// # Panics
/// When it can't be built.
pub fn command(server: &'static Server) -> Option<Command> {
    build(server.toolchain()?);
    server.command(root())
}

/// The same for the server as tutorials have it, where there is one.
///
/// # Panics
/// When it can't be built.
pub fn tutorial(server: &'static Server) -> Option<Command> {
    build(server.toolchain()?);
    server.tutorial_command(root())
}

/// Builds all servers of a toolchain, unless a test of this program has done so.
fn build(toolchain: &'static Toolchain) {
    // Whoever comes while another test builds waits here.
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.contains(toolchain.name.as_str()) {
        toolchain.build(root()).unwrap_or_else(|error| panic!("{}: {error}", toolchain.name));
        built.insert(toolchain.name.as_str());
    }
}

/// Whether the toolchain of this server is here, as cargo is; if it is not, that is said as a test that is skipped.
///
/// # Panics
/// When it is not, and the environment variable `CI` is set.
pub fn is_here(server: &Server) -> bool {
    let looked = server.toolchain().map(|toolchain| &LOOKED[toolchain.name.as_str()]);
    if let Some(Err(why)) = looked {
        skip(&format!("{}: {why}", server.name));
        return false;
    }
    true
}

/// Runs a test of the contract on this server, whichever its language.
///
/// One outside the ladder may be declared to differ in this test. Then it must fail it, and as it is declared to.
///
/// # Errors
/// When the test fails that should pass, or passes that should fail, or fails for another reason.
pub fn check(
    rung: Rung,
    test: &str,
    run: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !is_here(&rung) {
        return Ok(());
    }
    with_last_words(|| match rung.difference(test) {
        Some(difference) => fails_as_declared(rung.name, difference, run()),
        None => run(),
    })
}

/// Sees that a test has failed as it must. So a declaration can't excuse more than it names, nor outlive its reason.
fn fails_as_declared(
    name: &str,
    difference: &Difference,
    outcome: Result<(), Failure>,
) -> Result<(), Failure> {
    let Difference { test, says, sometimes, .. } = difference;
    match outcome {
        Ok(()) if *sometimes => Ok(()),
        Ok(()) => Err(Failure::seen(
            format_args!("{name} passes {test} after all"),
            "that stricken from `differs` in examples/servers.toml",
        )),
        Err(failure) => {
            let message = failure.to_string();
            if says.split(" | ").any(|says| message.contains(says)) {
                return Ok(());
            }
            let declared = format!("; {name} is declared to fail {test} by {says:?}");
            Err(Failure { wanted: failure.wanted + &declared, ..failure })
        }
    }
}

/// What this library answers to the case of this name, where that is not what the contract says.
pub fn instead(library: &str, case: &str) -> Option<&'static Answer> {
    INSTEAD.get(library)?.get(case)
}

/// What is written in `tests/wire/foreign.toml`, by library and by the name of the case.
pub fn written_down() -> &'static BTreeMap<String, BTreeMap<String, Answer>> {
    &INSTEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_failure_has_to_be_the_declared_one() {
        let word = |word: &str| word.to_owned();
        let outcome = |sometimes, outcome: Result<(), Failure>| {
            let declared =
                Difference { test: word("t"), sometimes, says: word("404"), how: word("h") };
            fails_as_declared("a server", &declared, outcome).map_err(|failure| failure.to_string())
        };
        for sometimes in [false, true] {
            assert_eq!(outcome(sometimes, Err(Failure::seen("a 404", "a 200"))), Ok(()));
            let other = outcome(sometimes, Err(Failure::seen("a 500", "a 200")));
            let other = other.expect_err("another failure is none that is excused");
            assert!(other.contains("by \"404\"") && other.contains("500"), "{other}");
        }
        assert_eq!(outcome(true, Ok(())), Ok(()));
        let passes = outcome(false, Ok(())).expect_err("a test that passes has to be struck");
        assert!(passes.contains("passes t after all"), "{passes}");
    }
}
