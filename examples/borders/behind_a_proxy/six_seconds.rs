//! A client that asks again every six seconds: `cargo run --example six_seconds`
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

const TIMES: u32 = 6;

fn main() -> io::Result<()> {
    let options = options();
    let mut failed = 0;
    for time in 0..TIMES {
        if time > 0 {
            sleep(options.every);
        }
        let status = ask(options.port, &options.method)?;
        println!("{status}");
        if !status.starts_with("200") {
            failed += 1;
        }
    }
    println!("{failed} of {TIMES} have failed");
    Ok(())
}

/// Asks on a connection of its own: the status of the answer.
fn ask(port: u16, method: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    let head = format!("{method} / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n");
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let line = answer.lines().next().unwrap_or("no answer");
    Ok(line.trim_start_matches("HTTP/1.1 ").to_owned())
}

struct Options {
    port: u16,
    /// The pause between two requests.
    every: Duration,
    method: String,
}

/// `--port`, `--every` and `--method`; 8000, 6 seconds and `GET` without them.
fn options() -> Options {
    let mut options =
        Options { port: 8000, every: Duration::from_secs(6), method: "GET".to_owned() };
    let words: Vec<String> = std::env::args().skip(1).collect();
    for pair in words.chunks(2) {
        match pair {
            [option, number] if option == "--port" => {
                options.port = number.parse().expect("a port is a number");
            }
            [option, number] if option == "--every" => {
                options.every =
                    Duration::from_secs_f64(number.parse().expect("seconds are a number"));
            }
            [option, method] if option == "--method" => options.method = method.clone(),
            _ => panic!("the options are `--port N`, `--every SECONDS` and `--method METHOD`"),
        }
    }
    options
}
