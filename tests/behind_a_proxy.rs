//! The page on what happens between a proxy and a server: what is lost on a connection that was kept, by our relay and by
//! nginx, and in a restart; and what the relay passes on.

use std::{
    fs,
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{Client, DEADLINE, Rung, Server, conclusive, example, have, root, run};
use records::base::programs::program;

/// A limit of the server, and the pause after which the client asks again. A machine that stalls for longer than their
/// difference proves nothing.
const IDLE: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(600);

/// The long programs, in a debug build on a machine that may do other things.
const MINUTES: Duration = Duration::from_secs(120);

#[track_caller]
fn step(name: &'static str) -> Rung {
    Rung::step(name).expect("it is declared")
}

/// A relay in front of this server.
#[track_caller]
fn relay(name: &'static str, server: &Server, args: &[&str]) -> Server {
    step(name).start(&[&["--to", &server.address.port().to_string()], args].concat())
}

fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

/// The statuses of six requests, one after the other with such pauses.
#[track_caller]
fn six(port: u16, pause: Duration, method: &str) -> Vec<String> {
    let port = port.to_string();
    let pause = seconds(pause);
    let mut client = example("six_seconds");
    let finished =
        run(client.args(["--port", &port, "--every", &pause, "--method", method]), MINUTES);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut lines: Vec<String> = finished.stdout.lines().map(str::to_owned).collect();
    let failed = lines.iter().filter(|line| line.starts_with("502 ")).count();
    assert_eq!(lines.pop(), Some(format!("{failed} of 6 have failed")));
    lines
}

const GOOD: &str = "200 OK";
const BAD: &str = "502 Bad Gateway";
const ALL: [&str; 6] = [GOOD; 6];
const EVERY_SECOND: [&str; 6] = [GOOD, BAD, GOOD, BAD, GOOD, BAD];

#[test]
fn every_second_request_is_lost_where_the_server_gives_up_first() {
    let server = step("kept").start(&["--idle", &seconds(IDLE)]);
    conclusive(6 * PAUSE, || {
        let relay = relay("pooling_relay", &server, &[]);
        assert_eq!(six(relay.address.port(), PAUSE, "GET"), EVERY_SECOND);
    });
}

/// Either cure by itself.
#[test]
fn none_is_lost_where_the_relay_gives_up_first() {
    let impatient = step("kept").start(&["--idle", &seconds(IDLE)]);
    let below = relay("pooling_relay", &impatient, &["--keep", &seconds(IDLE / 2)]);
    assert_eq!(six(below.address.port(), PAUSE, "GET"), ALL);
    let patient = step("kept").start(&["--idle", "65"]);
    let above = relay("pooling_relay", &patient, &[]);
    assert_eq!(six(above.address.port(), PAUSE, "GET"), ALL);
}

/// The defaults of all three programs, and a rung in the place of the small server.
#[test]
#[ignore = "slow"]
fn five_seconds_of_a_server_are_less_than_sixty_of_a_relay() {
    let pause = Duration::from_secs(6);
    let small = step("kept").start(&[]);
    let rung = Rung::named("ch06_tokio").start(&["--keep-alive"]);
    thread::scope(|scope| {
        for server in [&small, &rung] {
            scope.spawn(move || {
                let uncured = relay("pooling_relay", server, &[]);
                assert_eq!(six(uncured.address.port(), pause, "GET"), EVERY_SECOND);
            });
            scope.spawn(move || {
                let cured = relay("pooling_relay", server, &["--keep", "4"]);
                assert_eq!(six(cured.address.port(), pause, "GET"), ALL);
            });
        }
    });
}

#[test]
fn the_page_shows_what_the_client_prints() {
    let page = fs::read_to_string(root().join("book/behind-a-proxy.md")).expect("it is there");
    let printed = EVERY_SECOND.join("\n");
    let shown = format!("$ cargo run --example six_seconds\n{printed}\n3 of 6 have failed\n```");
    assert!(page.contains(&shown), "the page doesn't show:\n{shown}");
}

/// It sees a close that has come, and none that is on its way.
#[ignore = "slow"]
#[test]
fn a_relay_that_looks_first_is_lost_to_a_close_that_crosses_its_request() {
    let ordinary = step("kept").start(&["--idle", &seconds(IDLE)]);
    conclusive(6 * PAUSE, || {
        let looks = relay("pooling_relay_looks", &ordinary, &[]);
        assert_eq!(six(looks.address.port(), PAUSE, "GET"), ALL);
    });
    let unlucky = step("kept_unlucky").start(&[]);
    let looks = relay("pooling_relay_looks", &unlucky, &[]);
    assert_eq!(six(looks.address.port(), IDLE, "GET"), EVERY_SECOND);
    // A limit is a cure there as well.
    let cured = relay("pooling_relay_looks", &unlucky, &["--keep", &seconds(IDLE / 2)]);
    assert_eq!(six(cured.address.port(), IDLE, "GET"), ALL);
}

/// A request that passes through a relay, as the server gets it.
#[test]
fn the_relay_says_who_asks_and_keeps_what_is_of_one_connection() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let relay = step("pooling_relay").start(&["--to", &port.to_string()]);
    let mut client = Client::connect(&relay).unwrap();
    client
        .send("POST /a?b HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.7\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
        .unwrap();
    let (mut server, _) = listener.accept().expect("the relay connects");
    let expected = "POST /a?b HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.7\r\nContent-Length: 2\r\n\
                    Forwarded: for=127.0.0.1\r\nConnection: keep-alive\r\n\r\nhi";
    let mut received = vec![0; expected.len()];
    server.read_exact(&mut received).expect("the relay passes it on");
    assert_eq!(String::from_utf8_lossy(&received), expected);
    server.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes").expect("it is connected");
    let response = client.response().unwrap();
    assert_eq!((response.text(), response.header("connection")), ("yes", Some("close")));
    client.ends().unwrap();
}

#[test]
fn what_is_no_request_or_no_answer_is_told() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let relay = step("pooling_relay").start(&["--to", &port.to_string()]);
    let mut client = Client::connect(&relay).unwrap();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    assert_eq!(client.response().unwrap().text(), "400 Bad Request\n");
    client.ends().unwrap();
    // A server that isn't there, and one that answers without a length.
    let mut client = Client::connect(&relay).unwrap();
    client.get("/").unwrap();
    let (mut server, _) = listener.accept().expect("the relay connects");
    server.write_all(b"HTTP/1.1 200 OK\r\n\r\nyes").expect("it is connected");
    assert_eq!(client.response().unwrap().text(), "502 Bad Gateway\n");
    drop(listener);
    client.get("/").unwrap();
    assert_eq!(client.response().unwrap().text(), "502 Bad Gateway\n");
}

/// The system has as many clients for it as it takes, and drops the first packet of any other.
#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_silent_costs_a_second_and_then_another_is_asked() {
    let silent = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    silent.bind(&std::net::SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    silent.listen(0).unwrap();
    let address = silent.local_addr().unwrap().as_socket().expect("it is IPv4");
    let mut inside = Vec::new();
    while let Ok(client) = TcpStream::connect_timeout(&address, Duration::from_millis(200)) {
        inside.push(client);
    }
    let good = step("kept").start(&[]);
    let silent_port = address.port().to_string();
    let good_port = good.address.port().to_string();
    let relay = step("pooling_relay").start(&["--to", &silent_port, "--to", &good_port]);
    let start = Instant::now();
    for _ in 0..2 {
        let response = Client::asking(&relay, "/").unwrap().response().unwrap();
        assert_eq!((response.status, response.text()), (200, "hello\n"));
    }
    assert!(start.elapsed() < DEADLINE, "{:?}", start.elapsed());
}

/// It catches the signal from the moment in which it tells its port.
#[cfg(unix)]
#[test]
fn the_server_that_ends_in_two_steps_catches_the_signal() {
    let mut server = step("kept_stops").start(&["--notice", "0.5"]);
    server.signal(ladder_tests::Signal::Interrupt);
    assert_eq!(server.wait(DEADLINE).code(), Some(0), "{}", server.stderr());
}

/// Five answers on one connection come, however they are written. How long they take is shown, and not tested.
#[test]
fn five_answers_come_on_one_connection() {
    for name in ["kept", "kept_one_write", "kept_nodelay"] {
        let server = step(name).start(&[]);
        let port = server.address.port().to_string();
        let finished = run(example("second_answer").args(["--port", &port]), DEADLINE);
        assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
        assert_eq!(finished.stdout.lines().count(), 5, "{name}: {}", finished.stdout);
    }
}

/// The goal is 0, and one step isn't enough.
#[ignore = "slow"]
#[test]
fn a_restart_loses_requests_in_one_step_and_none_in_two() {
    let finished = run(&mut example("rolling_restart"), MINUTES);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let lines: Vec<&str> = finished.stdout.lines().collect();
    let [one, two] = lines[..] else { panic!("{}", finished.stdout) };
    assert!(one.ends_with(" requests are lost in one step") && !one.starts_with("0 "), "{one}");
    assert!(two.ends_with(" requests are lost in two steps") && two.starts_with("0 "), "{two}");
}

/// nginx in front of a server. It is killed when it is dropped.
struct Nginx {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Nginx {
    /// Starts it with the lines of the page, some of them changed.
    fn start(server: &Server, changes: &[(&str, &str)]) -> Nginx {
        // It takes no port 0, so somebody may take the port that was free before it does.
        for _ in 0..10 {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
            let port = listener.local_addr().expect("it is bound").port();
            drop(listener);
            let mut nginx = Nginx::start_at(port, server, changes);
            if nginx.listens() {
                return nginx;
            }
        }
        panic!("nginx doesn't listen");
    }

    fn start_at(port: u16, server: &Server, changes: &[(&str, &str)]) -> Nginx {
        let file = root().join("examples/borders/behind_a_proxy/nginx.conf");
        let mut lines = fs::read_to_string(file).expect("it is there");
        let ports = [
            ("127.0.0.1:8080", format!("127.0.0.1:{}", server.address.port())),
            ("127.0.0.1:8000", format!("127.0.0.1:{port}")),
        ];
        let ports = ports.iter().map(|(from, to)| (*from, to.as_str()));
        for (from, to) in ports.chain(changes.iter().copied()) {
            assert!(lines.contains(from), "{from}");
            lines = lines.replace(from, to);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("own.conf");
        fs::write(&own, lines).expect("the folder is ours");
        let mut nginx = Command::new("nginx");
        nginx.args(["-e", "stderr", "-p"]).arg(folder.path()).arg("-c").arg(&own);
        let child = nginx.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("it is here");
        Nginx { child, port, _folder: folder }
    }

    /// Waits until it answers; `false` if it has ended.
    fn listens(&mut self) -> bool {
        let begun = Instant::now();
        while self.child.try_wait().expect("a child can be waited for").is_none() {
            if self.refuses().unwrap_or(false) {
                return true;
            }
            assert!(begun.elapsed() < DEADLINE, "nginx doesn't answer");
            thread::sleep(Duration::from_millis(10));
        }
        false
    }

    /// Whether nginx itself, and no upstream, answers a request that has no `Host`.
    fn refuses(&self) -> io::Result<bool> {
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        client.set_read_timeout(Some(DEADLINE))?;
        client.write_all(b"GET / HTTP/1.1\r\n\r\n")?;
        let mut answer = String::new();
        client.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 400 ") && answer.contains("\r\nServer: nginx"))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It is asked to end, so that it takes its workers along.
        #[cfg(unix)]
        let _ = ladder_tests::send_signal(self.child.id(), ladder_tests::Signal::Terminate);
        #[cfg(not(unix))]
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Since 1.29.7, nginx keeps its connections unless told otherwise.
fn nginx_keeps_by_default() -> bool {
    let version = program("nginx").and_then(|nginx| nginx.version()).expect("it is here");
    let digits = version.rsplit('/').next().unwrap_or_default();
    let parts: Vec<u32> = digits
        .split(|letter: char| !letter.is_ascii_digit())
        .map_while(|part| part.parse().ok())
        .collect();
    parts >= vec![1, 29, 7]
}

#[test]
fn nginx_repeats_a_get_and_no_post() {
    if !have("nginx") {
        return;
    }
    let unlucky = step("kept_unlucky").start(&[]);
    let nginx = Nginx::start(&unlucky, &[]);
    assert_eq!(six(nginx.port, IDLE, "GET"), ALL);
    let posts = six(nginx.port, IDLE, "POST");
    assert_eq!(posts.iter().filter(|status| *status == BAD).count(), 3, "{posts:?}");
    // The server's limit is the longer one.
    let cured = Nginx::start(&unlucky, &[("keepalive_timeout 60s", "keepalive_timeout 100ms")]);
    assert_eq!(six(cured.port, PAUSE, "POST"), ALL);
}

/// The close has come long before the next request, and nginx has looked.
#[test]
fn nginx_notices_a_close_that_has_come() {
    if !have("nginx") {
        return;
    }
    let server = step("kept").start(&["--idle", &seconds(IDLE)]);
    let nginx = Nginx::start(&server, &[]);
    conclusive(6 * PAUSE, || assert_eq!(six(nginx.port, PAUSE, "POST"), ALL));
}

#[test]
fn without_two_lines_an_old_nginx_keeps_no_connection() {
    if !have("nginx") {
        return;
    }
    let unlucky = step("kept_unlucky").start(&[]);
    let lines = ["proxy_http_version 1.1;", "proxy_set_header Connection \"\";"];
    let nginx = Nginx::start(&unlucky, &lines.map(|line| (line, "")));
    let posts = six(nginx.port, IDLE, "POST");
    let lost = posts.iter().filter(|status| *status == BAD).count();
    assert_eq!(lost, if nginx_keeps_by_default() { 3 } else { 0 }, "{posts:?}");
}
