//! The site on hyper: the library reads and writes HTTP, and everything else is ours.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --package hyper_site --example hyper_site

use std::{io, sync::Arc};

use hyper::service::service_fn;
use site::{Options, Site, WRITE_TIME, limit_unread};
use tokio::net::TcpListener;

mod answer;
mod serve;
#[path = "../stop.rs"]
mod stop;

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let options = Options::of("hyper_site").read();
    let listener = options.bind();
    // hyper sets no limit to how long a response may take to leave. The kernel can.
    limit_unread(&listener, WRITE_TIME)?;
    let site = Site::new(&options);
    let closing = stop::stop_on_signal(&site)?;
    options.announce(&listener, "a task for each connection");
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    // A service is a function from a request to a future response. Each connection gets a clone of it.
    let service = service_fn(move |request| answer::answer(request, Arc::clone(&site)));
    let http = serve::http(options.keep_alive);
    // Spawned, as in rung 6: an accept loop on the main thread would hand each connection over to another one.
    let serve = tokio::spawn(async move {
        let connections = serve::accept(&listener, &http, service, &closing).await;
        // From here on the system refuses new clients; open connections are served to their end.
        drop(listener);
        connections.shutdown().await;
    });
    serve.await?;
    Ok(())
}
// ANCHOR_END: main
