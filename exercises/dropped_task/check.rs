//! Every client that asks gets an answer, also while another has not asked yet.

use ex_dropped_task::serve;
use exercise_kit::{Server, check};

exercise_kit::checks![every_request_is_answered];

fn every_request_is_answered() {
    let server = Server::start(serve);
    let mut silent = server.connect();
    let mut clients: Vec<_> = (0..10).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    for (number, mut client) in clients.into_iter().enumerate() {
        let expected = format!(
            "a response to client {} of 10, while one that came before has not asked yet; look \
             at how far its task gets",
            number + 1
        );
        let response = client.response(expected);
        check(
            response.status == 200,
            format_args!("the response has the status {}", response.status),
            "200",
        );
    }
    silent.get("/");
    silent.response("a response to the client that came first and asks last");
}
