//! The hardware threads that this process may use.

use std::{sync::LazyLock, thread};

#[cfg(target_os = "linux")]
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};

/// The thread that asks, as both calls know it (sched_setaffinity(2)).
#[cfg(target_os = "linux")]
const THIS_THREAD: Pid = Pid::from_raw(0);

/// How many threads that compute make sense here, as the standard library sees it: the affinity
/// mask and the quota of a container count. 1 where the system does not say.
pub fn hardware_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The numbers of the hardware threads that this process may run on. Empty where the system is not
/// Linux, or does not say.
#[cfg(target_os = "linux")]
pub fn cpus() -> Vec<usize> {
    let Ok(allowed) = sched_getaffinity(THIS_THREAD) else { return Vec::new() };
    (0..CpuSet::count()).filter(|cpu| allowed.is_set(*cpu).unwrap_or(false)).collect()
}

/// The numbers of the hardware threads that this process may run on. Empty where the system is not
/// Linux, or does not say.
#[cfg(not(target_os = "linux"))]
pub fn cpus() -> Vec<usize> {
    Vec::new()
}

/// Keeps this thread, and the threads it spawns from now on, on one hardware thread.
///
/// Returns whether it worked, which it does on Linux alone.
#[cfg(target_os = "linux")]
pub fn pin_this_thread(cpu: usize) -> bool {
    let mut only = CpuSet::new();
    only.set(cpu).is_ok() && sched_setaffinity(THIS_THREAD, &only).is_ok()
}

/// Keeps this thread, and the threads it spawns from now on, on one hardware thread.
///
/// Returns whether it worked, which it does on Linux alone.
#[cfg(not(target_os = "linux"))]
pub fn pin_this_thread(_cpu: usize) -> bool {
    false
}

/// Whether [`pin_this_thread`] works here. It is tried once, in its own thread.
pub fn pins() -> bool {
    static PINS: LazyLock<bool> = LazyLock::new(|| {
        let tried = thread::Builder::new()
            .spawn(|| cpus().first().is_some_and(|cpu| pin_this_thread(*cpu)));
        tried.is_ok_and(|tried| tried.join().unwrap_or(false))
    });
    *PINS
}
