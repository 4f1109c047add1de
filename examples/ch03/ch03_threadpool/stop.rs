//! How a server on threads ends: rung 3, and the blocking version of rung 5.

use std::io::{self, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use site::Site;
use socket2::{Domain, Socket, Type};

/// How long the connection that wakes `accept` may take.
const WAKE_TIME: Duration = Duration::from_millis(100);

/// How long a stopping server waits for a client that has asked for nothing.
const LAST_LOOK: Duration = Duration::from_millis(1);

// ANCHOR: stop
/// Whether the server is to stop, and which connections are idle until then.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    told: bool,
    /// The connections on which a thread waits for a request, and not a byte of it has come.
    idle: Vec<Arc<TcpStream>>,
}

impl Stop {
    /// From now on Ctrl-C, SIGTERM and SIGHUP stop the server, and it ends within five seconds.
    ///
    /// # Errors
    /// When the listener has no address, the system has no socket left, or takes no signal handler.
    pub fn on_signal(site: &Arc<Site>, listener: &TcpListener) -> io::Result<Stop> {
        let stop = Stop::default();
        let address = listener.local_addr()?.into();
        // Made now, because no descriptor may be left when the signal comes.
        let waker = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        let site = Arc::clone(site);
        let told = stop.clone();
        let tell = move || {
            told.tell();
            // `accept` is blocked and looks at no flag: wake it with a connection. That fails where
            // clients fill the backlog, and then one of them wakes it.
            let _ = waker.connect_timeout(&address, WAKE_TIME);
        };
        ctrlc::set_handler(move || site.stop(&tell)).map_err(io::Error::other)?;
        Ok(stop)
    }

    /// Yields accepted connections until the server is to stop. The one that wakes it is dropped.
    pub fn until_told<T>(&self, accepted: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        accepted.take_while(|_| !self.lock().told)
    }
}
// ANCHOR_END: stop

// ANCHOR: idle
impl Stop {
    /// Reads once. If the client is `idle`, this finds the end of its stream once the server is to stop.
    pub fn read(
        &self,
        idle: bool,
        stream: &Arc<TcpStream>,
        buffer: &mut [u8],
    ) -> io::Result<usize> {
        if !idle {
            return stream.as_ref().read(buffer);
        }
        let mut state = self.lock();
        if state.told {
            // Its request may have come while it was queued: then it is read.
            stream.set_read_timeout(Some(LAST_LOOK))?;
        }
        state.idle.push(Arc::clone(stream));
        drop(state);
        let outcome = stream.as_ref().read(buffer);
        self.lock().idle.retain(|other| !Arc::ptr_eq(other, stream));
        outcome
    }

    fn tell(&self) {
        let mut state = self.lock();
        state.told = true;
        for stream in &state.idle {
            // The thread that waits in `read` finds the end, or what came before it. Only this half
            // is closed, so a request that has just been read is still answered.
            let _ = stream.shutdown(Shutdown::Read);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
// ANCHOR_END: idle
