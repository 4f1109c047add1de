//! Runs the exercise with a limit of two seconds, and a client that sends a line every second.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

fn main() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("some port is free");
    let server = listener.local_addr().expect("it is bound");
    thread::spawn(move || ex_late_deadline::serve(listener, Duration::from_secs(2)));

    let mut client = TcpStream::connect(server).expect("it listens");
    client.set_read_timeout(Some(Duration::from_secs(1))).expect("a second is no zero");
    client.write_all(b"GET / HTTP/1.1\r\n").expect("it reads");
    for second in 1..=6 {
        let mut answer = [0; 32];
        // Waits here for an answer, a second at most.
        if let Ok(count) = client.read(&mut answer) {
            let answer = String::from_utf8_lossy(&answer[..count]);
            println!("answered in second {second}: {}", answer.lines().next().unwrap_or("nothing"));
            return;
        }
        println!("second {second}: no answer, so the client sends one more line");
        client.write_all(b"Still: here\r\n").expect("it reads");
    }
    println!("no answer in six seconds, and the limit is two");
}
