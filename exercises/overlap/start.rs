// Make two requests overlap.
//
// This server takes the next client when it is done with the one before.
// While one client waits for a slow response, all the others wait with it.
//
// Your turn: handle each connection on its own thread. Then many threads need `handle`, and it
// belongs to none of them.

use std::net::{TcpListener, TcpStream};

/// Serves clients forever.
pub fn serve(listener: TcpListener, handle: impl Fn(TcpStream) + Send + Sync + 'static) {
    for stream in listener.incoming().flatten() {
        handle(stream);
    }
}
