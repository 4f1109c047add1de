//! A small server that plays the database behind a web server.

use std::{
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::Arc,
};

use crate::{Gate, threads};

/// A database: it reads a line from each connection, and answers it when its gate is open.
///
/// With `Database::start(2)` no client gets an answer before two questions are open at the same time.
#[derive(Clone, Debug)]
pub struct Database {
    /// The address on which it listens.
    pub address: SocketAddr,
    /// Counts the questions that are open.
    pub gate: Arc<Gate>,
}

impl Database {
    /// Starts one whose gate opens at `needed` questions. Its threads end with the process.
    ///
    /// # Panics
    /// When the system has no port to give.
    pub fn start(needed: usize) -> Database {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let gate = Arc::new(Gate::new(needed));
        let shared = Arc::clone(&gate);
        threads::spawn(move || {
            for stream in listener.incoming().flatten() {
                let gate = Arc::clone(&shared);
                threads::spawn(move || answer(&stream, &gate));
            }
        });
        Database { address, gate }
    }
}

fn answer(mut stream: &TcpStream, gate: &Gate) {
    let mut question = String::new();
    if BufReader::new(stream).read_line(&mut question).is_ok_and(|count| count > 0) && gate.pass() {
        let _ = stream.write_all(format!("answer to {question}").as_bytes());
    }
}
