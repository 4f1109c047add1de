//! Records the origin of a figure: the moment, the commit of the sources, and the hash of the executable.

use std::{fs, path::Path, process::Command, time::SystemTime};

use anyhow::{Context, Result};
use records::machine::Commit;
use sha2::{Digest, Sha256};

/// The files that decide what is measured.
const MEASURED: [&str; 3] = ["examples", "Cargo.toml", "Cargo.lock"];

/// Asks git for the state of the sources. The book's text does not count.
pub fn commit(root: &Path) -> Commit {
    let last = ["log", "-1", "--format=%H", "--"];
    let changed = ["status", "--porcelain", "--"];
    Commit {
        head: git(root, &["rev-parse", "HEAD"]),
        // No commit of these files yet is an empty answer.
        sources: git(root, &[&last[..], &MEASURED].concat()).filter(|hash| !hash.is_empty()),
        dirty: git(root, &[&changed[..], &MEASURED].concat()).map(|files| !files.is_empty()),
    }
}

/// Runs git and returns its trimmed output; `None` if it fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Computes the SHA-256 of a file in hexadecimal. Fails when it can't be read.
pub fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(sha256_of(&bytes))
}

/// Computes the SHA-256 of these bytes in hexadecimal.
pub fn sha256_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the current moment, in RFC 3339, without fractions of a second.
pub fn timestamp() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
