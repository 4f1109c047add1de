//! The routes: what each answers, in both kinds of connection, and what is refused.

use ladder_tests::{
    Failure, On, Plain, Rung, Trials,
    cases::{
        ask,
        routes::{self, *},
    },
    tests,
};

/// Lists the tests of this module.
pub fn list(trials: &mut Trials) {
    trials.add(
        On::Every,
        Plain::Ladder,
        tests![answers_every_route, keeps_a_connection, refuses_other_paths_and_parameters],
    );
    trials.add(
        On::Every,
        Plain::Three,
        tests![
            answers_head,
            closes_a_connection,
            counts_from_one,
            counts_every_tenth_request_over_all_connections,
            refuses_other_methods,
            refuses_methods_that_nobody_has_registered,
        ],
    );
}

fn keeps_a_connection(rung: Rung) -> Result<(), Failure> {
    routes::keeps_a_connection(&rung.start(&["--keep-alive"]))
}

fn closes_a_connection(rung: Rung) -> Result<(), Failure> {
    routes::closes_a_connection(&rung.start(&[]))
}

/// Of a server that somebody else has started, only what follows can be told.
fn counts_from_one(rung: Rung) -> Result<(), Failure> {
    rung.in_both_modes(|server| {
        let response = ask(server, "/tenth")?;
        let text = "request 1 did not wait\n";
        response.ensure(response.text() == text, format_args!("the body {text:?}"))
    })
}
