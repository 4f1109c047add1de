//! Reads the usage of the machine, of a process and of our children.
//!
//! Most of it comes from Linux's `/proc`. Values that another system does not provide are `None`.

use std::{collections::BTreeMap, fs};

use crate::machine::{field, sysctl};

/// Returns the load average over the last minute.
pub fn load_average() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok().or_else(|| sysctl("vm.loadavg"))?;
    text.split_whitespace().find_map(|word| word.replace(',', ".").parse().ok())
}

/// Returns the seconds of processor time that the host gave to others, since the machine started.
pub fn steal_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: f64 = stat.lines().next()?.split_whitespace().nth(8)?.parse().ok()?;
    Some(ticks / ticks_per_second())
}

/// The processor time so far of each process that isn't ours: neither this one, nor one that it or a descendant of it
/// has started, nor a thread of the kernel. What the kernel does for us, such as to clear up after a thread, is thus
/// nobody else's.
///
/// The kernel counts the time of a process in ticks of a hundredth of a second. In a container it lists only the
/// processes of that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Others {
    ticks: BTreeMap<Identity, u64>,
}

/// Tells a process from a later one of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    id: u32,
    /// The time of its start, in ticks since the machine started.
    started: u64,
}

impl Others {
    /// Looks at every process of the machine; `None` where the system doesn't list them.
    pub fn now() -> Option<Others> {
        Some(Others::among(&processes()?, std::process::id()))
    }

    /// Picks those that are not ours.
    fn among(processes: &[Process], own: u32) -> Others {
        let mut parents = BTreeMap::new();
        for process in processes {
            parents.insert(process.identity.id, process.parent);
        }
        let mut others = Others::default();
        for process in processes {
            if !process.is_of_the_kernel && !descends(process.identity.id, own, &parents) {
                others.ticks.insert(process.identity, process.ticks);
            }
        }
        others
    }

    /// Sums what they have used since `before`, in seconds. A process that wasn't there then counts with its whole time.
    /// What a process did that has ended since isn't seen; nor is one that has begun and ended in between.
    pub fn seconds_since(&self, before: &Others) -> f64 {
        let mut ticks = 0;
        for (identity, now) in &self.ticks {
            ticks += now.saturating_sub(before.ticks.get(identity).copied().unwrap_or(0));
        }
        ticks as f64 / ticks_per_second()
    }
}

/// Tells whether a process is this one or a descendant of it, by the parent of each.
fn descends(id: u32, ancestor: u32, parents: &BTreeMap<u32, u32>) -> bool {
    let mut id = id;
    // The list isn't of one moment, so a number that is used again could close a circle.
    for _ in 0..=parents.len() {
        if id == ancestor {
            return true;
        }
        match parents.get(&id) {
            Some(parent) => id = *parent,
            None => return false,
        }
    }
    false
}

/// What `/proc/PID/stat` tells of a process.
#[derive(Clone, Debug, PartialEq)]
struct Process {
    identity: Identity,
    parent: u32,
    is_of_the_kernel: bool,
    /// The processor time of all its threads, also of those that have ended, in ticks.
    ticks: u64,
}

/// Lists the processes; `None` where there is no `/proc`. One that ends meanwhile, or isn't shown to us, is left out.
fn processes() -> Option<Vec<Process>> {
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(id) = id
            && let Ok(stat) = fs::read_to_string(format!("/proc/{id}/stat"))
        {
            all.extend(process_in(id, &stat));
        }
    }
    // macOS has no such folder, and FreeBSD an empty one.
    (!all.is_empty()).then_some(all)
}

/// The process from which all threads of the kernel descend.
const KERNEL: u32 = 2;

/// The flag of a thread of the kernel, `PF_KTHREAD`.
const KERNEL_FLAG: u64 = 0x0020_0000;

/// Reads the line in `/proc/PID/stat`.
fn process_in(id: u32, stat: &str) -> Option<Process> {
    // The name of the program is in brackets, and may itself hold brackets and spaces.
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    // The manual counts the fields from 1, and the first word here is the third of them.
    let field = |number: usize| words.get(number - 3)?.parse::<u64>().ok();
    let parent = u32::try_from(field(4)?).ok()?;
    Some(Process {
        identity: Identity { id, started: field(22)? },
        parent,
        is_of_the_kernel: id == KERNEL || parent == KERNEL || field(9)? & KERNEL_FLAG != 0,
        ticks: field(14)? + field(15)?,
    })
}

/// Returns the seconds in which some thread was ready and found no processor free, since the machine started.
pub fn pressure_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/pressure/cpu").ok()?;
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let microseconds: f64 = line.split("total=").nth(1)?.trim().parse().ok()?;
    Some(microseconds / 1e6)
}

/// The sums over `/proc/PID/status` of a process and of its children.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessStatus {
    /// The most main memory that each had so far, in MiB. What two of them share is in it twice.
    pub peak_memory_mib: f64,
    /// The main memory that they have now, in MiB.
    pub memory_mib: f64,
    /// The threads that they have now.
    pub threads: f64,
    /// The kernel's memory for their page tables now, in MiB.
    pub page_tables_mib: f64,
}

/// Sums `/proc/PID/status` over a process and the children of its main thread; `None` if there is no such process or
/// file.
pub fn process_status(id: u32) -> Option<ProcessStatus> {
    let mut sum = ProcessStatus::default();
    for id in [id].into_iter().chain(children(id)) {
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        sum.peak_memory_mib += field(&status, "VmHWM:")? as f64 / 1024.0;
        sum.memory_mib += field(&status, "VmRSS:")? as f64 / 1024.0;
        sum.threads += field(&status, "Threads:")? as f64;
        sum.page_tables_mib += field(&status, "VmPTE:")? as f64 / 1024.0;
    }
    Some(sum)
}

/// Lists the processes that the main thread of this one started, and that still run.
pub fn children(id: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Returns the processor time of a process and of those that its main thread started so far, in seconds: all their
/// threads together, also those that have ended. The kernel counts this sum exactly. How much of it was spent inside the
/// kernel it only samples, so two of those can't be subtracted: see [`used_since`].
#[cfg(target_os = "linux")]
pub fn cpu_seconds_so_far(id: u32) -> Option<f64> {
    use nix::{
        time::{clock_getcpuclockid, clock_gettime},
        unistd::Pid,
    };
    let mut seconds = 0.0;
    for id in [id].into_iter().chain(children(id)) {
        let clock = clock_getcpuclockid(Pid::from_raw(id.cast_signed())).ok()?;
        let time = clock_gettime(clock).ok()?;
        seconds += time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9;
    }
    Some(seconds)
}

/// Returns nothing: no other system tells it.
#[cfg(not(target_os = "linux"))]
pub fn cpu_seconds_so_far(_id: u32) -> Option<f64> {
    None
}

/// Returns the unit in which `/proc` counts processor time.
fn ticks_per_second() -> f64 {
    #[cfg(target_os = "linux")]
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok().flatten();
    #[cfg(not(target_os = "linux"))]
    let ticks = None::<i64>;
    ticks.unwrap_or(100) as f64
}

/// Returns the kernel's memory for the stacks of all threads, in MiB.
pub fn kernel_stack_mib() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    Some(field(&text, "KernelStack:")? as f64 / 1024.0)
}

/// Returns the connections lost at a full listen queue since the machine started: those dropped for any reason
/// (`ListenDrops`), and those dropped because the queue of whole connections was full (`ListenOverflows`).
pub fn listen_losses() -> Option<(f64, f64)> {
    let text = fs::read_to_string("/proc/net/netstat").ok()?;
    Some((netstat(&text, "ListenDrops")?, netstat(&text, "ListenOverflows")?))
}

/// Finds a number of `TcpExt` in `/proc/net/netstat`: names in one line, and in the next the numbers in the same order.
fn netstat(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
    let place = lines.next()?.split_whitespace().position(|word| word == name)?;
    lines.next()?.split_whitespace().nth(place)?.parse().ok()
}

/// The sums over all children that have ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Processor time outside the kernel, in seconds.
    pub user_seconds: f64,
    /// Processor time inside the kernel, in seconds.
    pub system_seconds: f64,
    /// The number of voluntary context switches: a thread blocked.
    pub voluntary_switches: f64,
    /// The number of involuntary context switches: a thread was preempted.
    pub involuntary_switches: f64,
}

impl Usage {
    /// Subtracts an earlier usage.
    pub fn since(self, before: Usage) -> Usage {
        Usage {
            user_seconds: self.user_seconds - before.user_seconds,
            system_seconds: self.system_seconds - before.system_seconds,
            voluntary_switches: self.voluntary_switches - before.voluntary_switches,
            involuntary_switches: self.involuntary_switches - before.involuntary_switches,
        }
    }

    /// Sums the processor time inside and outside the kernel, in seconds.
    pub fn seconds(self) -> f64 {
        self.user_seconds + self.system_seconds
    }
}

/// Returns the usage of the children that have ended since `before` was taken.
pub fn used_since(before: Option<Usage>) -> Option<Usage> {
    Some(children_usage()?.since(before?))
}

/// Returns the usage of all children whose end was waited for so far.
///
/// Unlike a sample of `/proc`, it holds what threads used that have long ended, and rung 2 has thousands of these each
/// second.
pub fn children_usage() -> Option<Usage> {
    #[cfg(unix)]
    return usage_of(nix::sys::resource::UsageWho::RUSAGE_CHILDREN);
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn usage_of(who: nix::sys::resource::UsageWho) -> Option<Usage> {
    let usage = nix::sys::resource::getrusage(who).ok()?;
    Some(Usage {
        user_seconds: seconds(usage.user_time()),
        system_seconds: seconds(usage.system_time()),
        voluntary_switches: usage.voluntary_context_switches() as f64,
        involuntary_switches: usage.involuntary_context_switches() as f64,
    })
}

#[cfg(unix)]
fn seconds(time: nix::sys::time::TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_the_network() {
        let text = "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 22 333\nIpExt: A\nIpExt: 4\n";
        assert_eq!(netstat(text, "ListenDrops"), Some(333.0));
        assert_eq!(netstat(text, "ListenOverflows"), Some(22.0));
        assert_eq!((netstat(text, "Other"), netstat("", "ListenDrops")), (None, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_everything_about_this_process() {
        let status = process_status(std::process::id()).unwrap();
        assert!(status.memory_mib > 0.1 && status.threads >= 1.0 && status.page_tables_mib > 0.0);
        assert!(status.peak_memory_mib >= status.memory_mib);
        assert!(kernel_stack_mib() > Some(0.0) && listen_losses().is_some());
        assert!(load_average().is_some() && steal_seconds().is_some());
    }

    /// A process with an ordinary parent, in a list.
    fn process(id: u32, parent: u32, ticks: u64) -> Process {
        let identity = Identity { id, started: 7 };
        Process { identity, parent, is_of_the_kernel: false, ticks }
    }

    #[test]
    fn others_are_neither_we_nor_what_we_started_nor_the_kernel() {
        let ours = [process(50, 1, 1000), process(60, 50, 1000), process(61, 60, 1000)];
        let mut kernel = process(9, 2, 1000);
        kernel.is_of_the_kernel = true;
        let before = [&ours[..], &[kernel.clone(), process(1, 0, 5), process(70, 1, 40)]].concat();
        // Ours and the kernel's go on, the shell works for a tenth of a second, and a new process comes.
        let more = |process: &Process| Process { ticks: process.ticks + 500, ..process.clone() };
        let mut after: Vec<Process> = ours.iter().map(more).collect();
        after.extend([more(&kernel), process(1, 0, 5), process(70, 1, 50), process(80, 70, 3)]);
        let before = Others::among(&before, 50);
        let tick = 1.0 / ticks_per_second();
        assert_eq!(Others::among(&after, 50).seconds_since(&before), 13.0 * tick);
        // A later process of the same number is another one.
        after[5].identity.started = 8;
        assert_eq!(Others::among(&after, 50).seconds_since(&before), 53.0 * tick);
        // One that has ended isn't seen.
        assert_eq!(Others::default().seconds_since(&before), 0.0);
        // A circle ends.
        assert_eq!(Others::among(&[process(3, 4, 1), process(4, 3, 1)], 50).ticks.len(), 2);
    }

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        let stat = |parent: u32, flags: u64| {
            let zeros = "0 ".repeat(4);
            format!("60 (a) b) (c)) S {parent} 1 1 0 -1 {flags} {zeros}30 4 9 9 20 0 1 0 777 5 6")
        };
        let read = Process { identity: Identity { id: 60, started: 777 }, ..process(60, 50, 34) };
        assert_eq!(process_in(60, &stat(50, 0x0040_0000)), Some(read));
        for of_the_kernel in [stat(2, 0), stat(0, 0x0020_8040)] {
            assert!(process_in(60, &of_the_kernel).unwrap().is_of_the_kernel);
        }
        assert_eq!(process_in(60, "60 (a) S 50"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_of_ours_that_works_is_no_other() {
        let script = "while :; do :; done";
        let mut shell = std::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
        let began = std::time::Instant::now();
        while cpu_seconds_so_far(shell.id()) < Some(0.05) {
            assert!(began.elapsed().as_secs() < 60, "the shell has used no time");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let all = processes().unwrap();
        let others = Others::now().unwrap();
        let _ = shell.kill();
        let _ = shell.wait();
        let listed = all.iter().find(|process| process.identity.id == shell.id()).unwrap();
        assert!(listed.ticks > 0 && listed.parent == std::process::id(), "{listed:?}");
        for ours in [shell.id(), std::process::id()] {
            assert!(others.ticks.keys().all(|other| other.id != ours), "{ours}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_child_that_worked_was_seen_working() {
        use crate::machine::output;

        let before = children_usage();
        output("sh", &["-c", "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; echo"]);
        assert!(used_since(before).unwrap().seconds() > 0.0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_processes_that_a_process_started_are_counted_with_it() {
        let own = process_status(std::process::id()).unwrap();
        // A shell with a child of its own that computes for a moment, and then waits.
        let script = "(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep 60) & wait";
        let mut shell = std::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
        let began = std::time::Instant::now();
        while cpu_seconds_so_far(shell.id()) < Some(0.02) {
            assert!(began.elapsed().as_secs() < 60, "the shell's child has used no time");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let both = process_status(shell.id()).unwrap();
        let child = children(shell.id())[0];
        let alone = process_status(child).unwrap();
        assert_eq!(both.threads, 1.0 + alone.threads);
        assert!(both.memory_mib > alone.memory_mib && own.threads >= 1.0, "{both:?} {alone:?}");
        for id in [child, shell.id()] {
            let _ = std::process::Command::new("kill").args(["-9", &id.to_string()]).status();
        }
        let _ = shell.wait();
    }
}
