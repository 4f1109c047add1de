//! The clients that ask a server which a page has started, each on a thread of its own.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use serde::Serialize;

/// How long after the first client the others come, so that the server meets it first.
const LATER: Duration = Duration::from_millis(100);

/// How many clients may come in all.
const MOST: usize = 200;

/// How much of a response is read.
const MOST_RESPONSE: u64 = 1024 * 1024;

/// A client, and what has become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Client {
    /// What it wants, or does.
    what: String,
    /// When it came, in milliseconds since the first.
    from: u128,
    /// When it had its response, or left.
    to: Option<u128>,
    outcome: Outcome,
    /// What it got, or saw.
    words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Waits,
    Answered,
    /// The server ended the connection without a response, or took none.
    Nothing,
    /// It went away by itself.
    Left,
}

/// All clients of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Clients(Arc<Mutex<All>>);

#[derive(Debug, Default)]
struct All {
    began: Option<Instant>,
    list: Vec<Client>,
}

impl Clients {
    pub(super) fn list(&self) -> Vec<Client> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).list.clone()
    }

    /// How long ago the first one came, in milliseconds.
    pub(super) fn now(&self) -> u128 {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.began.map_or(0, |began| began.elapsed().as_millis())
    }

    /// Sends clients with these wishes: the first, and a moment later all others at once.
    pub(super) fn ask(&self, server: SocketAddr, wishes: &[String]) {
        let Some((first, others)) = wishes.split_first() else { return };
        self.send_one(server, first.clone());
        let clients = self.clone();
        let others = others.to_vec();
        thread::spawn(move || {
            thread::sleep(LATER);
            clients.ask_at_once(server, &others);
        });
    }

    /// Sends clients with these wishes, all at once.
    pub(super) fn ask_at_once(&self, server: SocketAddr, wishes: &[String]) {
        for wish in wishes {
            self.send_one(server, wish.clone());
        }
    }

    fn send_one(&self, server: SocketAddr, wish: String) {
        self.send(wish.clone(), move || match ask(server, &wish) {
            Ok(words) if !words.is_empty() => (Outcome::Answered, words),
            Ok(_) => (Outcome::Nothing, "the connection ended without a response".to_owned()),
            Err(error) => (Outcome::Nothing, error.to_string()),
        });
    }

    /// Sends one that says nothing, and waits for what the server does about it.
    pub(super) fn say_nothing(&self, server: SocketAddr) {
        self.send("says nothing".to_owned(), move || {
            let ended =
                TcpStream::connect(server).and_then(|it| it.take(MOST_RESPONSE).read(&mut [0]));
            match ended {
                Ok(0) => (Outcome::Nothing, "the server ended the connection".to_owned()),
                Ok(_) => (Outcome::Answered, "the server spoke first".to_owned()),
                Err(error) => (Outcome::Nothing, error.to_string()),
            }
        });
    }

    /// Sends one that asks, and leaves before the response.
    pub(super) fn leave(&self, server: SocketAddr, wish: &str) {
        let request = request(wish);
        self.send(format!("{wish}, and leaves"), move || {
            let left =
                TcpStream::connect(server).and_then(|mut it| it.write_all(request.as_bytes()));
            thread::sleep(LATER);
            (Outcome::Left, left.err().map(|error| error.to_string()).unwrap_or_default())
        });
    }

    /// Lets the program at this path attack the server, in one manner after the other.
    pub(super) fn attack(&self, server: SocketAddr, attacker: String, attacks: &'static [String]) {
        let clients = self.clone();
        thread::spawn(move || {
            for attack in attacks {
                let mut command = Command::new(&attacker);
                command.args([attack, "--port", &server.port().to_string()]).stdin(Stdio::null());
                let tried =
                    clients.send(format!("break_it -- {attack}"), move || match command.output() {
                        Ok(output) => {
                            let said = String::from_utf8_lossy(&output.stdout);
                            let last = said.lines().last().unwrap_or_default().trim().to_owned();
                            let is_broken = last.starts_with("broken");
                            (if is_broken { Outcome::Nothing } else { Outcome::Answered }, last)
                        }
                        Err(error) => (Outcome::Nothing, error.to_string()),
                    });
                if tried.is_none_or(|tried| tried.join().is_err()) {
                    return;
                }
            }
        });
    }

    /// Lets a client do what it does on a thread of its own; none if there are too many.
    fn send(
        &self,
        what: String,
        act: impl FnOnce() -> (Outcome, String) + Send + 'static,
    ) -> Option<thread::JoinHandle<()>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = all.list.len();
        if index == MOST {
            return None;
        }
        let from = all.began.get_or_insert_with(Instant::now).elapsed().as_millis();
        let words = String::new();
        all.list.push(Client { what, from, to: None, outcome: Outcome::Waits, words });
        let clients = self.clone();
        let acting = thread::Builder::new().name("client".to_owned()).spawn(move || {
            let (outcome, words) = act();
            let to = Some(clients.now());
            let mut all = clients.0.lock().unwrap_or_else(PoisonError::into_inner);
            let client = &mut all.list[index];
            *client = Client { to, outcome, words, ..client.clone() };
        });
        acting.ok()
    }
}

/// What a client sends: a request of HTTP for a path, or else a line.
fn request(wish: &str) -> String {
    if wish.starts_with('/') {
        format!("GET {wish} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    } else {
        format!("{wish}\n")
    }
}

/// Asks, and returns the status of the response, or the line that came back; nothing if there was none.
fn ask(server: SocketAddr, wish: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(server)?;
    stream.write_all(request(wish).as_bytes())?;
    let mut response = BufReader::new(&stream).take(MOST_RESPONSE);
    let mut line = Vec::new();
    response.read_until(b'\n', &mut line)?;
    if wish.starts_with('/') {
        // The client has its response when the server has ended the connection.
        io::copy(&mut response, &mut io::sink())?;
    } else {
        let _ = stream.shutdown(Shutdown::Both);
    }
    let line = String::from_utf8_lossy(&line);
    let line = line.trim_end();
    Ok(line.strip_prefix("HTTP/1.1 ").unwrap_or(line).to_owned())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[track_caller]
    fn wait_for(clients: &Clients, outcomes: &[Outcome]) -> Vec<Client> {
        let begun = Instant::now();
        loop {
            let list = clients.list();
            let found: Vec<Outcome> = list.iter().map(|it| it.outcome).collect();
            if found == outcomes {
                return list;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{list:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// A server that reads a request, and answers as the test wants it.
    fn server(answers: &'static [&'static str]) -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut read = [0; 1024];
                let _ = stream.read(&mut read);
                // So that a wait can be seen.
                thread::sleep(Duration::from_millis(150));
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        address
    }

    #[test]
    fn a_client_waits_until_it_is_answered_and_says_what_it_got() {
        let clients = Clients::default();
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        let address = server(Box::leak(Box::new([ok, ok, ""])));
        clients.ask(address, &["/sleep", "/"].map(str::to_owned));
        use Outcome::*;
        let list = wait_for(&clients, &[Answered, Answered]);
        assert_eq!((list[0].words.as_str(), list[0].from), ("200 OK", 0));
        assert!(list[1].from >= 100 && list[1].to.unwrap() >= 300, "{list:?}");
        clients.ask(address, &["/".to_owned()]);
        let list = wait_for(&clients, &[Answered, Answered, Nothing]);
        assert!(list[2].words.contains("without a response"), "{list:?}");
    }

    #[test]
    fn a_line_comes_back_and_who_leaves_waits_for_nothing() {
        let clients = Clients::default();
        let address = server(&["one\n", "", ""]);
        clients.ask(address, &["one".to_owned()]);
        let list = wait_for(&clients, &[Outcome::Answered]);
        assert_eq!(list[0].words, "one");
        clients.leave(address, "/");
        wait_for(&clients, &[Outcome::Answered, Outcome::Left]);
        clients.say_nothing(address);
        wait_for(&clients, &[Outcome::Answered, Outcome::Left, Outcome::Waits]);
    }
}
