//! Stops a server for a while (SIGSTOP), and lets it go on (SIGCONT).

use std::{
    sync::mpsc::{self, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

use records::description::Pause;

/// Stops a server for a while, from a thread of its own. Dropping it lets the server go on.
pub struct Pauser(Option<(Sender<()>, JoinHandle<()>)>);

impl Pauser {
    /// Begins to wait for the moment to stop the process of this id, if there is to be a pause.
    pub fn start(pause: Option<&Pause>, id: u32) -> Pauser {
        let Some(Pause { after, lasts }) = pause.cloned() else { return Pauser(None) };
        let (end, ended) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            // Either time is cut short when the sender is gone.
            let _ = ended.recv_timeout(Duration::from_secs_f64(after));
            signal(id, false);
            let _ = ended.recv_timeout(Duration::from_secs_f64(lasts));
            signal(id, true);
        });
        Pauser(Some((end, thread)))
    }
}

impl Drop for Pauser {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// Stops a process, or lets it go on.
fn signal(id: u32, go_on: bool) {
    #[cfg(unix)]
    {
        use nix::{sys::signal, unistd::Pid};
        let signal = if go_on { signal::SIGCONT } else { signal::SIGSTOP };
        let _ = signal::kill(Pid::from_raw(id.cast_signed()), signal);
    }
    #[cfg(not(unix))]
    let _ = (id, go_on);
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::{fs, process::Command, time::Instant};

    use measure::Program;

    use super::*;

    fn is_stopped(id: u32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        stat.rsplit(')').next().unwrap().trim_start().starts_with('T')
    }

    /// Waits until a process is stopped, or goes on.
    fn wait_until_stopped(id: u32, wanted: bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while is_stopped(id) != wanted && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(is_stopped(id), wanted);
    }

    #[test]
    fn a_paused_process_goes_on() {
        let program = Program::start(Command::new("sleep").arg("600")).unwrap();
        let id = program.id();
        let pauser = Pauser::start(Some(&Pause { after: 0.01, lasts: 600.0 }), id);
        wait_until_stopped(id, true);
        drop(pauser);
        wait_until_stopped(id, false);
    }
}
