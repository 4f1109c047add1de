//! The contract that every rung keeps, over real sockets: the routes, HTTP/1.1, the limits; and here, clients that
//! are rude and a system that has nothing left.

use std::{
    fs, thread,
    time::{Duration, Instant, SystemTime},
};

use ladder_tests::{
    Client, Response, Rung, Schedule, Server, Shown, conclusive, for_each_server, is_here,
};
use site::HEAD_TIME;

mod wire {
    mod http;
    mod limits;
    mod probe;
    mod routes;
    mod shortage;
}

for_each_server! {
    every: [survives_rude_clients, survives_panics, survives_a_client_that_never_pauses]
    smoke: [survives_half_open_clients]
    ThreadPerConnection: [
        #[cfg(target_os = "linux")]
        survives_running_out_of_threads,
    ]
}

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const INDEX: &[u8] = include_bytes!("../examples/site/index.html");

/// What a response to a plain HTTP/1.1 request must say about the connection in this mode.
fn usual(server: &Server) -> Option<&'static str> {
    if server.keep_alive { None } else { Some("close") }
}

/// Checks everything about a response but its body.
#[track_caller]
fn check_head(response: &Response, status: (u16, &str), kind: &str, connection: Option<&str>) {
    assert_eq!((response.status, response.reason.as_str()), status, "{response:?}");
    assert_eq!(response.header("Content-Type"), Some(kind), "{response:?}");
    assert_eq!(response.header("Connection"), connection, "{response:?}");
    assert_eq!(response.header("Transfer-Encoding"), None, "{response:?}");
    let allow = (status.0 == 405).then_some("GET, HEAD");
    assert_eq!(response.header("Allow"), allow, "{response:?}");

    let date = response.header("Date").unwrap_or_else(|| panic!("no Date in {response:?}"));
    let parsed = httpdate::parse_http_date(date).expect("Date is an HTTP date");
    assert_eq!(httpdate::fmt_http_date(parsed), date, "the form of the date that RFC 9110 prefers");
    let hour = Duration::from_secs(3600);
    let now = SystemTime::now();
    assert!(now - hour < parsed && parsed < now + hour, "{date} is not the time now");
}

/// Checks a 200 whole.
#[track_caller]
fn check_ok(response: &Response, kind: &str, body: &[u8], connection: Option<&str>) {
    check_head(response, (200, "OK"), kind, connection);
    assert_eq!(response.body, body, "{response:?}");
}

/// Checks a refusal: its status in the body too, and a connection that ends. Where a library refuses a request, no
/// handler of ours sees it, and the text is the library's.
#[track_caller]
fn check_refusal(client: &mut Client, status: (u16, &str)) {
    let response = client.response();
    if client.rung.library_refuses() {
        assert_eq!(response.status, status.0, "{response:?}");
        assert_eq!(response.header("Connection"), Some("close"), "{response:?}");
    } else {
        check_head(&response, status, TEXT, Some("close"));
        assert_eq!(response.text(), format!("{} {}\n", status.0, status.1));
    }
    client.ends();
}

/// Sends one request on a connection of its own, and reads the answer. The connection is then closed.
#[track_caller]
fn ask(server: &Server, target: &str) -> Response {
    Client::asking(server, target).response()
}

/// Checks that the server still does what it is there for.
#[track_caller]
fn still_answers(server: &Server) {
    check_ok(&ask(server, "/"), HTML, INDEX, usual(server));
}

/// Where a response ends in a body: every route, what kind of content it sends, and which.
fn routes() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let file = fs::read(site::hello_html()).expect("the site has its file");
    vec![
        ("/", HTML, INDEX.to_vec()),
        ("/?", HTML, INDEX.to_vec()),
        ("/?ms=nonsense", HTML, INDEX.to_vec()),
        ("/sleep", TEXT, b"slept 100 ms\n".to_vec()),
        ("/sleep?ms=0", TEXT, b"slept 0 ms\n".to_vec()),
        ("/sleep?other=1&ms=7", TEXT, b"slept 7 ms\n".to_vec()),
        ("/tenth", TEXT, b"request 1 did not wait\n".to_vec()),
        ("/tenth?ms=5", TEXT, b"request 2 did not wait\n".to_vec()),
        ("/file", HTML, file.clone()),
        ("/file?version=2", HTML, file),
        ("/work", JSON, site::compute(100).into_bytes()),
        ("/work?n=0", JSON, b"{}".to_vec()),
        ("/work?n=3", JSON, site::compute(3).into_bytes()),
    ]
}

/// What a plain `cargo test` knows of the servers in other languages: that one of each toolchain answers.
#[test]
fn one_server_of_each_toolchain_answers() {
    for toolchain in servers::TOOLCHAINS.iter() {
        let mut all = servers::FOREIGN.iter();
        let server = all.find(|server| server.toolchain.as_ref() == Some(&toolchain.name));
        let server = server.expect("it builds one");
        if is_here(server) {
            still_answers(&Rung::named(&server.name).start(&[]));
        }
    }
}

fn survives_rude_clients(rung: Rung) {
    rung.in_both_modes(|server| {
        for _ in 0..50 {
            drop(Client::connect(server));
        }
        for _ in 0..50 {
            Client::connect(server).reset();
        }
        for _ in 0..50 {
            let mut half = Client::connect(server);
            half.send("GET / HTTP/1.1\r\nHos");
            drop(half);
        }
        for target in ["/", "/sleep?ms=20", "/file", "/work?n=500"] {
            for _ in 0..20 {
                let mut hasty = Client::connect(server);
                hasty.get(target);
                hasty.reset();
            }
        }
        still_answers(server);
    });
}

/// A panic costs its own client the answer. It costs nobody else anything, and the pool none of its threads.
fn survives_panics(rung: Rung) {
    let threads = 3;
    for flags in [&["--panic-route"][..], &["--panic-route", "--keep-alive"]] {
        let mut server = rung.launch_with_threads(threads).args(flags).start();
        for _ in 0..threads * 4 {
            let mut client = Client::connect(&server);
            client.get("/panic");
            let (answer, _) = client.rest();
            assert!(answer.is_empty(), "a handler that panicked answered {}", Shown(&answer));
        }
        still_answers(&server);
        if rung.schedule != Schedule::OneThread {
            // With one thread less there would be none left for the good client.
            conclusive(HEAD_TIME, || {
                let held = half_open(&server, threads - 1);
                let start = Instant::now();
                still_answers(&server);
                assert!(start.elapsed() < HEAD_TIME, "answered only when others had gone");
                drop(held);
            });
        }
        assert!(server.is_running());
    }
}

/// So many clients that have sent half a request each. The backlog has room for those that are not accepted.
fn half_open(server: &Server, count: usize) -> Vec<Client> {
    (0..count).map(|_| Client::half_open(server)).collect()
}

fn survives_half_open_clients(rung: Rung) {
    rung.in_both_modes(|server| {
        if rung.serves_beside_waiting_clients() {
            conclusive(HEAD_TIME, || {
                let clients = half_open(server, 200);
                let start = Instant::now();
                still_answers(server);
                assert!(start.elapsed() < HEAD_TIME, "answered only when others had gone");
                drop(clients);
            });
        } else {
            drop(half_open(server, 200));
        }
        still_answers(server);
    });
}

/// A client that sends one request after the other, and never waits for an answer, always has bytes to read
/// and room to write. It must not keep the only thread of a rung whose tasks share it.
fn survives_a_client_that_never_pauses(rung: Rung) {
    if !rung.serves_beside_waiting_clients() {
        // There a connection keeps its thread by nature, and with `--keep-alive` for as long as it likes.
        return;
    }
    let server = rung.launch_with_threads(1).args(&["--keep-alive"]).start();
    let greedy = Client::connect(&server).never_pause("GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n");
    thread::sleep(Duration::from_millis(200));
    for _ in 0..3 {
        still_answers(&server);
    }
    drop(greedy);
    still_answers(&server);
}

/// The system refuses a thread: that costs its client the answer, and nobody the server.
#[cfg(target_os = "linux")]
fn survives_running_out_of_threads(rung: Rung) {
    let server = rung.start(&[]);
    still_answers(&server);
    let idle = server.status("Threads");
    // Room for the stacks of about ten threads, and half a stack for everything else.
    let stack = 2 * 1024 * 1024;
    server.limit_address_space(server.status("VmSize") * 1024 + 10 * stack + stack / 2);
    let refused = conclusive(HEAD_TIME, || {
        // They send nothing, so that a refusal can't cross a request and be lost to a reset.
        let mut clients: Vec<Client> = (0..40).map(|_| Client::connect(&server)).collect();
        // They are accepted in their order: when the last has its refusal, so have those before it.
        let last = clients.last_mut().expect("there are 40");
        assert!(
            last.hears_within(ladder_tests::DEADLINE),
            "40 connections, and no thread was refused"
        );
        // The last ones first, until one is met that has a thread, and hears nothing.
        let mut refused = 0;
        for client in clients.iter_mut().rev() {
            if !client.hears_within(Duration::from_millis(100)) {
                break;
            }
            check_refusal(client, (503, "Service Unavailable"));
            refused += 1;
        }
        refused
    });
    assert!(refused < 40, "threads were refused that the limit allows");
    // The refused and the served are gone now; when their threads have ended, others can be had.
    ladder_tests::wait_until("the threads end", || server.status("Threads") <= idle);
    ladder_tests::wait_until("a thread can be had again", || ask(&server, "/").status == 200);
    ladder_tests::wait_until("that thread ends too", || server.status("Threads") <= idle);
    still_answers(&server);
}
