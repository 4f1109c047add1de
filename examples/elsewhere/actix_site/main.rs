//! The site on actix-web: threads that share nothing, each with a runtime and an application of its own.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --package actix_site --example actix_site
//!
//! With `--log` it has the `Logger` that the server of source 004 had, and writes a line about each request.

use std::io;

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::{ConnectionType, KeepAlive};
use actix_web::middleware::{Condition, Logger, Next, from_fn};
use actix_web::rt::{self, time::timeout};
use actix_web::{App, Error, HttpMessage, HttpServer, web};
use futures::StreamExt;
use site::{DRAIN_LIMIT, DRAIN_TIME, HEAD_TIME, Options, Site, WRITE_TIME, limit_unread};
use tokio_util::sync::CancellationToken;

mod pages;
#[path = "../stop.rs"]
mod stop;

// ANCHOR: main
#[actix_web::main]
async fn main() -> io::Result<()> {
    let options = Options::of("actix_site").with_log().read();
    if options.log {
        // As in source 004, which set RUST_LOG to this.
        env_logger::Builder::new().parse_filters("actix_web=info").init();
    }
    let listener = options.bind();
    limit_unread(&listener, WRITE_TIME)?;
    let site = Site::new(&options);
    let closing = stop::stop_on_signal(&site)?;
    options.announce(&listener, "a task for each connection, on a worker that keeps it");
    let site = web::Data::from(site);
    let token = web::Data::new(closing.clone());
    let log = options.log;
    let keep_alive = match options.keep_alive {
        true => KeepAlive::Timeout(HEAD_TIME),
        false => KeepAlive::Disabled,
    };
    // Each worker calls this once, and has an application of its own. What they share is in the two `Data`.
    let application = move || {
        App::new()
            .app_data(site.clone())
            .app_data(token.clone())
            .wrap(from_fn(end_where_it_must))
            .wrap(Condition::new(log, Logger::default()))
            .configure(pages::routes)
    };
    let server = HttpServer::new(application)
        .keep_alive(keep_alive)
        .client_request_timeout(HEAD_TIME)
        .client_disconnect_timeout(DRAIN_TIME)
        // It has a handler for signals, and 30 s for what is in flight. Ours has five, and an exit status.
        .disable_signals()
        .listen(listener)?
        .run();
    let handle = server.handle();
    rt::spawn(async move {
        closing.cancelled().await;
        handle.stop(true).await;
    });
    server.await
}
// ANCHOR_END: main

// ANCHOR: middleware
/// Around every handler: a connection ends after a request with a body, and when the server is closing.
async fn end_where_it_must(
    token: web::Data<CancellationToken>,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody + 'static>, Error> {
    let body = request.take_payload();
    let has_body = !matches!(body, Payload::None);
    if has_body {
        let _ = timeout(DRAIN_TIME, drain(body)).await;
    }
    let mut response = next.call(request).await?;
    if has_body || token.is_cancelled() {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    Ok(response)
}

/// Reads a body that nobody wants, up to the limit.
async fn drain(mut body: Payload) {
    let mut left = DRAIN_LIMIT;
    while let Some(Ok(bytes)) = body.next().await {
        match left.checked_sub(bytes.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
// ANCHOR_END: middleware
