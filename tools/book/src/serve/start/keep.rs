//! Stands between the book's server and a program that a page has started: `book keep`, which nobody types.
//!
//! It compiles the program and runs it in a process group of its own. It ends that group when its standard input closes,
//! as it does when the server ends in whatever way, and when nothing has come from there for a while. What happens it
//! tells on its standard output, in a line of JSON each.

use std::{
    cell::Cell,
    env,
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use records::base::built::Built;
use serde::{Deserialize, Serialize};

use super::job::Job;

/// How often we look whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How many bytes of an output are told: what floods standard error must not hide the line that says where a server is.
const MOST_OUTPUT: usize = 64 * 1024;

/// A longer line is told in pieces.
const LONGEST_LINE: u64 = 2048;

/// How long the rest of the output may take once the program has ended: somebody outside its group may hold the pipe.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What the server says to the keeper, a word a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Somebody still looks.
    Beat,
    /// End it as Ctrl-C does.
    Interrupt,
    /// End it at once.
    Kill,
}

impl Word {
    const ALL: [(Word, &str); 3] =
        [(Word::Beat, "beat"), (Word::Interrupt, "interrupt"), (Word::Kill, "kill")];

    pub(super) fn text(self) -> &'static str {
        Word::ALL.iter().find(|(word, _)| *word == self).map_or("", |(_, text)| text)
    }

    fn of(text: &str) -> Option<Word> {
        Word::ALL.iter().find(|(_, own)| *own == text).map(|(word, _)| *word)
    }
}

/// What the keeper tells.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Event {
    /// A line of cargo's.
    Cargo(String),
    /// Where the program lies that cargo has built besides, to attack the server.
    Client(String),
    /// The program runs, with this process id.
    Runs(u32),
    /// A line of the program's.
    Line(String),
    /// More was said than is told.
    Cut,
    /// It is over, and how that came.
    Ended(String),
}

impl Event {
    fn tell(&self) {
        let line = serde_json::to_string(self).unwrap_or_default();
        let mut out = io::stdout().lock();
        // A server that is gone needs no words; that it is gone, standard input says.
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}

/// Compiles and runs a job as long as standard input is open and a word comes from there in each `silence`.
///
/// # Errors
/// When a program can't be started.
pub(crate) fn keep(root: &Path, job: &Job, silence: Duration) -> Result<()> {
    let is_killed = Arc::new(AtomicBool::new(false));
    let keeper = Keeper {
        words: read_words(),
        silence,
        is_interrupted: Cell::new(false),
        is_killed: Arc::clone(&is_killed),
    };
    // Whoever was started in the background by a script ignores Ctrl-C, and so would all that it starts. What has a handler
    // of its own passes nothing on.
    ctrlc::set_handler(move || is_killed.store(true, Relaxed))
        .context("cannot wait for signals")?;
    let ended = keeper.run(root, job).unwrap_or_else(|error| format!("{error:#}"));
    Event::Ended(ended).tell();
    Ok(())
}

/// The words of standard input, which end when it closes.
fn read_words() -> Receiver<Word> {
    let (sender, words) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if Word::of(&line).is_some_and(|word| sender.send(word).is_err()) {
                return;
            }
        }
    });
    words
}

struct Keeper {
    words: Receiver<Word>,
    silence: Duration,
    /// Whether somebody has pressed Stop.
    is_interrupted: Cell<bool>,
    /// Whether a signal has told the keeper itself to end.
    is_killed: Arc<AtomicBool>,
}

/// How a program came to its end.
enum End {
    Itself(ExitStatus),
    /// Nobody wants it any more.
    Unwanted(&'static str),
}

/// Sends what each message of cargo's says of a program that it has built.
fn send_built(output: ChildStdout, sender: &Sender<Option<Built>>) {
    for message in BufReader::new(output).lines().map_while(Result::ok) {
        // Nobody wants to know any more.
        let _ = sender.send(Built::in_message(&message));
    }
}

/// The path of the program of this name that was built last.
fn path_of<'a>(name: &str, built: &'a [Built]) -> Option<&'a PathBuf> {
    built.iter().rfind(|it| it.name == name).map(|it| &it.path)
}

/// Tells the lines of a program's standard output.
fn tell_output(output: ChildStdout) {
    Budget::default().tell_lines(output, Event::Line);
}

impl Keeper {
    /// Compiles a job and runs it to its end, and says how that came.
    fn run(&self, root: &Path, job: &Job) -> Result<String> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root).args(job.build());
        cargo.args(["--color", "never", "--message-format", "json-render-diagnostics"]);
        let (sender, messages) = mpsc::channel();
        let mut child = start(&mut cargo).context("cannot run cargo")?;
        match self.wait(&mut child, Event::Cargo, move |output| send_built(output, &sender))? {
            End::Unwanted(why) => return Ok(why.to_owned()),
            End::Itself(_) if self.is_interrupted.get() => return Ok("it was stopped".to_owned()),
            End::Itself(status) if !status.success() => return Ok("it did not compile".to_owned()),
            End::Itself(_) => {}
        }
        let built: Vec<Built> = messages.try_iter().flatten().collect();
        if let Some(client) = job.client().and_then(|name| path_of(name, &built)) {
            Event::Client(client.display().to_string()).tell();
        }
        let name = job.program();
        let program =
            path_of(name, &built).with_context(|| format!("cargo has built no {name}"))?;
        let mut command = Command::new(program);
        command.current_dir(root).args(job.arguments()).envs(job.settings());
        let mut child = start(&mut command).with_context(|| format!("cannot start {name}"))?;
        Event::Runs(child.id()).tell();
        Ok(match self.wait(&mut child, Event::Line, tell_output)? {
            End::Unwanted(why) => why.to_owned(),
            End::Itself(status) => status.to_string(),
        })
    }

    /// Waits for the end of a program, and of what it has started. Tells the lines of its standard error; `read` gets its
    /// standard output.
    fn wait(
        &self,
        child: &mut Child,
        event: fn(String) -> Event,
        read: impl FnOnce(ChildStdout) + Send + 'static,
    ) -> Result<End> {
        let (has_ended, ends) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            let has_ended = has_ended.clone();
            thread::spawn(move || {
                read(output);
                let _ = has_ended.send(());
            });
        }
        if let Some(errors) = child.stderr.take() {
            thread::spawn(move || {
                Budget::default().tell_lines(errors, event);
                let _ = has_ended.send(());
            });
        }
        let end = self.wait_alone(child);
        end_group(child);
        // Once the group is gone, so are those who wrote.
        for _ in 0..2 {
            let _ = ends.recv_timeout(LAST_WORDS);
        }
        end.context("cannot wait for a program")
    }

    fn wait_alone(&self, child: &mut Child) -> io::Result<End> {
        let mut heard = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(End::Itself(status));
            }
            if self.is_killed.load(Relaxed) {
                return Ok(End::Unwanted("it was ended by force"));
            }
            match self.words.recv_timeout(LOOK) {
                Ok(Word::Beat) => heard = Instant::now(),
                Ok(Word::Interrupt) => {
                    self.is_interrupted.set(true);
                    interrupt(child);
                }
                Ok(Word::Kill) => return Ok(End::Unwanted("it was ended by force")),
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(End::Unwanted("the book's server is gone"));
                }
                Err(RecvTimeoutError::Timeout) if heard.elapsed() > self.silence => {
                    return Ok(End::Unwanted("no page has looked at it for a while"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Starts a program in a process group of its own.
fn start(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// Sends a program, and what it has started, what Ctrl-C sends. Windows has no such thing for a program without a console:
/// it ends there.
fn interrupt(child: &mut Child) {
    #[cfg(unix)]
    signal(child, nix::sys::signal::SIGINT);
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Ends a program, and what it has started; on Windows the program alone.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    signal(child, nix::sys::signal::SIGKILL);
    // If it has ended already, that is as well.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn signal(child: &Child, signal: nix::sys::signal::Signal) {
    let group = nix::unistd::Pid::from_raw(child.id().cast_signed());
    let _ = nix::sys::signal::killpg(group, signal);
}

/// How many bytes of an output have been read.
#[derive(Default)]
struct Budget(usize);

impl Budget {
    /// Tells all lines, as long as there are not too many; reads the others as well, because their writer would wait.
    fn tell_lines(&mut self, output: impl Read, event: fn(String) -> Event) {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        loop {
            line.clear();
            match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(count) => {
                    let before = self.0;
                    self.0 += count;
                    if self.0 <= MOST_OUTPUT {
                        let text = String::from_utf8_lossy(&line);
                        event(text.trim_end_matches(['\r', '\n']).to_owned()).tell();
                    } else if before <= MOST_OUTPUT {
                        Event::Cut.tell();
                    }
                }
            }
        }
    }
}
