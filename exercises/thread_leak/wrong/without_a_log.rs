// Wrong: has no thread for the log any more, so a slow disk delays the client.
// The check says: two for each: one for the client, and one for its log

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// How many threads have begun and not ended.
#[derive(Clone, Debug, Default)]
pub struct Running(Arc<AtomicUsize>);

impl Running {
    /// The number.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Starts a thread of this name, and counts it as long as it runs.
    fn spawn(&self, name: String, work: impl FnOnce() + Send + 'static) {
        self.0.fetch_add(1, Ordering::SeqCst);
        let running = Arc::clone(&self.0);
        let counted = move || {
            work();
            running.fetch_sub(1, Ordering::SeqCst);
        };
        thread::Builder::new().name(name).spawn(counted).expect("the system has a thread");
    }
}

/// Serves clients forever, with two threads for each.
pub fn serve(listener: TcpListener, running: &Running) {
    for (number, stream) in listener.incoming().flatten().enumerate() {
        let (log, lines) = mpsc::channel();
        running.spawn(format!("client-{number}"), move || {
            handle(&stream, &log);
            drop(log);
            write_log(&lines);
        });
    }
}

/// Talks to a client, and tells the log about it.
fn handle(stream: &TcpStream, log: &Sender<String>) {
    let _ = log.send("connected".to_owned());
    let target = exercise_kit::target(stream);
    let _ = log.send(format!("asked for {target}"));
    exercise_kit::answer_now(stream, "logged\n");
}

/// Takes lines until there will be no more.
fn write_log(lines: &Receiver<String>) {
    let mut written = 0;
    for line in lines {
        // A real log would go to a file.
        written += line.len();
    }
    assert!(written > 0, "every connection has a line");
}
