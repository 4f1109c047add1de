//! Builds the programs of the tool, `cargo xtask`, and runs them.

use std::{
    env,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
    time::Duration,
};

use super::{
    other_programs::{Finished, run},
    server::{Programs, build},
};

/// How long the tool may take to build the book. In a debug build on a busy machine it is slow.
const BUILD_TIME: Duration = Duration::from_secs(300);

/// The programs of the tool that a test runs.
const TESTED: [&str; 6] = ["bench", "book", "judge", "learn", "observe", "xtask"];

/// These programs, freshly built. The examples are built along, because cargo would choose other features of shared
/// dependencies for the tool alone, and compile them anew.
static PROGRAMS: LazyLock<Programs> = LazyLock::new(|| {
    let programs = TESTED.iter().flat_map(|name| ["--bin", name]);
    build(&["--examples"].into_iter().chain(programs).collect::<Vec<_>>())
});

/// The instrumented servers, freshly built. They are no default members: only who observes wants them.
static OBSERVED: LazyLock<Programs> = LazyLock::new(|| build(&["--package", "observed", "--bins"]));

/// Builds the instrumented server, as `cargo xtask observe` runs it, and returns its path.
///
/// # Panics
/// When the instrumented servers do not build.
pub fn observed(server: &str) -> PathBuf {
    OBSERVED.path(&format!("observed_{server}"))
}

/// Makes the command that runs the tool, without any argument yet.
///
/// # Panics
/// When the workspace does not build.
pub fn tool() -> Command {
    program("xtask")
}

/// Makes the command that runs the program that `cargo xtask NAME` becomes, without any argument yet. It is one of
/// [`TESTED`].
///
/// # Panics
/// When the workspace does not build.
pub fn program(name: &str) -> Command {
    let mut command = Command::new(PROGRAMS.path(name));
    // Any setting of mdBook can come from the environment, `MDBOOK_BUILD__BUILD_DIR` too.
    for (name, _) in
        env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MDBOOK_"))
    {
        command.env_remove(name);
    }
    command
}

/// Lets the tool build the book of the repository at `root` into `destination`.
///
/// # Panics
/// When that takes minutes.
pub fn build_book(root: &Path, destination: &Path) -> Finished {
    let mut command = program("book");
    command.current_dir(root).arg("build").arg("--out").arg(destination);
    run(&mut command, BUILD_TIME)
}

/// A book that `cargo xtask serve` serves; this ends when it is dropped.
#[derive(Debug)]
pub struct Serving {
    tool: Child,
    /// Where the book is, such as `127.0.0.1:3000`.
    pub address: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.tool.kill().and_then(|()| self.tool.wait());
    }
}

/// Lets the tool serve the book of the repository at `root`.
///
/// # Panics
/// When it ends without saying where.
pub fn serve_book(root: &Path) -> Serving {
    let mut command = program("book");
    command.current_dir(root).args(["serve", "--no-open", "--port", "0"]);
    let tool = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut serving = Serving { tool, address: String::new() };
    let said = serving.tool.stdout.take().expect("it is piped");
    let mut lines = BufReader::new(said).lines();
    serving.address = lines
        .by_ref()
        .map(|line| line.expect("it is text"))
        .find_map(|line| line.split_once("http://")?.1.split_once('/').map(|it| it.0.to_owned()))
        .expect("it says where the book is");
    // What it says later must not fill the pipe.
    thread::spawn(move || lines.for_each(drop));
    serving
}
