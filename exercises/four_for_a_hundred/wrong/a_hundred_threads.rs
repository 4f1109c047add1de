// Wrong: the same pool with a hundred threads: the limit has moved, and each client holds a thread as before.
// The check says: threads for 100 clients

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

/// Serves clients forever, with four threads.
pub fn serve(listener: TcpListener, database: SocketAddr) {
    let (sender, receiver) = mpsc::channel::<TcpStream>();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..100 {
        let receiver = Arc::clone(&receiver);
        thread::spawn(move || {
            loop {
                let next = receiver.lock().unwrap().recv();
                let Ok(stream) = next else { return };
                let _ = handle(stream, database);
            }
        });
    }
    for stream in listener.incoming().flatten() {
        let _ = sender.send(stream);
    }
}

/// Reads a request, asks the database, answers.
fn handle(mut stream: TcpStream, database: SocketAddr) -> io::Result<()> {
    let _count = stream.read(&mut [0; 4096])?;
    let body = ask(database)?;
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes())
}

/// Asks the database: a line there, and everything back.
fn ask(database: SocketAddr) -> io::Result<String> {
    let mut connection = TcpStream::connect(database)?;
    connection.write_all(b"how are you?\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    Ok(answer)
}
