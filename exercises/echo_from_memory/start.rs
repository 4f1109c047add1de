// Write a Tokio server from memory.
//
// An echo server sends back each byte that a client sends. Here is its one function, and nothing in it.
//
// Your turn: close the book and write it. You know all of it now.
//
// - Each client has its own task, and gets back what it sends.
// - The server closes the connection of a client that says nothing for `patience`; each word begins
//   the time anew. It does the same to a client that takes nothing for so long.
// - A client that leaves ends its own connection only.
// - When `stop` is ready, the server takes no more clients. What its clients have sent before comes
//   back, and the connections of those that say nothing are closed.
// - `serve` returns when no task is left, and `patience` after the stop at the latest.

use std::time::Duration;

use tokio::net::TcpListener;

/// Sends back what clients send, until `stop` is ready. A client has `patience` for each word.
pub async fn serve(listener: TcpListener, patience: Duration, stop: impl Future<Output = ()>) {}
