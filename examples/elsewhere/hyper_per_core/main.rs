//! hyper as source 003 had it: threads that share nothing, each with a runtime and a listener of its own.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --package hyper_per_core --example hyper_per_core -- --threads 2
//!
//! The listeners are on one port (`SO_REUSEPORT`). Linux chooses one for each connection by a hash, and there it
//! stays: no thread takes work from another. On another system the server says that it can't listen.

use std::{io, net, sync::Arc, thread};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use site::{Options, Site, WRITE_TIME, limit_unread};
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

#[path = "../hyper_site/answer.rs"]
mod answer;
#[path = "../hyper_site/serve.rs"]
mod serve;
#[path = "../stop.rs"]
mod stop;

/// What all threads have.
struct Shared {
    site: Arc<Site>,
    http: http1::Builder,
    closing: CancellationToken,
    /// Where the threads meet when they have stopped accepting.
    stopped: Barrier,
}

// ANCHOR: main
fn main() -> io::Result<()> {
    // As many as the article began with.
    let options = Options::of("hyper_per_core").with_threads(2).read();
    let listeners = options.bind_each();
    let site = Site::new(&options);
    let closing = stop::stop_on_signal(&site)?;
    let threads = options.threads;
    options.announce(&listeners[0], format!("{threads} threads, a runtime and a listener each"));
    // What can fail comes before the first thread: one that failed later would leave the others at the barrier.
    let parts = listeners.into_iter().map(part).collect::<io::Result<Vec<_>>>()?;
    let shared = Arc::new(Shared {
        site,
        http: serve::http(options.keep_alive),
        closing,
        stopped: Barrier::new(threads.get()),
    });
    let start = |(runtime, listener): (Runtime, TcpListener)| {
        let shared = Arc::clone(&shared);
        let run = move || runtime.block_on(serve_clients(listener, &shared));
        thread::Builder::new().name("hyper".to_owned()).spawn(run)
    };
    let threads = parts.into_iter().map(start).collect::<io::Result<Vec<_>>>()?;
    for thread in threads {
        // A handler's panic ends its task, and no thread.
        thread.join().expect("a thread's runtime catches what its tasks do");
    }
    Ok(())
}

/// What one thread has for itself: a runtime, and a listener in it.
fn part(listener: net::TcpListener) -> io::Result<(Runtime, TcpListener)> {
    limit_unread(&listener, WRITE_TIME)?;
    listener.set_nonblocking(true)?;
    // A runtime that never leaves its thread: its tasks are polled there and nowhere else.
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let listener = TcpListener::from_std(listener)?;
    drop(inside);
    Ok((runtime, listener))
}

/// Serves the clients that the kernel gives to this listener.
async fn serve_clients(listener: TcpListener, shared: &Shared) {
    let site = Arc::clone(&shared.site);
    let service = service_fn(move |request| answer::answer(request, Arc::clone(&site)));
    let connections = serve::accept(&listener, &shared.http, service, &shared.closing).await;
    // Were a listener closed while another still accepts, one new client would be refused and the next one served.
    shared.stopped.wait().await;
    drop(listener);
    connections.shutdown().await;
}
// ANCHOR_END: main
