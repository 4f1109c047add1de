// Count over all connections.
//
// Every answer says which number its request has: 1 for the first, 2 for the second, and so on.
// There is a thread for each connection, and each of them counts for itself.
//
// Your turn: let all threads count together, so that no number is given twice and none is left out.

use std::net::{TcpListener, TcpStream};
use std::thread;

/// Serves clients, for ever, with a thread for each.
pub fn serve(listener: TcpListener) {
    let count = 0;
    for stream in listener.incoming().flatten() {
        let mut count = count;
        thread::spawn(move || {
            count += 1;
            handle(stream, count);
        });
    }
}

/// Tells a client its number. Nothing is wrong here.
fn handle(stream: TcpStream, number: u64) {
    exercise_kit::answer(&stream, &format!("{number}\n"));
}
