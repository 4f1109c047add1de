//! HTTP/1.1: every form of a request that a server must take, and those that it must refuse.

use ladder_tests::{
    Failure, On, Plain, Rung, Trials,
    cases::http::{self, *},
    tests,
};

/// Lists the tests of this module.
pub fn list(trials: &mut Trials) {
    trials.add(
        On::Every,
        Plain::Three,
        tests![
            takes_a_request_in_pieces,
            takes_leading_empty_lines,
            takes_every_form_of_target,
            speaks_http_1_0,
            answers_pipelined_requests_in_order,
            honours_connection_close,
            never_takes_a_body_for_a_request,
            takes_two_equal_lengths_for_one,
            refuses_what_is_no_request,
            refuses_what_is_no_request_behind_one,
            answers_a_client_that_has_finished_sending,
            closes_where_less_than_a_request_comes,
        ],
    );
}

fn honours_connection_close(rung: Rung) -> Result<(), Failure> {
    http::honours_connection_close(&rung.start(&["--keep-alive"]))
}

fn refuses_what_is_no_request_behind_one(rung: Rung) -> Result<(), Failure> {
    http::refuses_what_is_no_request_behind_one(&rung.start(&["--keep-alive"]))
}
