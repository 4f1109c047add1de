//! The steps to rung 1: each survives what the steps before it fix, and breaks at the next thing.

use std::thread;

use ladder_tests::{DEADLINE, Rung, example, run};
use records::servers::Server;

/// What `break_it` does to a server, in the order in which the steps fix it.
const BREAKS: [&str; 6] = ["two-pieces", "long-head", "leave", "silent", "lost-response", "panic"];

fn steps() -> Vec<Rung> {
    let declared = &Server::named("ch01_single_threaded").expect("it is declared").steps;
    let steps = declared.iter().filter(|step| step.starts_with("first_server"));
    steps.map(|step| Rung::step(step).expect("it is a step")).collect()
}

/// Whether the step survives this, as the client says that the reader runs.
fn survives(step: Rung, name: &str) -> Result<bool, String> {
    let server = step.start(&[]);
    let port = server.address.port().to_string();
    let said = run(example("break_it").args([name, "--port", &port]), DEADLINE).stdout;
    match (said.contains("  survived: "), said.contains("  broken: ")) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        _ => Err(said),
    }
}

#[test]
fn each_step_fixes_one_thing() {
    let steps = steps();
    assert_eq!(steps.len(), BREAKS.len() + 1, "one step for each fix, and the first");
    let check = |fixes: usize, step: Rung| {
        for (index, name) in BREAKS.iter().enumerate() {
            let expected = Ok(index < fixes);
            assert_eq!(survives(step, name), expected, "{}: {name}", step.name);
        }
    };
    thread::scope(|scope| {
        for (fixes, step) in steps.into_iter().enumerate() {
            scope.spawn(move || check(fixes, step));
        }
    });
}

#[test]
fn rung_1_survives_all_of_them() {
    for name in BREAKS {
        assert_eq!(survives(Rung::named("ch01_single_threaded"), name), Ok(true), "{name}");
    }
}
