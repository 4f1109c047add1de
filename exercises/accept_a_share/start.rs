// Accept all waiting clients, but no more than a share.
//
// The system reports once that clients wait. `accept` returns one of them, or an error:
// - `ErrorKind::WouldBlock`: no client waits any more. The system reports the next client that does.
// - `ErrorKind::ConnectionAborted`: this client gave up. Others may still wait.
// - any other: the server has run out of something. The next attempt would fail as well.
//
// Your turn: let `accept_all` accept all waiting clients, hand each to `admit`, and return the next step:
// - after `WouldBlock`: `Next::Event`.
// - when it has called `accept` `share` times, and perhaps a client still waits: `Next::Again`.
// - after an error of the server: `Next::Pause`.

use std::io;

/// What has to happen before `accept_all` is called again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The system reports that a client waits.
    Event,
    /// The admitted clients have been served.
    Again,
    /// Some time has passed.
    Pause,
}

/// Accepts all waiting clients, up to a share.
pub fn accept_all<Client>(
    mut accept: impl FnMut() -> io::Result<Client>,
    share: usize,
    mut admit: impl FnMut(Client),
) -> Next {
    if let Ok(client) = accept() {
        admit(client);
    }
    Next::Event
}
