// Write a Tokio server from memory.
//
// An echo server sends back each byte that a client sends. Here is its one function, and nothing in it.
//
// Your turn: write it without looking at the chapter.
//
// - Each client has its own task, and gets back what it sends.
// - A client that says nothing for `patience` is let go; each word begins the time anew.
// - A client that leaves ends its own connection only.
// - When `stop` is ready, the server takes no more clients and lets go those that say nothing.
//   It returns when no task is left.

use std::time::Duration;

use tokio::net::TcpListener;

/// Sends back what clients send, until `stop` is ready. A client has `patience` for its next word.
pub async fn serve(listener: TcpListener, patience: Duration, stop: impl Future<Output = ()>) {}
