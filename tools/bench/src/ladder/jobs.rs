//! The ladder's jobs: which command lines are run against which servers, and what arithmetic predicts.

use base::number;
use records::ladder::{BENCHES, Reduced};
use servers::{Schedule, Server};

/// How long `/sleep` waits, in seconds.
const SLEEP_SECONDS: f64 = 0.1;

/// How long every tenth request to `/tenth` waits, in seconds.
const TENTH_SECONDS: f64 = 2.0;

/// The pool's size in the two rungs whose pool limits how many clients are served at once.
const POOL: u64 = 8;

/// A command line that the law says takes longer than this gets fewer requests. In seconds.
const LONGEST_SECONDS: f64 = 300.0;

/// How long wrk runs in a shortened run. In seconds.
const QUICK_SECONDS: u32 = 5;

/// One benchmark on one rung.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// The server's package.
    pub rung: &'static str,
    /// The benchmark's name.
    pub bench: &'static str,
    /// Which source article's command line this is.
    pub source: &'static str,
    /// `wrk` or `ab`.
    pub tool: &'static str,
    /// The tool's options.
    pub options: Vec<String>,
    /// How many connections the tool really has open at once.
    pub connections: u64,
    /// What is asked for.
    pub path: &'static str,
    /// The server's options.
    pub server_options: Vec<String>,
    /// The law with its numbers, where there is one.
    pub law: Option<String>,
    /// Requests per second by the law.
    pub law_rate: Option<f64>,
    /// Seconds by the law, where the number of requests is fixed.
    pub law_seconds: Option<f64>,
    /// How long it will take, in seconds.
    pub seconds: f64,
    /// Why it has fewer requests than the source's, if it has.
    pub reduced: Option<Reduced>,
}

impl Job {
    /// The tool's whole command line for a server at this address, such as `http://127.0.0.1:8080`.
    pub fn argv(&self, address: &str) -> Vec<String> {
        let mut argv = vec![self.tool.to_owned()];
        argv.extend(self.options.iter().cloned());
        argv.push(format!("{address}{}", self.path));
        argv
    }
}

/// How many clients a rung serves at once; `None` where it sets no limit of its own.
fn served_at_once(rung: &str) -> Option<u64> {
    match Server::named(rung)?.schedule {
        Schedule::OneThread => Some(1),
        Schedule::Pool => Some(POOL),
        Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks => None,
    }
}

/// The benchmark of this name on this rung.
pub fn job(rung: &'static str, bench: &'static str, quick: bool) -> Job {
    let mut server_options = vec!["--port".to_owned(), "0".to_owned()];
    // Said although it is the default: the law rests on it.
    if served_at_once(rung).is_some_and(|most| most > 1) {
        server_options.extend(["--threads".to_owned(), POOL.to_string()]);
    }
    if bench == "wrk-root-keepalive" {
        server_options.push("--keep-alive".to_owned());
    }
    let (source, tool, path) = ("002", "wrk", "/");
    let job = Job { rung, bench, source, tool, path, server_options, ..Job::default() };
    match bench {
        "wrk-sleep" => wrk_sleep(job, quick),
        "ab-tenth" => ab_tenth(job, quick),
        _ => wrk(job, 8, 500, if quick { QUICK_SECONDS } else { 30 }),
    }
}

/// A job with wrk's options.
fn wrk(job: Job, threads: u64, connections: u64, seconds: u32) -> Job {
    let options = vec![format!("-t{threads}"), format!("-c{connections}"), format!("-d{seconds}s")];
    // Each of wrk's threads opens the same number, and the remainder is nobody's: `main` in wrk.c.
    let connections = connections / threads * threads;
    Job { options, connections, seconds: f64::from(seconds), ..job }
}

fn wrk_sleep(job: Job, quick: bool) -> Job {
    let job = wrk(job, 12, 500, if quick { QUICK_SECONDS } else { 20 });
    let (workers, words) = at_once(job.connections, job.rung);
    let rate = workers / SLEEP_SECONDS;
    let law = format!("{words} / {SLEEP_SECONDS} s = {} requests/s", number(rate, 0));
    Job { source: "001", path: "/sleep", law: Some(law), law_rate: Some(rate), ..job }
}

fn ab_tenth(job: Job, quick: bool) -> Job {
    let connections = 100;
    let (workers, words) = at_once(connections, job.rung);
    let law = |requests: u64| requests as f64 / 10.0 * TENTH_SECONDS / workers;
    let all = 10_000;
    let (mut requests, mut reduced) = (all, None);
    if quick {
        // ab wants at least as many requests as connections.
        requests = ((10.0 / law(1)).round() as u64).clamp(connections, all);
    } else if law(all) > LONGEST_SECONDS {
        requests = 500;
        let reason = format!("by the law, all of them would take {} s", number(law(all), 0));
        reduced = Some(Reduced { requests, instead_of: all, reason });
    }
    let seconds = law(requests);
    let rate = requests as f64 / seconds;
    let law = format!(
        "{} / 10 × {TENTH_SECONDS} s / {words} = {} s, or {} requests/s",
        number(requests as f64, 0),
        number(seconds, 0),
        number(rate, 0)
    );
    Job {
        source: "000",
        tool: "ab",
        options: ["-c", "100", "-n", &requests.to_string()].map(str::to_owned).to_vec(),
        connections,
        path: "/tenth",
        law: Some(law),
        law_rate: Some(rate),
        law_seconds: Some(seconds),
        seconds,
        reduced,
        ..job
    }
}

/// How many of these connections are served at the same time, as a number and as the law writes it.
fn at_once(connections: u64, rung: &str) -> (f64, String) {
    match served_at_once(rung) {
        Some(most) => (connections.min(most) as f64, format!("min({connections}, {most})")),
        None => (connections as f64, connections.to_string()),
    }
}

/// All jobs: benchmark by benchmark, and within one the rungs in an order drawn by lot.
pub fn jobs(rungs: &[&'static str], quick: bool, seed: u64) -> Vec<Job> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut jobs = Vec::new();
    for bench in BENCHES {
        let mut rungs = rungs.to_vec();
        random.shuffle(&mut rungs);
        jobs.extend(rungs.into_iter().map(|rung| job(rung, bench, quick)));
    }
    jobs
}

#[cfg(test)]
mod tests {
    use servers::NAMES;

    use super::*;

    fn line(rung: &'static str, bench: &'static str, quick: bool) -> String {
        job(rung, bench, quick).argv("http://127.0.0.1:8080").join(" ")
    }

    #[test]
    fn the_command_lines_are_the_sources_own() {
        for rung in NAMES.iter().copied() {
            assert_eq!(
                line(rung, "wrk-sleep", false),
                "wrk -t12 -c500 -d20s http://127.0.0.1:8080/sleep"
            );
            let root = "wrk -t8 -c500 -d30s http://127.0.0.1:8080/";
            assert_eq!(line(rung, "wrk-root", false), root);
            assert_eq!(line(rung, "wrk-root-keepalive", false), root);
            let count = if rung == "ch01_single_threaded" { 500 } else { 10000 };
            assert_eq!(
                line(rung, "ab-tenth", false),
                format!("ab -c 100 -n {count} http://127.0.0.1:8080/tenth")
            );
        }
    }

    #[test]
    fn the_laws() {
        let law = |rung, bench| job(rung, bench, false).law.unwrap_or_default();
        assert_eq!(law("ch01_single_threaded", "wrk-sleep"), "min(492, 1) / 0.1 s = 10 requests/s");
        assert_eq!(law("ch03_threadpool", "wrk-sleep"), "min(492, 8) / 0.1 s = 80 requests/s");
        assert_eq!(law("ch06_tokio", "wrk-sleep"), "492 / 0.1 s = 4,920 requests/s");
        assert_eq!(
            law("ch05_futures_blocking", "ab-tenth"),
            "10,000 / 10 × 2 s / min(100, 8) = 250 s, or 40 requests/s"
        );
        assert_eq!(
            law("ch04_smol", "ab-tenth"),
            "10,000 / 10 × 2 s / 100 = 20 s, or 500 requests/s"
        );
        assert_eq!(law("ch06_tokio", "wrk-root"), "");
        assert_eq!(job("ch06_tokio", "wrk-root", false).connections, 496);
        let reduced = job("ch01_single_threaded", "ab-tenth", false);
        assert_eq!(reduced.law_seconds, Some(100.0));
        assert!(reduced.reduced.unwrap().reason.contains("2,000 s"));
    }

    #[test]
    fn quick_is_quick() {
        for rung in NAMES.iter().copied() {
            for bench in BENCHES {
                let job = job(rung, bench, true);
                let least = if rung == "ch01_single_threaded" { 20.0 } else { 10.0 };
                assert!(job.seconds <= least, "{job:?}");
                assert_eq!(job.reduced, None);
            }
        }
        assert_eq!(
            line("ch03_threadpool", "ab-tenth", true),
            "ab -c 100 -n 400 http://127.0.0.1:8080/tenth"
        );
    }

    #[test]
    fn the_seed_fixes_the_order_and_the_benchmarks_stay_together() {
        let order = |seed| {
            let jobs = jobs(&NAMES, false, seed);
            jobs.iter().map(|job| (job.bench, job.rung)).collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let benches: Vec<_> = order(1).chunks(NAMES.len()).map(|chunk| chunk[0].0).collect();
        assert_eq!(benches, BENCHES);
        let mut first: Vec<_> = order(1)[..NAMES.len()].iter().map(|(_, rung)| *rung).collect();
        first.sort_by_key(|rung| NAMES.iter().position(|known| known == rung));
        assert_eq!(first, *NAMES);
    }
}
