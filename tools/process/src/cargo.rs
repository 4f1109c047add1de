//! Cargo, and what it has built.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::StopFlag;

/// How long cargo may take.
pub const BUILD_TIME: Duration = Duration::from_secs(3600);

/// Where cargo puts what it builds.
pub fn target_folder(root: &Path, stop: &StopFlag) -> Result<PathBuf> {
    let mut command = cargo(root);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    let (_, metadata, _) = crate::run(&mut command, BUILD_TIME, stop, || {})?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).context("cannot read the output of cargo metadata")?;
    let target = metadata["target_directory"].as_str().context("cargo names no target folder")?;
    Ok(PathBuf::from(target))
}

/// The cargo that started this tool, if one did.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(root);
    command
}

/// The hash of a file.
pub fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The moment, in RFC 3339, without fractions of a second.
pub fn timestamp() -> String {
    let now = jiff::Timestamp::now();
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_rfc_3339() {
        let now = timestamp();
        assert!(now.parse::<jiff::Timestamp>().is_ok() && now.len() == 20, "{now}");
    }
}
