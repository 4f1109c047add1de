//! The server, where there is epoll.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::{collections::HashMap, fs, thread};

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use site::{Connection, Options, Site, Step, compute};

const LISTENER: u64 = 0;

pub fn main() -> io::Result<()> {
    let options = Options::of("event_loop_levels").read();
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread with level-triggered events");
    serve(listener, &site)
}

// ANCHOR: serve
/// Sleeps until a socket is ready, then takes one step for each that is.
fn serve(listener: TcpListener, site: &Site) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
    epoll.add(&listener, EpollEvent::new(EpollFlags::EPOLLIN, LISTENER))?;
    let mut events = [EpollEvent::empty(); 64];
    let mut clients = HashMap::new();
    let mut last = LISTENER;
    let mut has_complained = false;
    loop {
        let count = match epoll.wait(&mut events, EpollTimeout::NONE) {
            Ok(count) => count,
            // A signal has ended the wait, as after Ctrl-Z and `fg`: there are no events.
            Err(Errno::EINTR) => 0,
            Err(error) => return Err(error.into()),
        };
        for event in &events[..count] {
            let token = event.data();
            if token == LISTENER {
                // One is enough: if there are more, the next wait returns immediately and reports them again.
                match listener.accept() {
                    Ok((stream, _)) => {
                        stream.set_nonblocking(true)?;
                        last += 1;
                        epoll.add(&stream, EpollEvent::new(EpollFlags::EPOLLIN, last))?;
                        clients.insert(last, (stream, Connection::new(site)));
                    }
                    // The client has gone since.
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    // A trap: the client still waits, so the next wait returns immediately as well, and the loop spins.
                    Err(error) if !has_complained => {
                        has_complained = true;
                        site::complain(format_args!("cannot accept a connection: {error}"));
                    }
                    Err(_) => {}
                }
            } else if let Some((stream, connection)) = clients.get_mut(&token)
                && !advance(stream, connection).unwrap_or(false)
            {
                // Closing the socket takes it off the list.
                clients.remove(&token);
            }
        }
    }
}
// ANCHOR_END: serve

/// Reads once, and continues until the next read; `false` when the client has ended.
fn advance(stream: &mut TcpStream, connection: &mut Connection) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    let mut has_read = false;
    loop {
        match connection.next_step() {
            // One is enough here as well: this saves the read that only says `WouldBlock`.
            Step::Read { .. } if has_read => return Ok(true),
            Step::Read { .. } => {
                has_read = true;
                match stream.read(&mut buffer) {
                    Ok(0) => connection.ended(),
                    Ok(count) => connection.received(&buffer[..count]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                    Err(error) => return Err(error),
                }
            }
            Step::Sleep(pause) => thread::sleep(pause),
            Step::ReadFile(path) => connection.file_read(fs::read(path)),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => stream.write_all(&bytes)?,
            Step::FinishWriting | Step::Close => return Ok(false),
        }
    }
}
