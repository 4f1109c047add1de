//! Starts the kit's threads, and counts the others of this process.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{check, not_checked};

/// The name of the kit's threads.
const KIT: &str = "the kit's";

/// The number of threads that the kit has begun.
static OWN: AtomicUsize = AtomicUsize::new(0);

/// Begins a thread that [`threads_begun`] leaves out.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    spawn_named(KIT, work)
}

/// Begins such a thread with a name, which a panic prints.
pub(crate) fn spawn_named<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    OWN.fetch_add(1, Ordering::SeqCst);
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(work).expect("the system has a thread to give")
}

/// Counts the threads that this process has begun so far, whether they have ended or not, without the kit's.
///
/// It takes them from the number of a new thread, so every system can tell; `None` if `std` writes it in
/// another way one day.
pub fn threads_begun() -> Option<usize> {
    // "ThreadId(7)": `std` numbers its threads from the first on.
    let id = spawn(|| format!("{:?}", thread::current().id())).join().ok()?;
    let number: usize = id.strip_prefix("ThreadId(")?.strip_suffix(')')?.parse().ok()?;
    number.checked_sub(OWN.load(Ordering::SeqCst))
}

/// How many threads this process has now, without the kit's; `None` where the system does not say.
pub fn threads_now() -> Option<usize> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    // One that has ended meanwhile has no name any more.
    let names = threads.flatten().filter_map(|it| fs::read_to_string(it.path().join("comm")).ok());
    Some(names.filter(|name| name.trim_end() != KIT).count())
}

/// Whether a thread besides the one that asks runs or waits for a CPU now; `None` where the system does not say.
fn others_run() -> Option<bool> {
    let own = fs::read_link("/proc/thread-self").ok()?;
    let threads = fs::read_dir("/proc/self/task").ok()?.flatten();
    let others = threads.filter(|it| Some(it.file_name().as_os_str()) != own.file_name());
    // One that has ended meanwhile is not there any more. The state is behind the name, which may have blanks in it.
    let mut stats = others.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    Some(stats.any(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" R"))))
}

/// Fails the check if this process is busy while it has nothing to do.
///
/// It looks at its threads a hundred times in a second. One in a busy loop runs or waits for a CPU each time, however
/// many others want one.
#[track_caller]
pub fn check_idle(when: &str) {
    let mut busy = 0;
    for _ in 0..100 {
        thread::sleep(Duration::from_millis(10));
        match others_run() {
            Some(run) => busy += usize::from(run),
            None => return not_checked(format_args!("whether a CPU is busy {when}")),
        }
    }
    check(
        busy < 50,
        format_args!("{busy} of 100 looks found a thread busy {when}"),
        "none: whoever waits sleeps until there is something to do; look for a loop that asks \
         again and again",
    );
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
