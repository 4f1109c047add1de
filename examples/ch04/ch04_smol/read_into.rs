//! A read that holds no buffer while it waits.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Poll, ready};

use site::Connection;
use smol::io::AsyncRead;
use smol::net::TcpStream;

// ANCHOR: read
/// Waits for bytes, and hands them to `connection`.
///
/// The buffer exists during a poll only, on the stack of the thread that polls. A task that waits doesn't hold it.
///
/// # Errors
/// When the client has reset the connection.
pub async fn read_into(connection: &mut Connection<'_>, stream: &mut TcpStream) -> io::Result<()> {
    poll_fn(|context| {
        let mut buffer = [0; 4096];
        // If nothing is there, this returns `Pending`, and the buffer is gone.
        match ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer))? {
            0 => connection.ended(),
            count => connection.received(&buffer[..count]),
        }
        Poll::Ready(Ok(()))
    })
    .await
}
// ANCHOR_END: read
