//! The server, where there is epoll.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::{collections::HashMap, fs, thread};

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use site::{Connection, Options, Site, Step, compute};

const LISTENER: u64 = 0;

pub fn main() -> io::Result<()> {
    let options = Options::from_args("event_loop_levels");
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread that is told as long as somebody is ready");
    serve(listener, &site)
}

// ANCHOR: serve
/// Sleeps until a socket is ready, then takes one step for each that is.
fn serve(listener: TcpListener, site: &Site) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    let (mut clients, mut last) = (HashMap::new(), LISTENER);
    let mut events = Vec::with_capacity(64);
    loop {
        epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in events.drain(..) {
            let token = event.data.u64();
            if token == LISTENER {
                // One is enough: if there are more, the next wait returns immediately and tells of them again.
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                last += 1;
                epoll::add(&epoll, &stream, EventData::new_u64(last), EventFlags::IN)?;
                clients.insert(last, (stream, Connection::new(site)));
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
