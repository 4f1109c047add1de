//! Clients that are rude.

use std::time::Instant;

use site::HEAD_TIME;

use super::{Target, still_answers};
use crate::{Client, conclusive};

/// Clients that connect and leave, at any point of a request, with and without a word.
pub fn survives_rude_clients(server: &Target) {
    for _ in 0..50 {
        drop(Client::connect(server));
    }
    for _ in 0..50 {
        Client::connect(server).reset();
    }
    for _ in 0..50 {
        let mut half = Client::connect(server);
        half.send("GET / HTTP/1.1\r\nHos");
        drop(half);
    }
    for target in ["/", "/sleep?ms=20", "/file", "/work?n=500"] {
        for _ in 0..20 {
            let mut hasty = Client::connect(server);
            hasty.get(target);
            hasty.reset();
        }
    }
    still_answers(server);
}

/// So many clients that have sent half a request each. The backlog has room for those that are not accepted.
pub fn half_open(server: &Target, count: usize) -> Vec<Client> {
    (0..count).map(|_| Client::half_open(server)).collect()
}

/// Two hundred clients that have sent half a request each.
pub fn survives_half_open_clients(server: &Target) {
    if server.can.serve_beside_waiting_clients {
        conclusive(HEAD_TIME, || {
            let clients = half_open(server, 200);
            let start = Instant::now();
            still_answers(server);
            assert!(start.elapsed() < HEAD_TIME, "answered only when others had gone");
            drop(clients);
        });
    } else {
        drop(half_open(server, 200));
    }
    still_answers(server);
}
