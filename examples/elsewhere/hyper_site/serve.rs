//! What hyper leaves to its user: accepting, and the limits of time and size. Three servers share it.

use std::error::Error;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use site::{AcceptErrors, DRAIN_LIMIT, DRAIN_TIME, HEAD_LIMIT, HEAD_TIME};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

// ANCHOR: http
/// HTTP/1 with the limits of the contract. None of them is hyper's default.
pub fn http(keep_alive: bool) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.keep_alive(keep_alive)
        // A client may say that it has sent all, and still wait for its response.
        .half_close(true)
        // A request head has to fit into this buffer. By default it may have 400 KiB.
        .max_buf_size(HEAD_LIMIT)
        // hyper knows no runtime, and so no clock: without this, its default of 30 s for a head never ends.
        .timer(TokioTimer::new())
        // From the first wait to the last byte of a head, and so for a kept connection that is idle, too.
        .header_read_timeout(HEAD_TIME);
    http
}
// ANCHOR_END: http

// ANCHOR: accept
/// What goes wrong on the way to a response, as hyper wants it.
type AnyError = Box<dyn Error + Send + Sync>;

/// Gives each connection a task of its own, until `closing` is cancelled. Returns who waits for those tasks.
pub async fn accept<S, B>(
    listener: &TcpListener,
    http: &http1::Builder,
    service: S,
    closing: &CancellationToken,
) -> GracefulShutdown
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<AnyError>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<AnyError>,
{
    let connections = GracefulShutdown::new();
    let mut errors = AcceptErrors::new();
    while let Some(accepted) = closing.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, _)) => {
                let connection = http.serve_connection(TokioIo::new(stream), service.clone());
                // At the shutdown an idle connection is closed, and a busy one after its response.
                let connection = connections.watch(connection);
                // What a client does wrong ends its own connection and concerns nobody else.
                tokio::spawn(async move {
                    let _ = connection.await;
                });
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
    connections
}
// ANCHOR_END: accept

// ANCHOR: drain
/// Takes what the client sends as a body, within the limits, and throws it away.
///
/// Bytes that are left unread when a connection closes make the kernel reset it, and the answer can be lost.
pub async fn drain(mut body: impl Body<Data = Bytes> + Unpin) {
    let all = async {
        let mut left = DRAIN_LIMIT;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Whether that was all of it or not: the answer is the same, and the connection ends.
    let _ = timeout(DRAIN_TIME, all).await;
}
// ANCHOR_END: drain
