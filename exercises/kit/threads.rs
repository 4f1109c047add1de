//! The threads of this process: the kit's, and how many others there are.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, JoinHandle},
};

/// How many threads the kit has begun.
static OWN: AtomicUsize = AtomicUsize::new(0);

/// Begins a thread that [`threads_begun`] leaves out.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    spawn_named("the kit's", work)
}

/// The same, with a name that a panic prints.
pub(crate) fn spawn_named<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    OWN.fetch_add(1, Ordering::SeqCst);
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(work).expect("the system has a thread to give")
}

/// How many threads this process has begun so far, whether they have ended or not, without the kit's.
///
/// It takes them from the number of a new thread, so every system can tell; `None` if `std` writes it in
/// another way one day.
pub fn threads_begun() -> Option<usize> {
    // "ThreadId(7)": `std` numbers its threads from the first on.
    let id = spawn(|| format!("{:?}", thread::current().id())).join().ok()?;
    let number: usize = id.strip_prefix("ThreadId(")?.strip_suffix(')')?.parse().ok()?;
    number.checked_sub(OWN.load(Ordering::SeqCst))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Database;

    #[test]
    fn threads_are_counted_and_the_kit_is_left_out() {
        // Other tests begin threads as well, so these are lower bounds, and a bound far above.
        let before = threads_begun().expect("std numbers its threads");
        (0..100).for_each(|_| thread::spawn(|| ()).join().expect("it does nothing"));
        let after = threads_begun().expect("std numbers its threads");
        assert!((100..160).contains(&(after - before)), "{before} and then {after}");
        (0..100).for_each(|_| drop(Database::start(1)));
        let last = threads_begun().expect("std numbers its threads");
        assert!(last - after < 60, "{after} and then {last}");
    }
}
