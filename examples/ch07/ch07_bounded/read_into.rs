//! A read that holds no buffer while it waits.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Poll, ready};

use site::Connection;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;

// ANCHOR: read
/// Waits for bytes, and hands them to `connection`.
///
/// The buffer exists during a poll only, on the worker's stack. A task that waits doesn't hold it.
///
/// # Errors
/// When the client has reset the connection.
pub async fn read_into(connection: &mut Connection<'_>, stream: &mut TcpStream) -> io::Result<()> {
    poll_fn(|context| {
        // Nothing is written into this space until the read fills a part of it.
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut buffer = ReadBuf::uninit(&mut space);
        // If nothing is there, this returns `Pending`, and the buffer is gone.
        ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer))?;
        match buffer.filled() {
            [] => connection.ended(),
            bytes => connection.received(bytes),
        }
        Poll::Ready(Ok(()))
    })
    .await
}
// ANCHOR_END: read
