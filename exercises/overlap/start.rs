// Make two requests overlap.
//
// This server takes the next client when it is done with the one before.
// While one client waits for a slow answer, everybody else waits too.
//
// Your turn: let each connection be handled on a thread of its own. `handle` is needed
// by many threads then, and belongs to none of them.

use std::net::{TcpListener, TcpStream};

/// Serves clients, for ever.
pub fn serve(listener: TcpListener, handle: impl Fn(TcpStream) + Send + Sync + 'static) {
    for stream in listener.incoming().flatten() {
        handle(stream);
    }
}
