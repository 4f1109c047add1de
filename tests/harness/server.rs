//! A rung, started for a test.

use std::{
    cell::RefCell,
    env,
    io::{self, BufRead, BufReader, ErrorKind, Read},
    net::SocketAddr,
    ops::Deref,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, LazyLock, Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use records::{
    base::built::Built,
    servers::{ALL, FOREIGN, Kind},
};

#[cfg(unix)]
use super::unix;
use super::{
    failure::Failure,
    foreign,
    repository::root,
    rungs::{AXUM_SERVICE, Rung},
};
use crate::{
    DEADLINE,
    cases::{Pages, Target},
};

/// How long a server may take until it listens. The first start after a build reads its whole file from disk.
const START_TIME: Duration = Duration::from_secs(60);

/// Programs of the workspace.
pub(super) enum Programs {
    /// In this folder, where whoever started the test has just built them.
    In(PathBuf),
    /// Where cargo says that it has put each.
    Built(Vec<Built>),
}

impl Programs {
    /// Where a program lies.
    ///
    /// # Panics
    /// When there is none of this name.
    #[track_caller]
    pub(super) fn path(&self, name: &str) -> PathBuf {
        match self {
            Programs::In(folder) => {
                let path = folder.join(name).with_extension(env::consts::EXE_EXTENSION);
                assert!(path.exists(), "{} does not exist", path.display());
                path
            }
            Programs::Built(all) => {
                let found = all.iter().find(|built| built.name == name);
                let found = found.unwrap_or_else(|| {
                    panic!(
                        "cargo has built no {name}: is its package among `default-members` of Cargo.toml, and has its \
                         `[[example]]` this name?"
                    )
                });
                found.path.clone()
            }
        }
    }
}

/// The examples: those in `LADDER_EXE_DIR`, or freshly built with this test's profile.
static EXAMPLES: LazyLock<Programs> = LazyLock::new(|| match env::var_os("LADDER_EXE_DIR") {
    Some(folder) => Programs::In(PathBuf::from(folder)),
    None => build(&["--examples"]),
});

/// The servers on frameworks. They are no default members, and compiled by whoever tests one.
static FRAMEWORKS: LazyLock<Programs> = LazyLock::new(|| match env::var_os("LADDER_EXE_DIR") {
    Some(folder) => Programs::In(PathBuf::from(folder)),
    None => {
        let packages = FOREIGN.iter().filter(|server| server.kind == Kind::Framework);
        let packages = packages.flat_map(|server| ["--package", server.name.as_str()]);
        build(&packages.chain(["--examples"]).collect::<Vec<_>>())
    }
});

/// The programs whose tasks tell a log what they do. They are no default members either.
static SPANS: LazyLock<Programs> = LazyLock::new(|| match env::var_os("LADDER_EXE_DIR") {
    Some(folder) => Programs::In(PathBuf::from(folder)),
    None => build(&["--package", "which_task_spans", "--examples"]),
});

/// The programs on libraries, which cargo compiles only for whoever names them.
static LIBRARIES: LazyLock<Programs> =
    LazyLock::new(|| build(&["--package", "axum_service", "--package", "http_client", "--bins"]));

/// The program in paused time. No default member has Tokio's `test-util`.
static PAUSED: LazyLock<Programs> = LazyLock::new(|| match env::var_os("LADDER_EXE_DIR") {
    Some(folder) => Programs::In(PathBuf::from(folder)),
    None => build(&["--package", "paused", "--examples"]),
});

/// Builds programs of the workspace, so that no test can meet a stale one, and none at all:
/// `cargo test -p ladder_tests` alone would not build them. They have this test's profile, triple and target folder, and
/// cargo says where they lie.
///
/// They are those of the default members, as in `cargo test`, unless packages are named: nobody here needs the programs
/// of the exercises, and an observed server is built by whoever observes it.
pub(super) fn build(kinds: &[&str]) -> Programs {
    let exe = env::current_exe().expect("a test knows its own path");
    // target/PROFILE/deps/wire-0123456789abcdef, or target/TRIPLE/PROFILE/deps/...
    let profile_folder = exe.parent().and_then(Path::parent).expect("a test lies two folders deep");
    let mut target_folder = profile_folder.parent().expect("a profile's folder lies in a folder");
    let profile = match profile_folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(name) => name,
        None => panic!("{} names no profile", profile_folder.display()),
    };
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.args(["build", "--quiet", "--message-format", "json-render-diagnostics"]);
    cargo.args(["--profile", profile]).args(kinds);
    // Cargo marks the folder that holds everything with this file.
    if !target_folder.join("CACHEDIR.TAG").exists() {
        let above = target_folder.parent().expect("a triple's folder lies in a folder");
        if above.join("CACHEDIR.TAG").exists() {
            cargo.arg("--target").arg(target_folder.file_name().expect("a triple"));
            target_folder = above;
        }
    }
    cargo.arg("--target-dir").arg(target_folder);
    cargo.current_dir(root());
    let output = cargo.stdin(Stdio::null()).output().expect("cargo, which runs this test, starts");
    assert!(
        output.status.success(),
        "the workspace does not build:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let messages = String::from_utf8_lossy(&output.stdout);
    Programs::Built(messages.lines().filter_map(Built::in_message).collect())
}

/// The command that runs an example, or a server outside the ladder, without any argument yet.
///
/// # Panics
/// When there is none of this name, or it does not build.
#[track_caller]
pub fn example(name: &str) -> Command {
    match records::servers::Server::foreign(name) {
        Some(server) => {
            undisturbed(foreign::command(server).unwrap_or_else(|| executable(&FRAMEWORKS, name)))
        }
        None if ["which_task_spans", "which_task_entered"].contains(&name) => {
            undisturbed(executable(&SPANS, name))
        }
        None if ["axum_service", "http_client"].contains(&name) => {
            undisturbed(executable(&LIBRARIES, name))
        }
        None if name == "deadline_alone" => undisturbed(executable(&PAUSED, name)),
        None => undisturbed(executable(&EXAMPLES, name)),
    }
}

/// The command that runs a server as tutorials have it, where there is one. It takes its port from the variable `PORT`.
///
/// # Panics
/// When it does not build.
#[track_caller]
pub fn tutorial(server: &'static records::servers::Server) -> Option<Command> {
    let name = server.tutorial.as_deref()?;
    let command = foreign::tutorial(server).unwrap_or_else(|| executable(&FRAMEWORKS, name));
    Some(undisturbed(command))
}

#[track_caller]
fn executable(programs: &Programs, name: &str) -> Command {
    Command::new(programs.path(name))
}

/// The command, on which neither the terminal nor the environment of the person who runs the tests has any influence.
fn undisturbed(mut command: Command) -> Command {
    // Nothing that the person who runs the tests has set may change what a server does.
    for variable in ALL.iter().filter_map(|server| server.threads_variable.as_deref()) {
        command.env_remove(variable);
    }
    command.env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null());
    command
}

/// Runs a rung that is expected to end by itself: its exit code, standard output and standard error.
///
/// # Panics
/// When it does not end within [`DEADLINE`].
#[track_caller]
pub fn run_to_end(rung: Rung, args: &[&str]) -> super::other_programs::Finished {
    super::other_programs::run(example(rung.name).args(args), DEADLINE)
}

/// Starts a program, also one that a test copied a moment ago: it is busy for as long as the child that another test
/// starts at that moment has it open, between its fork and its exec.
fn started(command: &mut Command) -> io::Result<Child> {
    let start = Instant::now();
    loop {
        let child = command.spawn();
        let is_busy = matches!(&child, Err(error) if error.kind() == ErrorKind::ExecutableFileBusy);
        if !is_busy || start.elapsed() > DEADLINE {
            return child;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// How to start a rung.
#[derive(Debug)]
pub struct Launch {
    rung: Rung,
    command: Command,
    keep_alive: bool,
    files: Option<u64>,
    is_heard: bool,
}

impl Launch {
    /// Starts `rung` with no flag but the port.
    pub fn of(rung: Rung) -> Launch {
        let mut command = example(rung.name);
        if rung == *AXUM_SERVICE {
            command.env("PORT", "0");
        } else {
            command.args(["--port", "0"]);
        }
        Launch { rung, command, keep_alive: false, files: None, is_heard: true }
    }

    /// Starts the server that a framework's tutorial has instead of `rung`. It keeps no contract.
    ///
    /// # Panics
    /// When there is none.
    pub fn tutorial_of(rung: Rung) -> Launch {
        let command = tutorial(rung.server());
        let command = command.unwrap_or_else(|| panic!("{} has no tutorial", rung.name));
        let launch = Launch { rung, command, keep_alive: false, files: None, is_heard: true };
        launch.env("PORT", "0")
    }

    /// Adds flags.
    pub fn args(mut self, args: &[&str]) -> Launch {
        self.keep_alive |= args.contains(&"--keep-alive");
        self.command.args(args);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Launch {
        self.command.env(name, value);
        self
    }

    /// Starts the server as the last arguments of another program, after the file that this one writes.
    #[cfg(unix)]
    pub fn below(mut self, words: &[&str], file: &Path) -> Launch {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(file).arg(self.command.get_program());
        command.args(self.command.get_args()).stdin(Stdio::null());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.command = command;
        self
    }

    /// Starts this copy of the program, in this folder, and without what cargo tells it of the repository.
    pub fn copied(mut self, copy: &Path, folder: &Path) -> Launch {
        let mut command = Command::new(copy);
        command.args(self.command.get_args()).stdin(Stdio::null());
        command.current_dir(folder).env_remove("CARGO_MANIFEST_DIR");
        self.command = command;
        self
    }

    /// The program that is started.
    pub fn program(&self) -> &Path {
        Path::new(self.command.get_program())
    }

    /// Lets the server have no descriptor above this number (Unix).
    #[cfg(unix)]
    pub fn limit_files(mut self, most: u64) -> Launch {
        self.files = Some(most);
        self
    }

    /// Nobody reads what the server prints: both pipes are closed, standard output after its first line.
    pub fn unheard(mut self) -> Launch {
        self.is_heard = false;
        self
    }

    /// Starts the server, and waits until it listens.
    ///
    /// # Panics
    /// When it ends, or does not say within a minute where it listens.
    #[track_caller]
    pub fn start(mut self) -> Server {
        let name = self.rung.name;
        #[cfg(unix)]
        unix::prepare(&mut self.command, self.files);
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            started(&mut self.command).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (first_line, listening) = mpsc::channel();
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().filter(|_| self.is_heard);
        let mut server = Server {
            rung: self.rung,
            target: Target {
                address: SocketAddr::from(([127, 0, 0, 1], 0)),
                can: self.rung.abilities(self.keep_alive),
                library: self.rung.library(),
                pages: Pages::Ours,
                until: None,
            },
            child,
            line: String::new(),
            stdout: Capture::of(stdout, Some(first_line), self.is_heard),
            stderr: stderr.map_or_else(Capture::default, |pipe| Capture::of(pipe, None, true)),
        };
        match listening.recv_timeout(START_TIME) {
            Ok(line) => server.line = line,
            Err(error) => panic!("{name} did not say that it listens: {error}"),
        }
        server.target.address = records::servers::Server::address_in(&server.line)
            .unwrap_or_else(|| panic!("{name}: no address in {:?}", server.line));
        server
    }
}

/// A running rung. It is killed when it is dropped.
#[derive(Debug)]
pub struct Server {
    /// Which rung it is.
    pub rung: Rung,
    /// The server as the cases of the contract see it.
    target: Target,
    /// The line that it printed when it listened.
    pub line: String,
    child: Child,
    stdout: Capture,
    stderr: Capture,
}

impl Deref for Server {
    type Target = Target;

    fn deref(&self) -> &Target {
        &self.target
    }
}

impl Server {
    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// `http://127.0.0.1:PORT` and `path`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it has written to standard output so far.
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until it has ended by itself and all that it wrote was read.
    ///
    /// # Panics
    /// When that takes longer than `deadline`.
    #[track_caller]
    pub fn wait(&mut self, deadline: Duration) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                self.stdout.finish();
                self.stderr.finish();
                return status;
            }
            let name = self.rung.name;
            assert!(start.elapsed() < deadline, "{name} still runs after {deadline:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it at once, and returns what it wrote: standard output, standard error.
    pub fn kill(mut self) -> (String, String) {
        self.end();
        (self.stdout.text(), self.stderr.text())
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// When it is gone.
    #[cfg(unix)]
    #[track_caller]
    pub fn signal(&self, signal: unix::Signal) {
        unix::send_signal(self.id(), signal).expect("the server still runs");
    }

    /// Limits the descriptors that it may have from now on.
    #[cfg(target_os = "linux")]
    pub fn limit_files(&self, most: u64) {
        unix::limit(self.id(), unix::Limit::Files, most).expect("the server still runs");
    }

    /// Limits its address space from now on to this many bytes.
    #[cfg(target_os = "linux")]
    pub fn limit_address_space(&self, most: u64) {
        unix::limit(self.id(), unix::Limit::AddressSpace, most).expect("the server still runs");
    }

    /// A number of `/proc/PID/status`, such as `Threads` or `VmSize` (in KiB).
    #[cfg(target_os = "linux")]
    #[track_caller]
    pub fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()))
            .expect("the server still runs");
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        number.unwrap_or_else(|| panic!("no {name} in {status}"))
    }

    /// The processes that hold its connections: its children, or itself where it has none.
    #[cfg(target_os = "linux")]
    fn processes(&self) -> Vec<String> {
        let own = self.id().to_string();
        let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
        let children = children.expect("the server still runs");
        let children: Vec<String> = children.split_whitespace().map(str::to_owned).collect();
        if children.is_empty() { vec![own] } else { children }
    }

    /// The descriptors of each of these processes: their numbers, and where they lead.
    #[cfg(target_os = "linux")]
    fn descriptors(&self) -> Vec<Vec<(u64, PathBuf)>> {
        // One may be closed while it is looked at.
        let target = |file: std::io::Result<std::fs::DirEntry>| {
            let file = file.ok()?;
            let number = file.file_name().to_str()?.parse().ok()?;
            Some((number, std::fs::read_link(file.path()).ok()?))
        };
        let of_process = |id: String| {
            let files = std::fs::read_dir(format!("/proc/{id}/fd"));
            files.expect("the server still runs").filter_map(target).collect()
        };
        self.processes().into_iter().map(of_process).collect()
    }

    /// Whether no process that could serve a client may open another file, where each may have so many.
    #[cfg(target_os = "linux")]
    pub fn has_all_files_open(&self, limit: u64) -> bool {
        // What it has inherited may have a higher number, such as a pipe of the cargo that runs this test. The limit is
        // one of the numbers that are given out, so such a descriptor takes none of them.
        let below_limit = |open: &Vec<(u64, PathBuf)>| {
            open.iter().filter(|(number, _)| *number < limit).count() as u64
        };
        self.descriptors().iter().all(|open| below_limit(open) == limit)
    }

    /// How many sockets it has open. A virtual machine opens and closes files of its own whenever it likes.
    #[cfg(target_os = "linux")]
    pub fn open_sockets(&self) -> usize {
        let descriptors = self.descriptors();
        descriptors
            .iter()
            .flatten()
            .filter(|(_, to)| to.to_string_lossy().starts_with("socket:"))
            .count()
    }

    /// The names of its threads, sorted. The kernel keeps 15 bytes of each.
    #[cfg(target_os = "linux")]
    pub fn thread_names(&self) -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id()));
        let tasks = tasks.expect("the server still runs");
        // A thread may end while its name is read.
        let name = |task: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(task.ok()?.path().join("comm")).ok()
        };
        let mut names: Vec<String> =
            tasks.filter_map(name).map(|name| name.trim().to_owned()).collect();
        names.sort();
        names
    }

    fn end(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.stdout.finish();
        self.stderr.finish();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.child.try_wait().ok().flatten();
        self.end();
        let name = self.rung.name;
        let mut words = match ended {
            Some(status) => format!("{name} had ended: {status}"),
            None => format!("{name} was still running"),
        };
        let stderr = self.stderr.text();
        if !stderr.is_empty() {
            let lines: Vec<&str> = stderr.lines().collect();
            let tail = lines[lines.len().saturating_sub(40)..].join("\n");
            words += &format!("; it said on standard error:\n{tail}");
        }
        if thread::panicking() {
            eprintln!("{words}");
        } else {
            LAST_WORDS.with_borrow_mut(|all| all.push(words));
        }
    }
}

thread_local! {
    /// How the servers ended that this thread has started, and what they said.
    static LAST_WORDS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Runs a test. Its failure then tells how the servers ended that this thread has started for it, and what they said.
///
/// # Errors
/// That of the test.
pub(crate) fn with_last_words(test: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    LAST_WORDS.take();
    test().map_err(|failure| {
        let words: String = LAST_WORDS.take().iter().map(|words| format!("\n{words}")).collect();
        Failure { wanted: failure.wanted + &words, ..failure }
    })
}

/// What a pipe brings, read by a thread of its own so that the writer never waits.
#[derive(Debug, Default)]
struct Capture {
    text: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Capture {
    /// Reads to the end, or a single line and then closes the pipe.
    fn of(
        pipe: impl Read + Send + 'static,
        first_line: Option<mpsc::Sender<String>>,
        to_the_end: bool,
    ) -> Capture {
        let text = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&text);
        let reader = thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut line = Vec::new();
            let mut first_line = first_line;
            while let Ok(1..) = pipe.read_until(b'\n', &mut line) {
                into.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&line);
                if let Some(sender) = first_line.take() {
                    let _ = sender.send(String::from_utf8_lossy(&line).trim_end().to_owned());
                }
                line.clear();
                if !to_the_end {
                    return;
                }
            }
        });
        Capture { text, reader: Some(reader) }
    }

    fn text(&self) -> String {
        let bytes = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until the writer has gone.
    fn finish(&mut self) {
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
