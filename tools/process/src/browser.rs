//! The browser that prints and draws: Chromium or Chrome, without a window.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// How long the page's own scripts may take, by the page's clock, in milliseconds.
const SCRIPTS_TIME: &str = "--virtual-time-budget=120000";

/// A browser, with a profile of its own.
#[derive(Clone, Debug)]
pub struct Browser {
    program: PathBuf,
    profile: PathBuf,
}

impl Browser {
    /// `CHROMIUM`, or the first Chromium or Chrome that is installed; its profile goes into the folder `work`. Fails
    /// when there is none; `what` says what it is for.
    pub fn find(work: &Path, what: &str) -> Result<Browser> {
        let program = installed().with_context(|| {
            format!(
                "no Chromium or Chrome, which {what}: Debian, Ubuntu: `sudo apt install chromium`; Fedora: \
                 `sudo dnf install chromium`; macOS: `brew install --cask chromium`; or set CHROMIUM to its path"
            )
        })?;
        Ok(Browser { program, profile: work.join("profile") })
    }

    /// Opens a file, runs its scripts to their end, and does with it what the options `how` say. Returns what the
    /// browser prints. Fails when the browser can't be started, or fails.
    pub fn open(&self, file: &Path, how: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(["--headless", "--disable-gpu", "--no-first-run", "--disable-sync"]);
        command.args(["--disable-background-networking", "--disable-component-update"]);
        command.arg(SCRIPTS_TIME).arg(format!("--user-data-dir={}", self.profile.display()));
        // The only page that it opens is ours, and for root the sandbox does not start.
        if self.profile.parent().is_some_and(is_root) {
            command.arg("--no-sandbox");
        }
        run_quietly(command.args(how).arg(address(file)), &self.program)
    }
}

/// The address of a file. Any letter that could mean something in an address is escaped (RFC 3986, section 2.1).
fn address(file: &Path) -> String {
    let path = file.to_string_lossy().replace('\\', "/");
    let mut address = String::from("file://");
    if !path.starts_with('/') {
        address.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                address.push(byte.into());
            }
            _ => address += &format!("%{byte:02X}"),
        }
    }
    address
}

#[cfg(unix)]
fn is_root(own: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(own).is_ok_and(|folder| folder.uid() == 0)
}

#[cfg(not(unix))]
fn is_root(_own: &Path) -> bool {
    false
}

/// Runs a program to its end, and returns what it wrote to standard output. Fails when it can't be started, or fails:
/// then with its last words, and with the name `program`.
pub fn run_quietly(command: &mut Command, program: &Path) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last = complaint.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        bail!("{} ended with {}: {last}", program.display(), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn installed() -> Option<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let names =
        ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome.exe"];
    let on_path = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let elsewhere = [
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ];
    on_path.chain(elsewhere.map(PathBuf::from)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_is_named_with_its_last_words() {
        let error = run_quietly(Command::new("rustc").arg("--no-such-option"), Path::new("rustc"));
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("rustc ended with"), "{error}");
        let none = Path::new("no-such-program");
        assert!(run_quietly(&mut Command::new(none), none).is_err());
    }

    #[test]
    fn a_file_has_an_address() {
        assert_eq!(address(Path::new("/a b/c.html")), "file:///a%20b/c.html");
        assert_eq!(address(Path::new("/C# why?/100%/ě")), "file:///C%23%20why%3F/100%25/%C4%9B");
        assert_eq!(address(Path::new(r"C:\b\c.html")), "file:///C:/b/c.html");
    }
}
