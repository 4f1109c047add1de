//! A server that we start, and that prints the address on which it listens.

use std::{
    io::{BufRead, BufReader, Read, Seek},
    net::SocketAddr,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use records::servers::Server;

use crate::{program::Program, stop::StopFlag};

/// The time limit for a server to listen.
const START_TIME: Duration = Duration::from_secs(20);

/// A server that listens.
#[derive(Debug)]
pub struct ServerProcess {
    /// The program.
    pub program: Program,
    /// The address on which it listens.
    pub address: SocketAddr,
}

impl ServerProcess {
    /// Starts a server by a command line, and waits until it prints its address. Fails when it does not start, or prints
    /// none in time.
    pub fn launch(name: &str, mut command: Command, stderr: Stderr) -> Result<ServerProcess> {
        command.stdout(Stdio::piped());
        let mut kept = None;
        match stderr {
            Stderr::Null => command.stderr(Stdio::null()),
            Stderr::File(file) => {
                kept = Some(file.try_clone().context("cannot use a temporary file")?);
                command.stderr(file)
            }
            Stderr::Terminal => command.stderr(terminal()?),
        };
        let mut program =
            Program::start(&mut command).with_context(|| format!("cannot start {name}"))?;
        let out = program.0.stdout.take().expect("it was asked for");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                // Nobody wants the later lines, but the server must be able to write them.
                let _ = sender.send(line);
            }
        });
        let Ok(listening) = lines.recv_timeout(START_TIME) else {
            let mut text = String::new();
            if let Some(mut file) = kept {
                let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
            }
            bail!("{name} did not start to listen: {}", text.trim());
        };
        let address = Server::address_in(&listening)
            .with_context(|| format!("{name} names no address in `{listening}`"))?;
        Ok(ServerProcess { program, address })
    }

    /// Asks the server, and what it has started, to end in good order (SIGTERM), and waits for that. Fails when it is
    /// still there after `limit`, and on Ctrl-C.
    pub fn end(&mut self, limit: Duration, stop: &StopFlag, tick: impl FnMut()) -> Result<()> {
        #[cfg(unix)]
        self.program.signal(nix::sys::signal::SIGTERM);
        self.program.wait(limit, stop, tick).map(drop)
    }
}

/// The destination of a server's standard error.
#[derive(Debug)]
pub enum Stderr {
    /// It is discarded.
    Null,
    /// A file, which is read if the server does not start.
    File(std::fs::File),
    /// A terminal, whose output is discarded.
    Terminal,
}

/// Opens a pseudo-terminal for a program to write to. Its output is read and discarded.
#[cfg(unix)]
fn terminal() -> Result<Stdio> {
    use std::fs::File;

    let pair = nix::pty::openpty(None, None).context("cannot open a pseudo-terminal")?;
    // A clone is closed in the program that we start, and what openpty has opened would be left open there.
    let mut window = File::from(pair.master).try_clone()?;
    let terminal = File::from(pair.slave).try_clone()?;
    thread::spawn(move || std::io::copy(&mut window, &mut std::io::sink()));
    Ok(terminal.into())
}

#[cfg(not(unix))]
fn terminal() -> Result<Stdio> {
    bail!("only Unix has pseudo-terminals")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_terminal_is_one_for_the_program_that_writes_to_it() {
        let mut command = Command::new("/bin/sh");
        // It prints its address only if its standard error is a terminal, to which it can write.
        command.args([
            "-c",
            "test -t 2 && echo a line >&2 && echo listening on http://127.0.0.1:1/ && sleep 60",
        ]);
        let server = ServerProcess::launch("a server", command, Stderr::Terminal).unwrap();
        assert_eq!(server.address, SocketAddr::from(([127, 0, 0, 1], 1)));
    }

    #[cfg(unix)]
    #[test]
    fn a_server_that_can_not_start_says_why() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "echo no port >&2"]);
        let stderr = Stderr::File(tempfile::tempfile().unwrap());
        let error = ServerProcess::launch("a server", command, stderr);
        assert!(format!("{:#}", error.unwrap_err()).contains("no port"));
    }
}
