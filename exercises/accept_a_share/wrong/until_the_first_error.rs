// Wrong: takes the first error of any kind for the end.
// The check says: one client gave up among the others

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
        let Ok(client) = accept() else { return Next::Event };
        admit(client);
    }
    Next::Again
}
