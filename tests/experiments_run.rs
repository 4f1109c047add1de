//! The experiments that the reader runs: each runs to its end, and shows what its page says.
//!
//! What they show is tested by counting, and by times that can't be shorter; how fast anything is does not matter.

use std::process::Command;

use ladder_tests::{DEADLINE, EXPERIMENTS, Finished, example, run};
use serde_json::Value;

/// How long one of them may take, where a busy machine delays each of its many threads.
const TIME: std::time::Duration = DEADLINE.saturating_mul(3);

#[track_caller]
fn finished(name: &str, args: &[&str]) -> Finished {
    run(example(name).args(args), TIME)
}

/// The figures that one variant prints.
#[track_caller]
fn figures(name: &str, args: &[&str]) -> Value {
    let finished = finished(name, &[&["--json"], args].concat());
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{name} {args:?}");
    let printed: Value = serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{name} {args:?}: {error}: {}", finished.stdout));
    printed["figures"].clone()
}

#[track_caller]
fn figure(figures: &Value, name: &str) -> f64 {
    figures[name].as_f64().unwrap_or_else(|| panic!("no {name} in {figures}"))
}

#[test]
fn each_prints_its_table() {
    let rows: [(&str, &[&str]); 8] = [
        (
            "machine",
            &["available_parallelism", "scheduler class", "time slice", "threads together"],
        ),
        ("compute_or_wait", &["how many", "       1", "       2", "      64"]),
        ("cost_of_spawning", &["\nthread ", "\ntask "]),
        ("cost_of_switching", &["threads-channel", "threads-io", "tasks-channel", "tasks-io"]),
        ("preemption", &["a greedy thread", "one worker", "yield_now", "two greedy tasks"]),
        (
            "false_friends",
            &["each job", "each core", "thread::sleep", "spawn_blocking", "async lock"],
        ),
        ("runtime_parts", &["threads: 1", "threads: 2", "10 others", "100,000 others"]),
        ("rush", &["\nnone ", "\ndeadline ", "\nqueue ", "\npermit ", "\nrefuse ", "\nnewest "]),
    ];
    assert_eq!(rows.map(|(name, _)| name), EXPERIMENTS);
    for (name, rows) in rows {
        let finished = finished(name, &["--quick"]);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{name}");
        let (question, _) = finished.stdout.split_once("\n\n").expect("an empty line after it");
        assert!(question.contains('?'), "{name} asks nothing: {question}");
        for row in rows {
            assert!(finished.stdout.contains(row), "{name}: no {row:?} in:\n{}", finished.stdout);
        }
        let widest = finished.stdout.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(95), "{name}: a line of {widest:?} letters:\n{}", finished.stdout);
    }
}

#[test]
fn each_says_what_it_takes_and_refuses_the_rest() {
    for name in EXPERIMENTS {
        let help = finished(name, &["--help"]);
        assert_eq!(help.code, Some(0), "{name}");
        assert!(help.stdout.starts_with(&format!("Usage: {name} ")), "{}", help.stdout);
        for flag in ["--json", "--quick", "--help"] {
            assert!(help.stdout.contains(flag), "{name}: {flag}");
        }
        for wrong in [&["--speed", "9"][..], &["fast"], &["--json"]] {
            let refused = finished(name, wrong);
            assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{name} {wrong:?}");
            let complaint = refused.stderr.trim_end();
            assert!(complaint.starts_with(&format!("{name}: ")), "{complaint}");
            assert!(complaint.contains("--help") && !complaint.contains('\n'), "{complaint}");
        }
    }
    let refused = finished("preemption", &["--json", "--case", "thraed"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("thread, task, task-yields"), "{}", refused.stderr);
    let refused = finished("compute_or_wait", &["--seconds", "0"]);
    assert!(refused.stderr.contains("a number from 0.01 to 60, not \"0\""), "{}", refused.stderr);
    let refused = finished("cost_of_spawning", &["--few", "9", "--many", "9"]);
    assert!(refused.stderr.contains("must be less"), "{}", refused.stderr);
}

/// Waits overlap: without that, so few workers could not do so many in a second.
#[test]
fn more_waits_than_workers_overlap() {
    for (model, count) in [("threads", "200"), ("tasks", "1000")] {
        let for_seconds = |seconds| {
            let args = ["--model", model, "--work", "wait", "--count", count, "--seconds", seconds];
            figures("compute_or_wait", &args)
        };
        // A slow machine needs longer until the last of them has waited once; a second is too short for one by one.
        let all_waited = |figures: &Value| figure(figures, "fewest") >= 1.0;
        let figures = ["0.1", "1"].into_iter().map(for_seconds).find(all_waited);
        let figures = figures.unwrap_or_else(|| panic!("{model}: somebody never waited"));
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        assert!(figure(&figures, "rounds_per_second") > cores / 0.1, "{model}: {figures}");
    }
}

/// Tasks that compute get their turns, because they yield after each round.
#[test]
fn tasks_that_compute_take_turns() {
    let args = ["--model", "tasks", "--work", "compute", "--count", "20", "--seconds", "1"];
    let figures = figures("compute_or_wait", &args);
    assert!(figure(&figures, "fewest") >= 1.0, "{figures}");
}

#[test]
fn mixed_work_waits_and_computes() {
    for model in ["threads", "tasks"] {
        let args = ["--model", model, "--work", "mixed", "--count", "4", "--seconds", "0.5"];
        // Where others compute meanwhile, fewer rounds are done. Alone, four do more than 160 a second.
        let is_quick = |figures: &Value| figure(figures, "rounds_per_second") >= 40.0;
        let figures = (0..6).map(|_| figures("compute_or_wait", &args)).find(is_quick);
        let figures = figures.unwrap_or_else(|| panic!("{model}: never 40 in a second"));
        // Each round takes 22 ms at least, but the last may have begun just before the end.
        let most = 4.0 / 0.022 + 4.0 / 0.5;
        assert!(figure(&figures, "rounds_per_second") <= most, "{model}: {figures}");
        assert!(figure(&figures, "fewest") >= 1.0, "{model}: {figures}");
    }
}

/// Waiting alone, a crowd would do 2,000 rounds a second for each hardware thread, and computing lets it do 500.
#[cfg(target_os = "linux")]
#[test]
fn a_crowd_with_mixed_work_does_what_the_cpus_can_compute() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let count = (40 * cores).to_string();
    for model in ["threads", "tasks"] {
        let args = ["--model", model, "--work", "mixed", "--count", &count, "--seconds", "1"];
        let figures = figures("compute_or_wait", &args);
        let rate = figure(&figures, "rounds_per_second");
        assert!(rate <= 510.0 * cores as f64, "{model}: {figures}");
    }
}

#[test]
fn a_greedy_task_stops_its_worker_and_one_that_yields_does_not() {
    let case = |case| figures("preemption", &["--seconds", "0.4", "--case", case]);
    for stopped in ["task", "two-tasks-two-workers"] {
        let figures = case(stopped);
        assert_eq!(figure(&figures, "wakes_meanwhile"), 0.0, "{stopped}: {figures}");
    }
    // They slept before it began, and woke after its end.
    assert!(figure(&case("task"), "worst_late_ms") >= 390.0);
    for lively in ["task-yields", "task-two-workers", "thread"] {
        let figures = case(lively);
        assert!(figure(&figures, "wakes_meanwhile") >= 1.0, "{lively}: {figures}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_kernel_takes_the_processor_from_a_greedy_thread_by_force() {
    let figures = figures("preemption", &["--seconds", "0.4", "--case", "thread"]);
    assert!(figure(&figures, "involuntary_switches") >= 1.0, "{figures}");
}

#[test]
fn false_friends_keep_the_others_out() {
    let way = |jobs: &str, ms: &str, way: &str| {
        figures("false_friends", &["--jobs", jobs, "--ms", ms, "--way", way])
    };
    let locked = way("10", "20", "lock-across-await");
    assert_eq!(figure(&locked, "most_at_once"), 1.0, "{locked}");
    assert!(figure(&locked, "all_ms") >= 200.0, "{locked}");
    let blocked = way("10", "20", "blocking-call");
    assert!(figure(&blocked, "most_at_once") <= 2.0, "{blocked}");
    assert!(figure(&blocked, "all_ms") >= 100.0, "{blocked}");
    for right in ["blocking-pool", "async-sleep", "lock-before-await"] {
        // Nobody is out again for a second.
        let figures = way("10", "1000", right);
        assert_eq!(figure(&figures, "most_at_once"), 10.0, "{right}: {figures}");
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let few = way("20", "5", "thread-per-core");
    assert!(figure(&few, "most_at_once") <= cores, "{few}");
    assert!(figure(&way("20", "5", "thread-per-job"), "all_ms") > 0.0);
}

/// On one hardware thread the next thread can't have the byte before the kernel has changed to it.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_needs_the_kernel_for_every_byte_and_a_task_does_not() {
    let switches = |ring| {
        let args = ["--members", "10", "--laps", "200", "--on", "one", "--ring", ring];
        figure(&figures("cost_of_switching", &args), "kernel_switches_per_hop")
    };
    let tasks = switches("tasks-channel");
    for ring in ["threads-channel", "threads-io"] {
        let threads = switches(ring);
        assert!(threads >= 0.9, "{ring}: {threads}");
        assert!(tasks < threads / 2.0, "{ring}: {threads}, tasks: {tasks}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_thread_takes_whole_pages_and_a_task_does_not() {
    let one =
        |kind| figures("cost_of_spawning", &["--few", "100", "--many", "2000", "--kind", kind]);
    let thread = one("thread");
    let task = one("task");
    assert_eq!((figure(&thread, "made"), figure(&task, "made")), (2000.0, 2000.0));
    // A page is 4 KiB at least, and a stack begins with one of its own.
    assert!(figure(&thread, "memory_kib") >= 4.0, "{thread}");
    assert!(figure(&task, "memory_kib") < 4.0, "{task}");
}

/// What it could not make, it says, and shows what it has found out.
#[cfg(target_os = "linux")]
#[test]
fn a_system_that_makes_no_more_threads_is_no_crash() {
    // 400 MB of addresses are enough for less than 200 stacks.
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "ulimit -v 400000; exec \"$0\" --json --kind thread --few 10 --many 5000 --quick",
    ]);
    let finished = run(shell.arg(example("cost_of_spawning").get_program()), TIME);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("stopped at"), "{finished:?}");
    let printed: Value = serde_json::from_str(&finished.stdout).expect("it is JSON");
    assert!(figure(&printed["figures"], "made") < 200.0, "{printed}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_machine_is_what_is_left_of_it() {
    let machine = example("machine");
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(machine.get_program()).arg("--quick");
    if !ladder_tests::have("taskset") {
        return;
    }
    let text = run(&mut command, TIME).stdout;
    let line = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in\n{text}")).trim().to_owned()
    };
    assert_eq!(line("may run on CPUs"), "0");
    assert_eq!(line("available_parallelism"), "1");
    assert!(line("scheduler class").starts_with("SCHED_"));
    assert!(line("1 threads together").contains("times what one of them does alone"));
}

/// Whether the compiler takes this program. It links nothing.
fn compiles(source: &str) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder for what is compiled");
    let file = folder.path().join("main.rs");
    std::fs::write(&file, source).expect("the folder is there");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "--emit", "metadata"]).arg(&file).current_dir(folder.path());
    let finished = run(&mut command, TIME);
    (finished.code == Some(0), finished.stderr)
}

#[test]
fn the_compiler_refuses_a_guard_across_an_await() {
    let source = include_str!("../examples/questions/false_friends/guard_across_await.rs");
    let (taken, said) = compiles(source);
    assert!(!taken && said.contains("future cannot be sent between threads safely"), "{said}");
    // To drop it does not help, because it has been borrowed.
    let count = "        let mut count = COUNT.lock().expect(\"nobody panics with it\");\n        *count += 1;\n";
    assert!(source.contains(count));
    let (taken, said) = compiles(&source.replace(count, &format!("{count}drop(count);\n")));
    assert!(!taken && said.contains("future cannot be sent between threads safely"), "{said}");
    let unborrowed = count.replace("        *count += 1;\n", "drop(count);\n");
    let (taken, said) = compiles(&source.replace(count, &unborrowed));
    assert!(taken, "{said}");
    let (taken, said) = compiles(&source.replace(count, &format!("{{\n{count}}}\n")));
    assert!(taken, "{said}");
}
