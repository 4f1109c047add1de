//! Threads observed by the kernel's own tracer, ftrace: every switch and every wake-up.
//!
//! It needs no program, but the right to use it: by default only root has that.
//! <https://docs.kernel.org/trace/ftrace.html>

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use super::{
    events::parse,
    proc::{self, ThreadStat},
    switches::observed,
    threads::Observed,
};

/// Where Linux shows its tracers. The second is older.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// What is recorded: a processor goes over to another thread; a thread becomes ready; a new thread does.
const EVENTS: &str = "sched:sched_switch sched:sched_wakeup sched:sched_wakeup_new";

/// Besides, where the kernel has it: a connection was accepted.
const ACCEPTED: &str = "syscalls:sys_exit_accept4";

/// The kernel keeps this much for each processor: some ten thousand switches.
const BUFFER_KB: &str = "4096";

/// A tracer of our own. Dropping it takes it away.
pub struct Ftrace {
    folder: PathBuf,
    server: u32,
    /// The threads at the beginning.
    first: BTreeMap<u64, ThreadStat>,
    begin: u64,
}

impl Ftrace {
    /// Begins to record. Fails when the kernel has no such tracer, or we have no right to it: the message says which.
    pub fn start(server: u32) -> Result<Ftrace> {
        let folder = FOLDERS.map(Path::new).into_iter().find(|it| it.join("trace_clock").exists());
        let folder = folder
            .context("the kernel's tracer is not to be seen (by default only root may use it)")?;
        let folder = folder.join(format!("instances/observe-{}", std::process::id()));
        fs::create_dir(&folder).context("the kernel's tracer can not be used")?;
        let mut tracer = Ftrace { folder, server, first: BTreeMap::new(), begin: 0 };
        tracer.set("trace_clock", "mono")?;
        tracer.set("buffer_size_kb", BUFFER_KB)?;
        tracer.set("set_event", EVENTS)?;
        // Not every kernel has it, and it is not needed for the threads.
        let _ = tracer.set("set_event", ACCEPTED);
        tracer.begin = proc::now();
        tracer.first = proc::threads(server);
        Ok(tracer)
    }

    fn set(&self, name: &str, value: &str) -> Result<()> {
        // `set_event` takes what is written for the whole list, unless it is opened for appending.
        let write = || -> io::Result<()> {
            let mut file = fs::OpenOptions::new().append(true).open(self.folder.join(name))?;
            io::Write::write_all(&mut file, value.as_bytes())
        };
        write().with_context(|| format!("cannot set {name} of the kernel's tracer"))
    }

    /// Ends the recording, and gives what the server's threads did, and when it accepted connections. Fails when events
    /// were lost, or the server was not seen.
    pub fn finish(self) -> Result<Observed> {
        let end = proc::now();
        self.set("tracing_on", "0")?;
        let text = fs::read_to_string(self.folder.join("trace"));
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
        let observed = observed(u64::from(self.server), &self.first, &events, self.begin..end);
        ensure!(
            observed.samples > 0,
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
