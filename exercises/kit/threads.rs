//! The threads of this process: the kit's, and how many others there are.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{check, not_checked};

/// What the kit's threads are called.
const KIT: &str = "the kit's";

/// How many threads the kit has begun.
static OWN: AtomicUsize = AtomicUsize::new(0);

/// Begins a thread that [`threads_begun`] leaves out.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    spawn_named(KIT, work)
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

/// How many threads this process has now, without the kit's; `None` where the system does not say.
pub fn threads_now() -> Option<usize> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    // One that has ended meanwhile has no name any more.
    let names = threads.flatten().filter_map(|it| fs::read_to_string(it.path().join("comm")).ok());
    Some(names.filter(|name| name.trim_end() != KIT).count())
}

/// The CPU time of this process so far; `None` where the system does not say.
fn cpu_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks in it, the twelfth and the thirteenth: user time and system time, in
    // hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis(10 * (user + system)))
}

/// Fails the check if this process is busy while it has nothing to do: for two seconds, in which a busy loop has a good
/// part of a CPU even beside others.
#[track_caller]
pub fn check_idle(when: &str) {
    let Some(before) = cpu_time() else {
        not_checked(format_args!("whether a CPU is busy {when}"));
        return;
    };
    thread::sleep(Duration::from_secs(2));
    let used = cpu_time().map_or(Duration::ZERO, |after| after - before);
    check(
        used < Duration::from_millis(60),
        format_args!("{} ms of CPU time in two seconds, {when}", used.as_millis()),
        "next to none: that it sleeps until there is something to do",
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
