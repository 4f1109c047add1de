//! Asks over real sockets for pages that exist and for pages that do not.

use ex_answer_404::serve;
use exercise_kit::{Server, check, fail};

exercise_kit::checks![
    the_page_is_found,
    a_query_does_not_change_the_path,
    another_path_is_not_found,
];

/// Asks for a target: the body of the answer.
#[track_caller]
fn asks(target: &str, status: u16) -> String {
    let server = Server::start(serve);
    let mut client = server.connect();
    client.get(target);
    let response = client.response(format_args!("a whole response to GET {target}"));
    let expected = format!("the status {status}; look at what `answer` makes of the path");
    check(
        response.status == status,
        format_args!("the status {} in the response to GET {target}", response.status),
        expected,
    );
    check(
        !response.body.is_empty(),
        "a response without a body",
        "a few words for the reader in the body",
    );
    let Some(rest) = client.rest() else {
        fail(
            "the connection stayed open after the response",
            "its end, which `Connection: close` announces",
        )
    };
    let seen =
        format!("{} more bytes came after the body of {} bytes", rest.len(), response.body.len());
    check(rest.is_empty(), seen, "a Content-Length that counts all bytes of the body you send");
    response.body
}

fn the_page_is_found() {
    let body = asks("/", 200);
    check(
        body == "Hello!\n",
        format_args!("the page is now {body:?}"),
        "the page as it was: \"Hello!\\n\"",
    );
}

fn a_query_does_not_change_the_path() {
    let body = asks("/?name=you", 200);
    check(
        body == "Hello!\n",
        format_args!("the page is now {body:?}"),
        "the page as it was: \"Hello!\\n\"",
    );
}

fn another_path_is_not_found() {
    asks("/cats", 404);
    asks("/hello.html?really", 404);
    asks("/cats?next=/", 404);
}
