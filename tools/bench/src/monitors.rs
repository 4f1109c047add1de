//! What happens while a tool runs: how late a sleeping thread wakes, and what the server uses.

use std::{
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use process::usage;
use records::{
    machine::Stalls,
    stats::{self, rounded},
};

/// How long the stall monitor sleeps each time.
const NAP: Duration = Duration::from_millis(5);

/// A delay above this counts as lost time, in milliseconds.
const LOST_ABOVE_MS: f64 = 10.0;

/// How often the server's process is looked at.
const SAMPLE_EVERY: Duration = Duration::from_millis(200);

/// A thread that watches until it is told to stop.
pub struct Monitor<T> {
    stop: Sender<()>,
    thread: JoinHandle<T>,
}

impl<T: Send + 'static> Monitor<T> {
    fn start(
        name: &str,
        work: impl FnOnce(mpsc::Receiver<()>) -> T + Send + 'static,
    ) -> Monitor<T> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(stopped));
        Monitor { stop, thread: thread.expect("one more thread can be had") }
    }

    /// Stops, and sums up.
    pub fn finish(self) -> T {
        drop(self.stop);
        self.thread.join().expect("a watcher only counts")
    }
}

/// Sleeps for 5 ms again and again, and notes how late it wakes.
pub fn watch_stalls() -> Monitor<Stalls> {
    Monitor::start("stall monitor", |stopped| {
        let started = Instant::now();
        let mut late = Vec::new();
        loop {
            let asleep = Instant::now();
            // Not a wait on the channel: a plain sleep is what everybody knows.
            thread::sleep(NAP);
            late.push((asleep.elapsed().saturating_sub(NAP)).as_secs_f64() * 1000.0);
            if stopped.try_recv() != Err(mpsc::TryRecvError::Empty) {
                return stalls(late, started.elapsed());
            }
        }
    })
}

/// Sums up delays, in milliseconds.
fn stalls(mut late: Vec<f64>, watched: Duration) -> Stalls {
    late.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = (share * late.len() as f64).ceil() as usize;
        late.get(index.max(1) - 1).copied().unwrap_or_default()
    };
    // A sum of no numbers would be -0.0.
    let lost = late.iter().filter(|&&late| late > LOST_ABOVE_MS).fold(0.0, |sum, late| sum + late);
    let watched_ms = watched.as_secs_f64() * 1000.0;
    Stalls {
        samples: late.len() as u64,
        seconds: rounded(watched.as_secs_f64()),
        median_ms: rounded(at(0.5)),
        p99_ms: rounded(at(0.99)),
        max_ms: rounded(at(1.0)),
        share_percent: rounded(100.0 * lost / watched_ms.max(1.0)),
    }
}

/// The server's peaks, as far as the system tells them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peaks {
    /// The most memory that it had, in MiB.
    pub memory_mib: Option<f64>,
    /// The most threads that were seen at once.
    pub threads: Option<f64>,
    /// The median of the memory that it had, in MiB.
    pub median_memory_mib: Option<f64>,
    /// The most that the kernel's memory for stacks, of all processes, grew meanwhile, in MiB.
    pub kernel_stack_mib: Option<f64>,
}

/// Looks at a process five times a second.
pub fn watch_process(id: u32) -> Monitor<Peaks> {
    Monitor::start("process monitor", move |stopped| {
        let mut peaks = Peaks::default();
        let mut memory = Vec::new();
        let kernel_stack_before = usage::kernel_stack_mib();
        loop {
            let stop = stopped.recv_timeout(SAMPLE_EVERY) != Err(RecvTimeoutError::Timeout);
            // Once more at the end too: the server still runs then.
            if let Some(status) = usage::process_status(id) {
                // The kernel keeps the peak of the memory itself; the rest is only as we find it.
                peaks.memory_mib = Some(status.peak_memory_mib);
                peaks.threads = Some(peaks.threads.unwrap_or(0.0).max(status.threads));
                memory.push(status.memory_mib);
            }
            if let (Some(now), Some(before)) = (usage::kernel_stack_mib(), kernel_stack_before) {
                let most = peaks.kernel_stack_mib.unwrap_or(0.0);
                peaks.kernel_stack_mib = Some(most.max(now - before));
            }
            if stop {
                peaks.median_memory_mib = stats::median(&memory);
                return peaks;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_summed_up() {
        let mut late = vec![0.1; 98];
        late.extend([11.0, 40.0]);
        let stalls = stalls(late, Duration::from_secs(1));
        assert_eq!((stalls.samples, stalls.share_percent), (100, 5.1));
        assert_eq!((stalls.median_ms, stalls.p99_ms, stalls.max_ms), (0.1, 11.0, 40.0));
        // No delay is no division by nothing.
        let stalls = super::stalls(Vec::new(), Duration::ZERO);
        assert_eq!((stalls.samples, stalls.max_ms, stalls.share_percent), (0, 0.0, 0.0));
        assert!(stalls.share_percent.is_sign_positive());
    }

    #[test]
    fn watching_counts_naps() {
        let stalls = watch_stalls().finish();
        assert!(stalls.samples >= 1, "{stalls:?}");
        assert!(stalls.seconds >= NAP.as_secs_f64() * stalls.samples as f64, "{stalls:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_threads() {
        let monitor = watch_process(std::process::id());
        thread::sleep(Duration::from_millis(50));
        let peaks = monitor.finish();
        assert!(peaks.threads >= Some(2.0) && peaks.memory_mib > Some(0.1), "{peaks:?}");
        assert!(peaks.median_memory_mib > Some(0.1) && peaks.kernel_stack_mib >= Some(0.0));
    }
}
