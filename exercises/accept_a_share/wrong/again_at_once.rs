// Wrong: tries again immediately after a shortage, so the loop spins.
// The check says: times without a descriptor

use std::io::{self, ErrorKind};

/// What has to happen before `accept_all` is called again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The system tells.
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
    for _ in 0..share {
        match accept() {
            Ok(client) => admit(client),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Next::Event,
            Err(_) => {}
        }
    }
    Next::Again
}
