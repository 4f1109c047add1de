//! The servers outside the ladder: those in other languages are built once for all tests, and skipped where that can't
//! be; and all are held to what is declared of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    process::Command,
    sync::{LazyLock, Mutex, PoisonError},
};

use records::servers::{Difference, Server, TOOLCHAINS, Toolchain};

use super::{probe::Answer, repository::root, rungs::Rung, tools::skip};
use crate::cases::Target;

/// Which toolchains are here, by name, and what to install for the others.
static LOOKED: LazyLock<BTreeMap<&str, Result<String, String>>> = LazyLock::new(|| {
    TOOLCHAINS.iter().map(|toolchain| (toolchain.name.as_str(), toolchain.look())).collect()
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

/// A test of the contract: a function that is given a rung, and starts it as it likes, or a case.
pub trait Test<Given> {
    /// Runs it. A case is put to the rung in both its modes.
    fn run(&self, rung: Rung);
}

impl<F: Fn(Rung)> Test<Rung> for F {
    fn run(&self, rung: Rung) {
        self(rung);
    }
}

impl<F: Fn(&Target)> Test<Target> for F {
    fn run(&self, rung: Rung) {
        rung.in_both_modes(|server| self(server));
    }
}

/// Runs a test of the contract on the server of this name, whichever its language.
///
/// One outside the ladder may be declared to differ in this test. Then it must fail it, and as it is declared to.
///
/// # Panics
/// When the test fails that should pass, or passes that should fail, or fails for another reason.
pub fn check<Given>(name: &str, test: &str, run: impl Test<Given>) {
    let rung = Rung::named(name);
    if !is_here(&rung) {
        return;
    }
    match rung.difference(test) {
        Some(difference) => fails_as_declared(name, difference, || run.run(rung)),
        None => run.run(rung),
    }
}

/// Sees a test fail as it must. So a declaration can't excuse more than it names, nor outlive its reason.
fn fails_as_declared(name: &str, difference: &Difference, run: impl FnOnce()) {
    let Difference { test, says, sometimes, .. } = difference;
    println!("{name} is declared to fail this test; what follows is how");
    let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else {
        assert!(
            *sometimes,
            "{name} passes {test} after all: strike it from `differs` in examples/servers.toml"
        );
        return;
    };
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    let is_declared = says.split(" | ").any(|says| message.contains(says));
    assert!(is_declared, "{name} fails {test}, but not by {says:?}: {message}");
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
        let may = |sometimes| Difference {
            test: word("t"),
            sometimes,
            says: word("404"),
            how: word("h"),
        };
        let outcome = |sometimes, run: fn()| {
            let outcome = catch_unwind(|| fails_as_declared("a server", &may(sometimes), run));
            let panic = outcome.err()?;
            Some(panic.downcast_ref::<String>().cloned().unwrap_or_default())
        };
        for sometimes in [false, true] {
            assert_eq!(outcome(sometimes, || assert_eq!(404, 200)), None);
            let other = outcome(sometimes, || assert_eq!(500, 200));
            let other = other.expect("another failure is none that is excused");
            assert!(other.contains("not by \"404\"") && other.contains("500"), "{other}");
        }
        assert_eq!(outcome(true, || ()), None);
        let passes = outcome(false, || ()).expect("a test that passes has to be struck");
        assert!(passes.contains("passes t after all"), "{passes}");
    }
}
