//! Observes threads with the kernel's own tracer, ftrace, which records every context switch and every wake-up.
//!
//! It needs no program, but the right to use it, which only root has unless root grants it.
//! <https://docs.kernel.org/trace/ftrace.html>

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind},
    path::PathBuf,
};

use anyhow::{Context, Result, anyhow, ensure};

use super::{
    events::parse,
    proc::{self, ThreadStat},
    switches::timelines,
    threads::Observed,
};

/// Creating a folder in this one creates a tracer instance.
const INSTANCES: &str = "/sys/kernel/tracing/instances";

/// The words by which a recording names this tracer.
pub const METHOD: &str =
    "the kernel's tracer (ftrace) recorded every switch and every wake-up, to the microsecond";

/// The events that are recorded: a context switch; a thread becomes runnable; a new thread does.
const EVENTS: &str = "sched:sched_switch sched:sched_wakeup sched:sched_wakeup_new";

/// The size of the kernel's buffer for each processor: some ten thousand switches.
const BUFFER_KB: &str = "4096";

/// A tracer instance of our own. Dropping it removes it.
pub struct Ftrace {
    folder: PathBuf,
}

/// A tracer that records.
pub struct Running {
    tracer: Ftrace,
    server: u32,
    /// The threads at the beginning.
    first: BTreeMap<u64, ThreadStat>,
    begin: u64,
}

impl Ftrace {
    /// Makes a tracer that does not record yet. Fails when there is none, or we have no right to it: the message says
    /// which, and what helps.
    pub fn open() -> Result<Ftrace> {
        let folder = PathBuf::from(INSTANCES).join(format!("observe-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| anyhow!(refused(&error)))?;
        Ok(Ftrace { folder })
    }

    /// Begins to record.
    pub fn start(self, server: u32) -> Result<Running> {
        self.set("trace_clock", "mono")?;
        self.set("buffer_size_kb", BUFFER_KB)?;
        self.set("set_event", EVENTS)?;
        let begin = proc::now();
        Ok(Running { tracer: self, server, first: proc::threads(server), begin })
    }

    fn set(&self, name: &str, value: &str) -> Result<()> {
        let written = fs::write(self.folder.join(name), value);
        written.with_context(|| format!("cannot set {name} of the kernel's tracer"))
    }
}

impl Running {
    /// Ends the recording, and returns the timelines of the server's threads. Fails when events were lost, or the server
    /// was not seen.
    pub fn finish(self) -> Result<Observed> {
        let end = proc::now();
        self.tracer.set("tracing_on", "0")?;
        let text = fs::read_to_string(self.tracer.folder.join("trace"));
        let text = text.context("cannot read the kernel's trace")?;
        let counts = text.lines().find_map(|line| line.split_once("entries-written: "));
        let (kept, written) = counts
            .and_then(|(_, rest)| rest.split_whitespace().next()?.split_once('/'))
            .context("the kernel's trace does not say how long it is")?;
        ensure!(
            kept == written,
            "the kernel kept only {kept} of {written} events; try fewer requests"
        );
        let events: Vec<_> = text.lines().filter_map(parse).collect();
        let time = self.begin..end;
        let observed = timelines(u64::from(self.server), &self.first, &events, time);
        ensure!(
            observed.events > 0,
            "the kernel's trace does not hold the server: are its process numbers those of a container?"
        );
        Ok(observed)
    }
}

impl Drop for Ftrace {
    fn drop(&mut self) {
        // The files in it go with it.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Explains why there is no tracer for us, and how to get one.
fn refused(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "a recording needs the kernel's tracer, which is not mounted; to mount it: \
                                sudo mount -t tracefs tracefs /sys/kernel/tracing"
            .to_owned(),
        ErrorKind::PermissionDenied => {
            "a recording needs the kernel's tracer, which only root may use; to let you use it until the next start: \
             sudo chown \"$USER\" /sys/kernel/tracing /sys/kernel/tracing/instances"
                .to_owned()
        }
        _ => format!("a recording needs the kernel's tracer, which can't be used here: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_no_tracer_is_told_what_helps() {
        for (kind, helps) in [
            (ErrorKind::NotFound, "sudo mount -t tracefs tracefs /sys/kernel/tracing"),
            (ErrorKind::PermissionDenied, "sudo chown"),
            (ErrorKind::ReadOnlyFilesystem, "read-only"),
        ] {
            let why = refused(&kind.into());
            assert!(why.contains(helps) && !why.contains('\n'), "{why}");
        }
    }
}
