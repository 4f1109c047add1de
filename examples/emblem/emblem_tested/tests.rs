//! The last stop without a socket, and without waiting: `cargo test -p emblem_tested`

// It is a program, with a main of its own.
#[allow(dead_code)]
#[path = "../emblem_tokio/log.rs"]
mod log;

use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::Duration;

use log::{DEADLINE, GRACE, Service, WAIT, finish, handle, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance, sleep};
use tokio_util::task::TaskTracker;

/// How long a client may take for its head.
const PATIENCE: Duration = Duration::from_secs(5);

/// The clock stands still while a task runs, so times are exact to the millisecond of Tokio's timers.
const TICK: Duration = Duration::from_millis(1);

/// Lets a service serve the other end of this.
fn connect(service: &Service) -> (DuplexStream, JoinHandle<()>) {
    let (client, server) = duplex(16 * 1024);
    let service = service.clone();
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let served = tokio::spawn(async move {
        handle(server, peer, &service).await.expect("nothing breaks");
    });
    (client, served)
}

/// All that comes until the end.
async fn rest(mut client: DuplexStream) -> String {
    let mut rest = String::new();
    client.read_to_string(&mut rest).await.expect("it is text");
    rest
}

async fn ask(service: &Service, target: &str) -> String {
    let (mut client, _served) = connect(service);
    let request = format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
    client.write_all(request.as_bytes()).await.expect("the server reads");
    rest(client).await
}

#[track_caller]
fn check_status(response: &str, status: &str) {
    assert!(response.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{response:?}");
}

#[track_caller]
fn check_took(start: Instant, expected: Duration) {
    let took = start.elapsed();
    assert!(took >= expected && took - expected <= TICK, "{took:?} and not {expected:?}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_is_disconnected_in_time() {
    let start = Instant::now();
    let (client, _served) = connect(&Service::new(1));
    assert_eq!(rest(client).await, "");
    check_took(start, PATIENCE);
}

#[tokio::test(start_paused = true)]
async fn half_a_head_gets_its_refusal_in_time() {
    let start = Instant::now();
    let (mut client, _served) = connect(&Service::new(1));
    for byte in b"GET / HTTP/1.1\r\n" {
        client.write_all(&[*byte]).await.expect("the server reads");
        // Each piece comes in good time, and the whole does not.
        sleep(PATIENCE / 8).await;
        if start.elapsed() >= PATIENCE {
            break;
        }
    }
    check_status(&rest(client).await, "408 Request Timeout");
}

/// No socket could show this: the kernel's buffers take megabytes.
#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_is_given_up_in_time() {
    let start = Instant::now();
    let (mut client, server) = duplex(64);
    let service = Service::new(1);
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let served = tokio::spawn(async move { handle(server, peer, &service).await });
    let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    client.write_all(request).await.expect("the server reads");
    let ended = served.await.expect("it does not panic");
    assert_eq!(ended.expect_err("it gives up").kind(), std::io::ErrorKind::TimedOut);
    check_took(start, PATIENCE);
}

#[tokio::test(start_paused = true)]
async fn who_waits_too_long_for_a_permit_is_told_so() {
    let service = Service::new(1);
    let _permit = service.drawing.acquire().await.expect("nobody closes it");
    let start = Instant::now();
    check_status(&ask(&service, "/emblem/ada").await, "503 Service Unavailable");
    check_took(start, WAIT);
    // A page that draws nothing needs none.
    check_status(&ask(&service, "/").await, "200 OK");
    check_took(start, WAIT);
}

/// The thread can't be stopped, so it keeps its permit: otherwise the next one would draw beside it.
#[tokio::test(start_paused = true)]
async fn after_the_deadline_the_thread_has_its_permit_still() {
    fn never_ends(_name: &str) -> String {
        thread::sleep(Duration::from_millis(300));
        String::new()
    }
    let service = Service { draw: never_ends, ..Service::new(1) };
    let asking = ask(&service, "/emblem/ada");
    let mut asking = Box::pin(asking);
    // The clock doesn't jump while a thread of the blocking pool works, so it is pushed.
    while service.drawing.available_permits() == 1 {
        tokio::select! {
            biased;
            early = &mut asking => panic!("it drew nothing, and said {early:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    advance(DEADLINE).await;
    check_status(&asking.await, "503 Service Unavailable");
    assert_eq!(service.drawing.available_permits(), 0, "the thread still draws");
    let returned = service.drawing.acquire().await;
    drop(returned.expect("nobody closes it"));
}

#[tokio::test]
async fn a_panic_costs_one_answer_and_no_permit() {
    fn panics(_name: &str) -> String {
        panic!("this emblem can't be drawn")
    }
    let service = Service { draw: panics, ..Service::new(1) };
    for _ in 0..3 {
        check_status(&ask(&service, "/emblem/ada").await, "500 Internal Server Error");
    }
    assert_eq!(service.drawing.available_permits(), 1);
    check_status(&ask(&service, "/").await, "200 OK");
}

/// The question on the page: nobody has kept it yet when the second asks.
#[tokio::test]
async fn two_that_ask_at_the_same_time_have_it_drawn_twice() {
    fn shared(name: &str) -> String {
        thread::sleep(Duration::from_millis(50));
        name.to_owned()
    }
    let service = Service { draw: shared, ..Service::new(2) };
    let both = tokio::join!(ask(&service, "/emblem/ada"), ask(&service, "/emblem/ada"));
    check_status(&both.0, "200 OK");
    check_status(&both.1, "200 OK");
    // Each of the two has had it kept, and so counted.
    assert!(ask(&service, "/names").await.ends_with("\r\n\r\nada 2\n"));
    check_status(&ask(&service, "/emblem/ada").await, "200 OK");
    assert!(ask(&service, "/names").await.ends_with("\r\n\r\nada 3\n"));
}

#[tokio::test(start_paused = true)]
async fn an_idle_client_is_disconnected_at_the_stop() {
    let service = Service::new(1);
    let (client, served) = connect(&service);
    tokio::task::yield_now().await;
    let start = Instant::now();
    service.stopping.cancel();
    assert_eq!(rest(client).await, "");
    served.await.expect("it ends well");
    check_took(start, Duration::ZERO);
    // What has come already is answered.
    check_status(&ask(&service, "/").await, "200 OK");
}

#[tokio::test(start_paused = true)]
async fn who_is_cut_off_shows_in_the_exit_status() {
    for (takes, status, end) in [(GRACE / 2, 0, GRACE / 2), (2 * GRACE, 1, GRACE)] {
        let connections = TaskTracker::new();
        connections.spawn(sleep(takes));
        let start = Instant::now();
        assert_eq!(finish(&Service::new(1), &connections).await, status);
        check_took(start, end);
    }
}

#[tokio::test]
async fn a_silent_client_holds_up_nobody_over_real_sockets() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let connections = TaskTracker::new();
    let service = Service::new(1);
    let served = connections.clone();
    tokio::spawn(async move { serve(listener, &service, &served).await });
    let _silent = TcpStream::connect(address).await.expect("it listens");
    let mut client = TcpStream::connect(address).await.expect("it listens");
    client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("it reads");
    let mut response = String::new();
    client.read_to_string(&mut response).await.expect("it is text");
    check_status(&response, "200 OK");
    // The silent one, and the one that has not left yet.
    assert_eq!(connections.len(), 2);
}

#[tokio::test]
async fn so_many_names_are_kept_and_no_more() {
    let service = Service { draw: str::to_owned, ..Service::new(1) };
    for number in 0..1010 {
        check_status(&ask(&service, &format!("/emblem/n{number}")).await, "200 OK");
    }
    assert_eq!(ask(&service, "/names").await.matches(" 1\n").count(), 1000);
}
