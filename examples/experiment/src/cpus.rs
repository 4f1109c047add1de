//! The hardware threads that this process may use.

use std::{sync::LazyLock, thread};

/// How many threads that compute make sense here, as the standard library sees it: the affinity
/// mask and the quota of a container count. 1 where the system does not say.
pub fn hardware_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The numbers of the hardware threads that this process may run on. Empty where the system does
/// not say.
pub fn cpus() -> Vec<usize> {
    let ids = core_affinity::get_core_ids().unwrap_or_default();
    ids.into_iter().map(|id| id.id).collect()
}

/// Keeps this thread, and on Linux the threads it spawns from now on, on one hardware thread.
///
/// Returns whether it worked. macOS takes it for a hint at most, but doesn't do it on Apple's
/// own processors.
pub fn pin_this_thread(cpu: usize) -> bool {
    core_affinity::set_for_current(core_affinity::CoreId { id: cpu })
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
