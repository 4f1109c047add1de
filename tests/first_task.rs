//! The steps to rung 4: how often each polls its future, and how large a future is.

use std::{env, fs, process::Command};

use ladder_tests::{DEADLINE, example, root, run};

/// The number before this word in what the step prints.
#[track_caller]
fn number_before(word: &str, line: &str) -> u64 {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|it| *it == word);
    let number = at.and_then(|at| words.get(at.checked_sub(1)?)?.parse().ok());
    number.unwrap_or_else(|| panic!("no number before {word:?}: {line}"))
}

/// What the step prints before it ends well.
#[track_caller]
fn said(step: &str) -> String {
    let finished = run(&mut example(step), DEADLINE);
    assert_eq!(finished.code, Some(0), "{step}: {}", finished.stderr);
    finished.stdout
}

/// A thread may leave `park` for no reason, now and then, and then polls once more.
const IN_VAIN: u64 = 2;

#[test]
fn without_a_waker_a_pause_is_polled_all_the_time() {
    let polls = number_before("polls", &said("first_task"));
    // A poll takes less than a microsecond, so 100 ms have room for far more, on a machine that stalls as well.
    assert!(polls > 1000, "{polls} polls in 100 ms");
}

#[test]
fn each_await_that_waits_is_one_more_poll() {
    for (step, least) in [("first_task_woken", 2), ("first_task_awaits", 3)] {
        let polls = number_before("polls", &said(step));
        assert!((least..=least + IN_VAIN).contains(&polls), "{step}: {polls} polls");
    }
}

#[test]
fn a_buffer_that_is_held_over_an_await_is_in_the_future() {
    let printed = said("first_task_sizes");
    let sizes: Vec<u64> = printed.lines().map(|line| number_before("bytes", line)).collect();
    let [with, without] = sizes[..] else { panic!("not two sizes: {printed}") };
    assert!((4096..4096 + 256).contains(&with), "{with} bytes with a buffer of 4,096");
    assert!(without < 64, "{without} bytes without a buffer");
}

/// An executor that polls as soon as it is woken, in the thread that wakes it. Its first wake leaves the waker.
const POLLS_AT_ONCE: &str = r#"
struct PollsAtOnce {
    pause: Mutex<Pause>,
    ended: std::sync::mpsc::Sender<()>,
}

impl std::task::Wake for PollsAtOnce {
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut pause = self.pause.lock().expect("one poll at a time");
        if Pin::new(&mut *pause).poll(&mut Context::from_waker(&waker)).is_ready() {
            let _ = self.ended.send(());
        }
    }
}

fn main() {
    let (ended, end) = std::sync::mpsc::channel();
    Waker::from(Arc::new(PollsAtOnce { pause: Mutex::new(pause(100)), ended })).wake();
    end.recv_timeout(Duration::from_secs(10)).expect("the lock is free when the waker is called");
}
"#;

#[test]
fn a_waker_may_poll_at_once() {
    let steps = root().join("examples/ch04/first_task");
    let folder = tempfile::tempdir().expect("a folder for what is compiled");
    fs::copy(steps.join("executor.rs"), folder.path().join("executor.rs")).expect("it is there");
    for step in ["woken", "awaits", "many"] {
        let source = fs::read_to_string(steps.join(step).with_extension("rs")).expect("a step");
        let source = source.replace("\nfn main() {", "\nfn main_of_the_step() {") + POLLS_AT_ONCE;
        let file = folder.path().join(step).with_extension("rs");
        fs::write(&file, source).expect("the folder is there");
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(rustc);
        command.args(["--edition", "2024", "--cap-lints", "allow"]).arg(&file);
        // Many compilers and linkers may run at the same time.
        let compiled = run(command.current_dir(folder.path()), 10 * DEADLINE);
        assert_eq!(compiled.code, Some(0), "{step}: {}", compiled.stderr);
        let program = folder.path().join(step).with_extension(env::consts::EXE_EXTENSION);
        let finished = run(&mut Command::new(program), DEADLINE);
        assert_eq!(finished.code, Some(0), "{step}: {}", finished.stderr);
    }
}
