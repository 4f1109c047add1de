//! The site as it is, with a [`Connection`] that reports when it begins, which request it carries, each step, and its
//! end.

use std::ops::{Deref, DerefMut};

use observed_trace::Handling;
pub use site::*;

/// The blocking handler of the site, the same file, around the connection below.
#[path = "../../../../examples/site/src/blocking.rs"]
pub mod blocking;

/// The site's connection, which also reports.
#[derive(Debug)]
pub struct Connection<'site> {
    connection: site::Connection<'site>,
    handling: Handling,
}

impl<'site> Connection<'site> {
    /// Makes a connection on which nothing has arrived yet.
    pub fn new(site: &'site Site) -> Connection<'site> {
        Connection { handling: Handling::begin(), connection: site::Connection::new(site) }
    }

    /// Returns the next step for the server.
    pub fn next_step(&mut self) -> Step {
        self.handling.step();
        self.connection.next_step()
    }

    /// Takes bytes that have arrived.
    pub fn received(&mut self, bytes: &[u8]) {
        self.handling.received(bytes);
        self.connection.received(bytes);
    }
}

impl<'site> Deref for Connection<'site> {
    type Target = site::Connection<'site>;

    fn deref(&self) -> &Self::Target {
        &self.connection
    }
}

impl DerefMut for Connection<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.connection
    }
}
