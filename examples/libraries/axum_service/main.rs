//! A service on axum to take to work: `cargo run -p axum_service`, and its tests: `cargo test -p axum_service`
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{env, io, process};

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, error, info, warn};

// ANCHOR: bounds
/// How many connections are open at the same time. Further clients stay in the kernel's backlog.
const CONNECTIONS: usize = 1000;

/// How many queries are in flight at the same time. Whoever sends one more is refused at once.
const IN_FLIGHT: usize = 100;

/// How long a query may take until its answer begins. A body that is a stream has no limit here, and no permit.
const DEADLINE: Duration = Duration::from_secs(5);

/// The longest head of a request, in bytes. hyper's own limit is about 400 KiB.
const HEAD_LIMIT: usize = 16 * 1024;

/// How long a client may take to send a head, and so how long a connection may be silent: hyper has one clock for both.
/// Behind a proxy it must be longer than the proxy keeps an unused connection: 65 s for a proxy that keeps 60 s.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// How long the service says that it will stop, and serves on, so that a load balancer can notice: several of its
/// health checks.
const NOTICE: Duration = Duration::from_secs(1);

/// How long those in flight have then: longer than the deadline, so that each query is answered, and with the notice
/// shorter than a supervisor waits.
const GRACE: Duration = Duration::from_secs(8);

/// The pause after an `accept` that failed.
const PAUSE: Duration = Duration::from_millis(100);
// ANCHOR_END: bounds

// ANCHOR: state
/// What all requests share.
#[derive(Clone)]
struct Service {
    /// A permit for each query that may be in flight.
    permits: Arc<Semaphore>,
    /// Your state: here how long the last queries took, in milliseconds.
    recent: Arc<Mutex<VecDeque<u64>>>,
    /// Whether it will stop soon.
    is_leaving: Arc<AtomicBool>,
}

/// How many of these times are kept.
const RECENT: usize = 10;

impl Service {
    fn new(in_flight: usize) -> Service {
        Service {
            permits: Arc::new(Semaphore::new(in_flight)),
            recent: Arc::default(),
            is_leaving: Arc::default(),
        }
    }

    /// Takes the lock for a moment, and in no `async fn`: nobody holds it while waiting.
    fn remember(&self, ms: u64) {
        let mut recent = self.recent.lock().expect("no thread panics while it holds the lock");
        recent.truncate(RECENT - 1);
        recent.push_front(ms);
    }

    fn recent(&self) -> Vec<u64> {
        let recent = self.recent.lock().expect("no thread panics while it holds the lock");
        recent.iter().copied().collect()
    }
}
// ANCHOR_END: state

// ANCHOR: router
/// Which handler answers which path, and what wraps it.
fn router(service: Service) -> Router {
    Router::new()
        .route("/query/{ms}", get(query))
        // Around the routes above, and not around those below.
        .route_layer(middleware::from_fn_with_state(service.clone(), bound))
        .route("/", get(health))
        .route("/recent", get(recent))
        // Around everything.
        .layer(middleware::from_fn_with_state(service.clone(), take_leave))
        .layer(middleware::from_fn(log))
        .with_state(service)
}

/// Your work. Here it waits for as long as the path says, as it would for a database.
async fn query(State(service): State<Service>, Path(ms): Path<u64>) -> String {
    sleep(Duration::from_millis(ms)).await;
    service.remember(ms);
    format!("that took {ms} ms\n")
}

/// Answers while queries are refused, so whoever asks can tell a full service from a dead one, and from one that will
/// stop.
async fn health(State(service): State<Service>) -> (StatusCode, &'static str) {
    match service.is_leaving.load(Relaxed) {
        false => (StatusCode::OK, "ok\n"),
        true => (StatusCode::SERVICE_UNAVAILABLE, "leaving\n"),
    }
}

async fn recent(State(service): State<Service>) -> String {
    service.recent().iter().map(|ms| format!("{ms} ms\n")).collect()
}
// ANCHOR_END: router

// ANCHOR: bound
/// Around each query: a permit or a refusal, and a deadline.
async fn bound(State(service): State<Service>, request: Request, next: Next) -> Response {
    let Ok(_permit) = service.permits.try_acquire() else {
        let why = "too many queries are in flight\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], why).into_response();
    };
    match timeout(DEADLINE, next.run(request)).await {
        Ok(response) => response,
        // The handler's future has been dropped, wherever it was. A second try may take as long, so none is invited.
        Err(_elapsed) => (StatusCode::GATEWAY_TIMEOUT, "this has taken too long\n").into_response(),
    }
}

/// Around everything: from the first step of the stop on, each answer is the last on its connection.
async fn take_leave(State(service): State<Service>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if service.is_leaving.load(Relaxed) {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Around everything: a line for each answer. A query string may hold a secret, so it has the path only.
async fn log(request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let ms = start.elapsed().as_millis();
    info!(%method, path, status, ms, "answered");
    response
}
// ANCHOR_END: bound

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    // A log that nobody can read any more must not end the service. Lines of `debug!` show with
    // `.with_max_level(tracing::Level::DEBUG)`.
    tracing_subscriber::fmt().with_writer(io::stderr).log_internal_errors(false).init();
    // Before the port is printed.
    let stop = told_to_stop()?;
    let port = env::var("PORT").map_or(8080, |port| port.parse().expect("PORT is a number"));
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    let status = serve(listener, Service::new(IN_FLIGHT), stop).await;
    // Returning would wait for each thread of the blocking pool, however long that takes.
    process::exit(status)
}

/// Serves until `stop` ends and the notice is over, and then finishes what is in flight: the exit status.
async fn serve(listener: TcpListener, service: Service, stop: impl Future<Output = ()>) -> i32 {
    let connections = GracefulShutdown::new();
    let two_steps = async {
        stop.await;
        info!("leaving");
        service.is_leaving.store(true, Relaxed);
        sleep(NOTICE).await;
    };
    tokio::select! {
        () = two_steps => info!("stopping"),
        never = accept(listener, router(service.clone()), &connections) => match never {},
    }
    // The listener was dropped with `accept`, so new clients are refused.
    let connected = connections.count();
    match timeout(GRACE, connections.shutdown()).await {
        Ok(()) => 0,
        Err(_elapsed) => {
            warn!(connected, "some of these clients are cut off");
            1
        }
    }
}

/// Gives each connection a task.
async fn accept(
    listener: TcpListener,
    router: Router,
    connections: &GracefulShutdown,
) -> Infallible {
    let mut http = http1::Builder::new();
    // hyper has no clock of its own: without a timer it has no limit of time.
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    // A head has to fit into this buffer.
    http.max_buf_size(HEAD_LIMIT);
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let permit = Arc::clone(&permits).acquire_owned().await.expect("nobody closes it");
        match listener.accept().await {
            Ok((stream, peer)) => {
                // What is sent in pieces waits for no confirmation. It fails where the client is gone already.
                let _ = stream.set_nodelay(true);
                let service = TowerToHyperService::new(router.clone());
                let connection = http.serve_connection(TokioIo::new(stream), service);
                let connection = connections.watch(connection);
                tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        debug!(%peer, %error, "a connection ended early");
                    }
                    drop(permit);
                });
            }
            // Perhaps no descriptor is left. Some connections will end soon.
            Err(error) => {
                error!(%error, "cannot accept a client");
                sleep(PAUSE).await;
            }
        }
    }
}
// ANCHOR_END: main

// ANCHOR: stop
/// Ends with Ctrl-C or with the signal by which a program stops another. From now on neither ends the process.
#[cfg(unix)]
fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(windows)]
fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move { interrupt.recv().await.unwrap_or_default() })
}
// ANCHOR_END: stop

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;
    use tower::ServiceExt;

    use super::*;

    /// The status and the text of an answer, without a socket.
    async fn ask(router: &Router, path: &str) -> (u16, String) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let text = to_bytes(response.into_body(), 1000).await.unwrap();
        (status, String::from_utf8(text.to_vec()).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn who_finds_no_permit_is_refused_and_the_permit_comes_back() {
        let router = router(Service::new(1));
        let (first, second, health) =
            tokio::join!(ask(&router, "/query/100"), ask(&router, "/query/200"), ask(&router, "/"));
        assert_eq!([first.0, second.0, health.0], [200, 503, 200]);
        assert_eq!(ask(&router, "/query/300").await.0, 200);
        assert_eq!(ask(&router, "/recent").await.1, "300 ms\n100 ms\n");
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_too_long_is_given_up_and_its_permit_comes_back() {
        let router = router(Service::new(1));
        let start = Instant::now();
        assert_eq!(ask(&router, "/query/60000").await.0, 504);
        assert_eq!(start.elapsed(), DEADLINE);
        assert_eq!(ask(&router, "/query/100").await.0, 200);
        assert_eq!(ask(&router, "/recent").await.1, "100 ms\n");
    }

    #[tokio::test]
    async fn who_is_in_flight_at_the_stop_is_answered_over_a_real_socket() {
        let service = Service::new(1);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { stopped.await.unwrap() };
        let serving = tokio::spawn(serve(listener, service.clone(), stopped));
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(b"GET /query/1300 HTTP/1.1\r\nHost: test\r\n\r\n").await.unwrap();
        while service.permits.available_permits() > 0 {
            sleep(Duration::from_millis(1)).await;
        }
        stop.send(()).unwrap();
        while !service.is_leaving.load(Relaxed) {
            sleep(Duration::from_millis(1)).await;
        }
        // The first step: the health check says no, and the load balancer is still served.
        let mut balancer = TcpStream::connect(address).await.unwrap();
        balancer.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").await.unwrap();
        let mut health = String::new();
        balancer.read_to_string(&mut health).await.unwrap();
        assert!(health.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{health}");
        assert!(health.contains("\r\nconnection: close\r\n"), "{health}");
        // The second: the request in flight is answered.
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("that took 1300 ms\n"), "{answer}");
        assert_eq!(serving.await.unwrap(), 0);
    }
}
// ANCHOR_END: tests
