//! hyper as source 003 had it: threads that share nothing, each with a runtime and a listener of its own.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --package hyper_per_core --example hyper_per_core -- --threads 2
//!
//! The listeners are on one port (`SO_REUSEPORT`). The kernel chooses one for each connection by a hash, and there
//! it stays: no thread takes work from another.

use std::{io, net, sync::Arc, thread};

use hyper::service::service_fn;
use site::{Options, Site, WRITE_TIME, limit_unread};
use tokio::{net::TcpListener, runtime, sync::Barrier};
use tokio_util::sync::CancellationToken;

#[path = "../hyper_site/answer.rs"]
mod answer;
#[path = "../hyper_site/serve.rs"]
mod serve;
#[path = "../stop.rs"]
mod stop;

/// What all threads have.
struct Shared {
    options: Options,
    site: Arc<Site>,
    closing: CancellationToken,
    /// Where the threads meet when they have stopped accepting.
    stopped: Barrier,
}

// ANCHOR: main
fn main() -> io::Result<()> {
    // As many as the article began with.
    let options = Options::from_args_with_threads("hyper_per_core", 2);
    let listeners = options.bind_each();
    let (site, closing) = (Site::new(&options), stop::stop_on_signal()?);
    let threads = options.threads;
    let what = format!("{threads} threads, a runtime and a listener each");
    options.announce(&listeners[0], what);
    let shared = Arc::new(Shared { options, site, closing, stopped: Barrier::new(threads.get()) });
    let start = |listener| {
        let shared = Arc::clone(&shared);
        // A runtime that never leaves its thread: its tasks are polled here and nowhere else.
        let run = move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(serve_clients(listener, &shared))
        };
        thread::Builder::new().name("hyper".to_owned()).spawn(run)
    };
    let threads = listeners.into_iter().map(start).collect::<io::Result<Vec<_>>>()?;
    for thread in threads {
        // A handler's panic ends its task, and no thread.
        thread.join().expect("a thread's runtime catches what its tasks do")?;
    }
    Ok(())
}

/// Serves the clients that the kernel gives to this listener.
async fn serve_clients(listener: net::TcpListener, shared: &Shared) -> io::Result<()> {
    limit_unread(&listener, WRITE_TIME)?;
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let site = Arc::clone(&shared.site);
    let service = service_fn(move |request| answer::answer(request, Arc::clone(&site)));
    let http = serve::http(shared.options.keep_alive);
    let connections = serve::accept(&listener, &http, service, &shared.closing).await;
    // Were a listener closed while another still accepts, one new client would be refused and the next one served.
    shared.stopped.wait().await;
    drop(listener);
    connections.shutdown().await;
    Ok(())
}
// ANCHOR_END: main
