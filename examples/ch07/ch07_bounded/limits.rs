//! The numbers of rung 7: what the command line says, or else what fits the process and its machine.

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use site::{Number, Options};

/// The most connections that are open at the same time, where the process may open enough files.
const CONNECTIONS: usize = 4096;

/// How many files the server keeps open itself: its streams, the listener, and what the runtime needs.
const OWN_FILES: usize = 16;

/// The blocking pool has 512 threads, and then a queue of its own, without a limit. So many may read and so many
/// compute that nobody ever waits in that one.
const THREADS: u16 = 256;

/// The numbers that this server takes.
pub const NUMBERS: [Number; 7] = [
    Number {
        name: "connections",
        unit: "N",
        least: 1,
        most: u16::MAX,
        about: "so many are open (default 4096, or as many as the process may open files for)",
    },
    Number {
        name: "sleeping",
        unit: "N",
        least: 1,
        most: u16::MAX,
        about: "so many requests wait for a database, in /sleep and /tenth (default 2048)",
    },
    Number {
        name: "reading",
        unit: "N",
        least: 1,
        most: THREADS,
        about: "so many read a file at the same time, in /file (default 32)",
    },
    Number {
        name: "computing",
        unit: "N",
        least: 1,
        most: THREADS,
        about: "so many compute, in /work (default one for each hardware thread)",
    },
    Number {
        name: "queue",
        unit: "N",
        least: 0,
        most: u16::MAX,
        about: "so many more may wait, of each of these three kinds (default 1024)",
    },
    Number {
        name: "patience",
        unit: "MS",
        least: 0,
        most: 60_000,
        about: "refuse who has waited so long (default a fifth of the deadline)",
    },
    Number {
        name: "deadline",
        unit: "MS",
        least: 1,
        most: 60_000,
        about: "give up what takes longer, the wait included (default 15000)",
    },
];

/// What rung 7 bounds. The defaults are so loose that a client of the contract never meets them: a page may take ten
/// seconds, and a thousand clients may ask for it at the same time.
#[derive(Debug)]
pub struct Limits {
    pub connections: usize,
    pub sleeping: usize,
    pub reading: usize,
    pub computing: usize,
    pub queue: usize,
    pub patience: Duration,
    pub deadline: Duration,
}

impl Limits {
    /// Reads the bounds from the command line.
    ///
    /// # Errors
    /// In words, where a request could wait for as long as it may take: then it would get its permit when no time is
    /// left to use it.
    pub fn of(options: &Options) -> Result<Limits, String> {
        let count = |name, default| options.number(name).map_or(default, usize::from);
        let time = |name, default| {
            options.number(name).map_or(default, |ms| Duration::from_millis(ms.into()))
        };
        let hardware_threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let reading = count("reading", 32);
        let deadline = time("deadline", Duration::from_secs(15));
        let patience = time("patience", deadline / 5);
        if patience >= deadline {
            let [patience, deadline] = [patience, deadline].map(|time| time.as_millis());
            return Err(format!(
                "a request that has waited for --patience {patience} has no time left before \
                 --deadline {deadline}: give it a shorter --patience"
            ));
        }
        Ok(Limits {
            connections: count("connections", connections(open_files(), reading)),
            sleeping: count("sleeping", 2048),
            reading,
            computing: count("computing", hardware_threads.min(THREADS.into())),
            queue: count("queue", 1024),
            patience,
            deadline,
        })
    }
}

// ANCHOR: descriptors
/// How many connections fit into `files` open files, if so many of the clients read a file of the site besides.
fn connections(files: Option<usize>, reading: usize) -> usize {
    let Some(files) = files else { return CONNECTIONS };
    let files = files.saturating_sub(OWN_FILES);
    // No more can read than are connected.
    let for_reading = reading.min(files / 2);
    (files - for_reading).clamp(1, CONNECTIONS)
}

/// How many files this process may have open; `None` where the system sets no such limit.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    use nix::sys::resource::{Resource::RLIMIT_NOFILE, getrlimit};
    let (soft, _hard) = getrlimit(RLIMIT_NOFILE).ok()?;
    soft.try_into().ok()
}

#[cfg(not(unix))]
fn open_files() -> Option<usize> {
    None
}
// ANCHOR_END: descriptors
