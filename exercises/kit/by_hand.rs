//! What an exercise needs to be run by hand, and asked with curl.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process, thread,
    time::Duration,
};

use crate::deadline;

/// How long the slow things of a server by hand take.
const SLOW: Duration = Duration::from_secs(3);

/// Listens on port 8080, or on any free port if it is taken, and prints its URL and why it is not the usual one.
///
/// # Errors
/// When no port can be had.
pub fn listen() -> io::Result<TcpListener> {
    let (listener, why) = match TcpListener::bind((Ipv4Addr::LOCALHOST, 8080)) {
        Ok(listener) => (listener, String::new()),
        Err(error) => {
            let why = format!(" instead of port 8080 ({error})");
            (TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?, why)
        }
    };
    let address = listener.local_addr()?;
    println!("listening on http://{address}/{why}, process id {} (Ctrl-C ends it)", process::id());
    Ok(listener)
}

/// Answers a connection after three seconds, with a thread that sleeps.
pub fn sleepy(stream: TcpStream) {
    thread::sleep(SLOW);
    answer(&stream, "slept for three seconds\n");
}

/// Reads what the client has sent, and answers it. A client that is gone is no concern.
pub fn answer(stream: &TcpStream, body: &str) {
    target(stream);
    answer_now(stream, body);
}

/// Reads what the client sends: the second word of it, which is the target of a request. A client that
/// sends nothing is waited for as long as a check would wait.
pub fn target(mut stream: &TcpStream) -> String {
    let _ = stream.set_read_timeout(Some(deadline()));
    let mut buffer = [0; 4096];
    let count = stream.read(&mut buffer).unwrap_or(0);
    let head = String::from_utf8_lossy(&buffer[..count]);
    head.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// Answers a request that has been read.
pub fn answer_now(mut stream: &TcpStream, body: &str) {
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes());
}

/// Starts a database that takes three seconds for each question, all of them side by side.
///
/// # Errors
/// When no port can be had.
pub fn slow_database() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut question = String::new();
                let _ = BufReader::new(&stream).read_line(&mut question);
                thread::sleep(SLOW);
                let _ = (&stream).write_all(format!("answer to {question}").as_bytes());
            });
        }
    });
    Ok(address)
}
