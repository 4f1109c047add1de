//! The learner's server, on its own thread.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{Client, comes_true_within, threads, words_of};

/// A server that runs for one check. Its thread ends with the process.
#[derive(Clone, Debug)]
pub struct Server {
    address: SocketAddr,
    /// The end of `serve` in words, if it has ended.
    end: Arc<Mutex<Option<String>>>,
}

impl Server {
    /// Hands a listener on a free port to `serve`, on its own thread.
    ///
    /// # Panics
    /// When the system has no port to give.
    pub fn start(serve: impl FnOnce(TcpListener) + Send + 'static) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let end = Arc::new(Mutex::new(None));
        let ended = Arc::clone(&end);
        threads::spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| serve(listener)));
            let words = match outcome {
                Ok(()) => "`serve` has returned".to_owned(),
                Err(panic) => format!("`serve` has panicked: {}", words_of(&*panic)),
            };
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
        });
        Server { address, end }
    }

    /// Returns the address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Opens a new connection to it.
    ///
    /// # Panics
    /// When it can't be reached.
    #[track_caller]
    pub fn connect(&self) -> Client {
        Client::connect(self)
    }

    /// Tells how `serve` ended, if it did.
    pub fn end(&self) -> Option<String> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells how `serve` ended, for a client whose connection broke.
    ///
    /// `serve` closes its listener a moment before its thread has noted the end; therefore this waits for
    /// up to 200 ms.
    pub(crate) fn end_after_a_break(&self) -> Option<String> {
        comes_true_within(Duration::from_millis(200), || self.end().is_some());
        self.end()
    }
}

#[cfg(test)]
mod tests {
    use std::{net::TcpStream, thread};

    use super::*;
    use crate::comes_true;

    #[test]
    fn a_client_that_comes_right_after_the_end_is_told_of_it() {
        let server = Server::start(|listener| {
            drop(listener);
            thread::sleep(Duration::from_millis(50));
        });
        assert!(comes_true(|| TcpStream::connect(server.address()).is_err()), "it listens still");
        let refused = catch_unwind(|| server.connect());
        let words = words_of(&*refused.expect_err("it listens no longer"));
        assert!(words.contains("`serve` has returned"), "{words}");
    }
}
