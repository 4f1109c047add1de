//! Events as lines of a file.

use std::{
    cell::OnceCell,
    fmt::{Debug, Write as _},
    fs::File,
    io::Write as _,
    thread,
};

use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer};

thread_local! {
    /// This thread's id, once it has been introduced.
    static ID: OnceCell<u64> = const { OnceCell::new() };
}

/// Writes each event as a line, at once: a rung may be ended at any moment.
pub struct Lines(File);

impl Lines {
    /// For the file that the environment names, if it names one.
    ///
    /// # Panics
    /// When the file can't be made.
    pub fn from_environment() -> Option<Lines> {
        let path = std::env::var_os(super::FILE_VARIABLE)?;
        Some(Lines(File::create(path).expect("the file that the environment names can be made")))
    }
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _context: layer::Context<'_, S>) {
        let at = clock::now();
        let mut line = String::with_capacity(96);
        let id = ID.with(|id| {
            *id.get_or_init(|| {
                let id = clock::thread_id();
                let name = thread::current().name().unwrap_or_default().to_owned();
                let _ = writeln!(line, "{at} {id} message=thread name={name}");
                id
            })
        });
        let _ = write!(line, "{at} {id}");
        event.record(&mut Pairs(&mut line));
        line.push('\n');
        // One call for a line: the system keeps the lines of two threads apart.
        let _ = (&self.0).write_all(line.as_bytes());
    }
}

/// Writes fields as ` name=value`.
struct Pairs<'line>(&'line mut String);

impl Visit for Pairs<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

#[cfg(target_os = "linux")]
mod clock {
    use nix::{
        time::{ClockId, clock_gettime},
        unistd::gettid,
    };

    /// Nanoseconds of the monotonic clock, which is the same in all processes.
    pub fn now() -> u64 {
        let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has this clock");
        now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
    }

    /// The id that `/proc/PID/task` knows this thread by.
    pub fn thread_id() -> u64 {
        u64::from(gettid().as_raw().unsigned_abs())
    }
}

/// `cargo xtask observe` runs on Linux only; elsewhere this is compiled, and that is all.
#[cfg(not(target_os = "linux"))]
mod clock {
    use std::{sync::LazyLock, time::Instant};

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);

    pub fn now() -> u64 {
        START.elapsed().as_nanos() as u64
    }

    pub fn thread_id() -> u64 {
        0
    }
}
