//! Making connections: to the first address that answers, and from as many as are needed.

use std::{
    io::{self, ErrorKind},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use tokio::net::{TcpSocket, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How many connections may be in the making. Many more would overflow the server's backlog.
static CONNECTING: Semaphore = Semaphore::const_new(128);

/// How many connections are made from one address of this machine. On Linux it has about 28,000 ports.
const PER_ADDRESS: usize = 20_000;

/// Finds the first address of `host` that has a listener, and connects to it.
///
/// # Errors
/// In words, if there is none.
pub async fn reach(host: &str, limit: Duration) -> Result<(SocketAddr, TcpStream), String> {
    let addresses =
        lookup_host(host).await.map_err(|error| format!("cannot find {host}: {error}"))?;
    let mut why = "it has no address".to_owned();
    for address in addresses {
        match timeout(limit, Dialer::new(address, 0).connect()).await {
            Ok(Ok(stream)) => return Ok((address, stream)),
            Ok(Err(error)) => why = error.to_string(),
            Err(_elapsed) => why = format!("no answer within {limit:?}"),
        }
    }
    Err(format!("cannot connect to {host}: {why}; does the server run?"))
}

// ANCHOR: dialer
/// Makes the connections of one client.
#[derive(Clone)]
pub struct Dialer {
    address: SocketAddr,
    /// Connects from 127.0.0.`source`; 1 is where the system would connect from anyway.
    source: u8,
}

impl Dialer {
    /// The dialer of client `number`.
    pub fn new(address: SocketAddr, number: usize) -> Dialer {
        let source = u8::try_from(1 + number / PER_ADDRESS).unwrap_or(u8::MAX);
        Dialer { address, source }
    }

    /// Makes a connection, from the next address of this machine where one has no port left.
    pub async fn connect(&mut self) -> io::Result<TcpStream> {
        let _permit = CONNECTING.acquire().await.expect("nobody closes it");
        self.connect_at_once().await
    }

    /// Makes a connection, however many others are in the making.
    pub async fn connect_at_once(&mut self) -> io::Result<TcpStream> {
        let is_local = matches!(self.address.ip(), IpAddr::V4(ip) if ip.is_loopback());
        loop {
            match self.connect_from_source(is_local).await {
                Err(error) if is_local && self.source < u8::MAX && is_out_of_ports(&error) => {
                    self.source += 1;
                }
                outcome => return outcome,
            }
        }
    }

    async fn connect_from_source(&self, is_local: bool) -> io::Result<TcpStream> {
        if !is_local || self.source == 1 {
            return TcpStream::connect(self.address).await;
        }
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 0, self.source), 0)))?;
        socket.connect(self.address).await
    }
}
// ANCHOR_END: dialer

/// `connect` reports that no port is free as the first of these, `bind` as the second.
fn is_out_of_ports(error: &io::Error) -> bool {
    [ErrorKind::AddrNotAvailable, ErrorKind::AddrInUse].contains(&error.kind())
}
