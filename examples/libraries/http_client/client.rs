//! A client to take to work: a deadline for each call, a budget for all retries, and a pool.
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::{Response, StatusCode};
use tokio::time::{Instant, sleep, timeout};

// ANCHOR: bounds
/// How long a call may take, with all its tries and the pauses between them.
pub const DEADLINE: Duration = Duration::from_secs(2);

/// How long one try may take.
const TRY: Duration = Duration::from_millis(500);

/// How often a call is tried at most.
const TRIES: u32 = 4;

/// The longest pause after the first try. After each further try it may be twice as long.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest body of an answer, in bytes: it is held in memory as a whole.
const BODY_LIMIT: usize = 1024 * 1024;

/// How many connections without a request are kept for a server. Those with one have no bound here.
const IDLE: usize = 10;

/// How long: less than the server keeps them, here 5 s, or a request is sent while its connection is being closed.
const IDLE_TIME: Duration = Duration::from_secs(4);
// ANCHOR_END: bounds

// ANCHOR: budget
/// How many retries are left for all calls together, in tenths.
pub struct Budget(AtomicU32);

impl Budget {
    /// What a retry takes. A call puts one tenth in, so at most one retry comes on ten calls.
    const RETRY: u32 = 10;

    /// Tenths for this many retries can be saved up, and are there at the start.
    pub const SAVED: u32 = 10;

    pub fn new() -> Budget {
        Budget(AtomicU32::new(Budget::SAVED * Budget::RETRY))
    }

    fn put_in(&self) {
        let most = Budget::SAVED * Budget::RETRY;
        let _ = self.0.fetch_update(Relaxed, Relaxed, |tenths| Some(most.min(tenths + 1)));
    }

    /// Takes a retry out; `false` when there is none.
    fn take_out(&self) -> bool {
        let taken = |tenths: u32| tenths.checked_sub(Budget::RETRY);
        self.0.fetch_update(Relaxed, Relaxed, taken).is_ok()
    }
}
// ANCHOR_END: budget

// ANCHOR: client
/// Asks one server. All calls share its pool and its budget.
pub struct Client {
    http: reqwest::Client,
    /// `None`: each call is tried as often as it may be.
    budget: Option<Budget>,
    /// How many requests have been sent.
    pub sent: AtomicU64,
}

impl Client {
    pub fn new(budget: Option<Budget>) -> Client {
        Client { http: pool(IDLE_TIME), budget, sent: AtomicU64::new(0) }
    }

    /// What the server answers. A GET may be repeated, because it changes nothing there.
    ///
    /// # Errors
    /// After the last try that may be made, or at the deadline.
    pub async fn get(&self, url: &str) -> Result<String, Failure> {
        if let Some(budget) = &self.budget {
            budget.put_in();
        }
        match timeout(DEADLINE, self.try_often(url)).await {
            Ok(outcome) => outcome,
            Err(_elapsed) => Err(Failure::Late),
        }
    }

    async fn try_often(&self, url: &str) -> Result<String, Failure> {
        let deadline = Instant::now() + DEADLINE;
        let mut longest = PAUSE;
        let mut tries = 1;
        loop {
            let failure = match self.try_once(url).await {
                Ok(text) => return Ok(text),
                Err(failure) => failure,
            };
            if tries == TRIES || !failure.may_pass() {
                return Err(failure);
            }
            // What the server asks for, and more at random: clients that have failed together don't come back together.
            let pause = failure.asked_pause().saturating_add(longest.mul_f64(fastrand::f64()));
            let left = deadline.saturating_duration_since(Instant::now());
            if pause >= left || !self.may_retry() {
                return Err(failure);
            }
            sleep(pause).await;
            longest *= 2;
            tries += 1;
        }
    }

    async fn try_once(&self, url: &str) -> Result<String, Failure> {
        self.sent.fetch_add(1, Relaxed);
        let response = self.http.get(url).send().await?;
        match response.status() {
            status if status.is_success() => text(response).await,
            status => Err(Failure::Refused(status, retry_after(&response))),
        }
    }

    fn may_retry(&self) -> bool {
        self.budget.as_ref().is_none_or(Budget::take_out)
    }
}

/// A client with a pool, which keeps a connection for so long. We repeat what fails ourselves.
fn pool(idle_time: Duration) -> reqwest::Client {
    let builder = reqwest::Client::builder().timeout(TRY).retry(reqwest::retry::never());
    let builder = builder.pool_max_idle_per_host(IDLE).pool_idle_timeout(idle_time);
    builder.build().expect("TLS, where it is built in, finds what it needs")
}

/// The body, as far as the limit. What isn't UTF-8 is replaced.
async fn text(mut response: Response) -> Result<String, Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > BODY_LIMIT {
            return Err(Failure::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// For how long the server asks a client to stay away. It may also name a date, which we don't read.
fn retry_after(response: &Response) -> Duration {
    let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = value.and_then(|value| value.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}
// ANCHOR_END: client

// ANCHOR: failure
/// Why a call has no answer.
#[derive(Debug)]
pub enum Failure {
    /// The server has answered, and not with a success, and asks for this pause.
    Refused(StatusCode, Duration),
    /// Nobody has answered, or an answer broke off.
    Broken(reqwest::Error),
    /// The answer is longer than we take.
    TooLong,
    /// The deadline of the call has come.
    Late,
}

impl Failure {
    /// Whether another try may succeed: a 404 stays one, and after a 504 the server has taken all the time it had.
    fn may_pass(&self) -> bool {
        match self {
            Failure::Refused(status, _) => {
                matches!(*status, StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE)
            }
            Failure::Broken(error) => !error.is_builder() && !error.is_redirect(),
            Failure::TooLong | Failure::Late => false,
        }
    }

    fn asked_pause(&self) -> Duration {
        match self {
            Failure::Refused(_, pause) => *pause,
            Failure::Broken(_) | Failure::TooLong | Failure::Late => Duration::ZERO,
        }
    }
}
// ANCHOR_END: failure

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Failure {
        Failure::Broken(error)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(status, _) => write!(f, "{status}"),
            Failure::Broken(error) => write!(f, "{error}"),
            Failure::TooLong => write!(f, "an answer of more than {BODY_LIMIT} bytes"),
            Failure::Late => write!(f, "no answer within {DEADLINE:?}"),
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::Arc;
    use std::thread;

    use super::*;

    const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";
    const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    const NONE: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    const BAD: &str = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n";
    const SLOW: &str = "HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n";
    const IN_A_SECOND: &str =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
    const IN_A_MINUTE: &str =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n";
    /// It ends the connection in place of an answer.
    const LOST: &str = "";

    /// A server that gives these answers one after the other, and the last of them again and again, and keeps each
    /// connection whose request isn't lost. It counts them.
    fn server(answers: &'static [&str]) -> (SocketAddr, Arc<AtomicU64>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&connections);
        let given = Arc::new(AtomicU64::new(0));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                counted.fetch_add(1, Relaxed);
                let given = Arc::clone(&given);
                thread::spawn(move || {
                    // The heads are short, and one comes when the last was answered: each is one read.
                    while let Ok(1..) = stream.read(&mut [0; 4096]) {
                        let number = given.fetch_add(1, Relaxed) as usize;
                        let answer = answers[number.min(answers.len() - 1)];
                        if answer == LOST {
                            break;
                        }
                        stream.write_all(answer.as_bytes()).unwrap();
                    }
                });
            }
        });
        (address, connections)
    }

    #[test]
    fn a_tenth_of_the_calls_may_be_retried_and_what_was_saved_up() {
        let budget = Budget::new();
        let retries = || (0..).take_while(|_| budget.take_out()).count();
        assert_eq!(retries(), Budget::SAVED as usize);
        let all: usize = (0..1000)
            .map(|_| {
                budget.put_in();
                retries()
            })
            .sum();
        assert_eq!(all, 100);
    }

    #[tokio::test]
    async fn what_may_pass_is_tried_again_and_nothing_else() {
        let client = Client::new(Some(Budget::new()));
        let (address, _) = server(&[FULL, FULL, OK]);
        let answer = client.get(&format!("http://{address}/")).await;
        assert_eq!((answer.unwrap().as_str(), client.sent.load(Relaxed)), ("ok\n", 3));
        let client = Client::new(Some(Budget::new()));
        let (address, _) = server(&[BAD, OK]);
        let answer = client.get(&format!("http://{address}/")).await;
        assert_eq!((answer.unwrap().as_str(), client.sent.load(Relaxed)), ("ok\n", 2));
        for (answers, failure) in
            [(&[NONE, OK], "404 Not Found"), (&[SLOW, OK], "504 Gateway Timeout")]
        {
            let client = Client::new(Some(Budget::new()));
            let (address, _) = server(answers);
            let answer = client.get(&format!("http://{address}/")).await;
            assert_eq!(
                (answer.unwrap_err().to_string().as_str(), client.sent.load(Relaxed)),
                (failure, 1)
            );
        }
        // No try can send this.
        let client = Client::new(Some(Budget::new()));
        assert!(client.get("no address").await.is_err());
        assert_eq!(client.sent.load(Relaxed), 1);
    }

    /// On a new connection, and on one that was kept.
    #[tokio::test]
    async fn a_request_that_was_lost_is_sent_again() {
        let client = Client::new(Some(Budget::new()));
        let (address, connections) = server(&[LOST, OK, LOST, OK]);
        let url = format!("http://{address}/");
        assert_eq!(client.get(&url).await.unwrap(), "ok\n");
        assert_eq!((client.sent.load(Relaxed), connections.load(Relaxed)), (2, 2));
        assert_eq!(client.get(&url).await.unwrap(), "ok\n");
        assert_eq!((client.sent.load(Relaxed), connections.load(Relaxed)), (4, 3));
    }

    #[tokio::test]
    async fn the_pause_is_as_long_as_the_server_asks_unless_the_deadline_comes_first() {
        let client = Client::new(Some(Budget::new()));
        let (address, _) = server(&[IN_A_SECOND, OK]);
        let start = Instant::now();
        let answer = client.get(&format!("http://{address}/")).await;
        assert_eq!((answer.unwrap().as_str(), client.sent.load(Relaxed)), ("ok\n", 2));
        assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
        let (address, _) = server(&[IN_A_MINUTE, OK]);
        let start = Instant::now();
        let failure = client.get(&format!("http://{address}/")).await.unwrap_err();
        assert_eq!(
            (failure.to_string().as_str(), client.sent.load(Relaxed)),
            ("503 Service Unavailable", 3)
        );
        assert!(start.elapsed() < DEADLINE, "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn an_answer_has_a_longest_body() {
        let client = Client::new(Some(Budget::new()));
        for (length, is_taken) in [(BODY_LIMIT, true), (BODY_LIMIT + 1, false)] {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
            let answer = format!("{head}{}", "a".repeat(length)).leak();
            let (address, _) = server(vec![&*answer].leak());
            let outcome = client.get(&format!("http://{address}/")).await;
            assert_eq!(outcome.is_ok_and(|text| text.len() == length), is_taken, "{length}");
        }
        assert_eq!(client.sent.load(Relaxed), 2);
    }

    #[tokio::test]
    async fn without_a_retry_in_the_budget_a_call_is_tried_once() {
        let client = Client::new(Some(Budget(AtomicU32::new(0))));
        let (address, _) = server(&[FULL]);
        assert!(client.get(&format!("http://{address}/")).await.is_err());
        assert_eq!(client.sent.load(Relaxed), 1);
    }

    /// A server that takes connections and says nothing.
    #[tokio::test]
    async fn a_call_ends_at_its_deadline_whatever_its_tries_do() {
        // Three pauses of 249 ms in all: the fourth try begins in good time, and could last beyond the deadline.
        fastrand::seed(18);
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let start = Instant::now();
        let failure = Client::new(None).get(&url).await.unwrap_err();
        assert!(matches!(failure, Failure::Late), "{failure}");
        assert!(start.elapsed() >= DEADLINE);
    }

    #[tokio::test]
    async fn a_connection_is_used_again_unless_it_was_idle_for_too_long() {
        let idle_time = Duration::from_millis(300);
        let client = Client { http: pool(idle_time), ..Client::new(None) };
        let (address, connections) = server(&[OK]);
        let url = format!("http://{address}/");
        for _ in 0..5 {
            client.get(&url).await.unwrap();
        }
        assert_eq!(connections.load(Relaxed), 1);
        sleep(2 * idle_time).await;
        client.get(&url).await.unwrap();
        assert_eq!(connections.load(Relaxed), 2);
    }
}
