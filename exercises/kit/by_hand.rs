//! Helps to run an exercise by hand, and to ask it with curl.

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process, thread,
    time::Duration,
};

use crate::deadline;

/// The time that a server by hand takes for something slow.
const SLOW: Duration = Duration::from_secs(3);

/// Listens on port 8080, or on the port that `-- --port N` names, and prints its URL.
///
/// Ends the program with a line of words where it can't listen on that port.
pub fn listen() -> TcpListener {
    let listener = port(env::args().skip(1)).and_then(listen_on).unwrap_or_else(|why| {
        eprintln!("{why}");
        process::exit(1)
    });
    let address = listener.local_addr().expect("it is bound");
    println!("listening on http://{address}/, process id {} (Ctrl-C ends it)", process::id());
    listener
}

/// Reads the port that the arguments ask for.
fn port(mut arguments: impl Iterator<Item = String>) -> Result<u16, String> {
    let Some(option) = arguments.next() else { return Ok(8080) };
    let number = arguments.next().and_then(|number| number.parse().ok());
    match (option.as_str(), number) {
        ("--port", Some(port)) => Ok(port),
        _ => Err("the only option is `--port N`, with a number of at most 65535".to_owned()),
    }
}

fn listen_on(port: u16) -> Result<TcpListener, String> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        format!("can't listen on port {port} ({error}); choose another behind the command: `-- --port 8081`")
    })
}

/// Answers a connection after three seconds, with a thread that sleeps.
pub fn sleepy(stream: TcpStream) {
    thread::sleep(SLOW);
    answer(&stream, "slept for three seconds\n");
}

/// Reads what the client has sent, and answers it. A client that is gone gets no answer.
pub fn answer(stream: &TcpStream, body: &str) {
    target(stream);
    answer_now(stream, body);
}

/// Reads the target of a request, its second word. Waits for a client that sends nothing as long as a check would wait.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn port_of(words: &[&str]) -> Result<u16, String> {
        port(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn the_port_is_chosen_and_a_taken_one_is_told() {
        assert_eq!(port_of(&[]), Ok(8080));
        assert_eq!(port_of(&["--port", "8081"]), Ok(8081));
        for wrong in [&["--port"][..], &["--port", "many"], &["8081"]] {
            assert!(port_of(wrong).is_err_and(|why| why.contains("--port N")));
        }
        let listener = listen_on(0).expect("a free port");
        let taken = listener.local_addr().expect("it is bound").port();
        let why = listen_on(taken).expect_err("it is taken");
        assert!(why.contains(&taken.to_string()) && why.contains("-- --port"), "{why}");
    }
}
