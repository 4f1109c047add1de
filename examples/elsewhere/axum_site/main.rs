//! The site on axum: routes, and handlers whose types say what they take and what they send.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --package axum_site --example axum_site
//!
//! axum stands on hyper, and its own `axum::serve` takes no limit of time. So the accept loop is hyper_site's.

use std::io;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, EXPECT};
use axum::middleware::{self, Next};
use axum::response::Response;
use hyper_util::service::TowerToHyperService;
use site::{Options, Site, WRITE_TIME, limit_unread};
use tokio::net::TcpListener;

mod pages;
#[path = "../hyper_site/serve.rs"]
mod serve;
#[path = "../stop.rs"]
mod stop;

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let options = Options::of("axum_site").read();
    let listener = options.bind();
    limit_unread(&listener, WRITE_TIME)?;
    let site = Site::new(&options);
    let closing = stop::stop_on_signal(&site)?;
    let router = pages::router(site).layer(middleware::from_fn(end_after_a_body));
    // A router is a service, only of another library: axum's are Tower's.
    let service = TowerToHyperService::new(router);
    options.announce(&listener, "a task for each connection");
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let http = serve::http(options.keep_alive);
    let serve = tokio::spawn(async move {
        let connections = serve::accept(&listener, &http, service, &closing).await;
        drop(listener);
        connections.shutdown().await;
    });
    serve.await?;
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: body
/// Around every handler: a body that nobody wants is read, within limits, and its connection ends.
async fn end_after_a_body(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    // A client that waits for a "100 Continue" gets the answer instead, and keeps its body.
    if !head.headers.contains_key(EXPECT) {
        serve::drain(body).await;
    }
    let mut response = next.run(Request::from_parts(head, Body::empty())).await;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
// ANCHOR_END: body
