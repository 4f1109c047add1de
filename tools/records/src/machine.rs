//! The state of the sources, and the machine, with which something was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The state of the sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The last commit that changed what was measured: `examples`, `Cargo.toml` or `Cargo.lock`.
    pub sources: Option<String>,
    /// Whether one of these differed from that commit.
    pub dirty: Option<bool>,
}

/// The machine. A fact that the system does not reveal is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu_model: Option<String>,
    /// Cores.
    pub physical_cores: Option<u64>,
    /// The number of hardware threads: more than cores if a core runs two.
    pub hardware_threads: Option<u64>,
    /// Main memory, in MiB.
    pub memory_mib: Option<u64>,
    /// The kernel's name and release.
    pub kernel: Option<String>,
    /// The distribution or system, with its version.
    pub operating_system: Option<String>,
}

impl Machine {
    /// Returns the processor's name, or words where the system doesn't tell it.
    pub fn name(&self) -> &str {
        self.cpu_model.as_deref().unwrap_or("an unnamed processor")
    }
}

/// The compiler settings of the executables, and settings made by hand that change how they are built or how they run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The compiler settings of each, such as `opt_level 3`, by `PROFILE/NAME`.
    pub profiles: BTreeMap<String, String>,
    /// Variables such as `RUSTFLAGS`, and keys of cargo's files of settings; none in the book's records.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

impl Build {
    /// Writes the settings as words, `RUSTFLAGS=-g, GOGC=off`; `None` where there are none.
    pub fn set_by_hand(&self) -> Option<String> {
        let settings = self.settings.iter().map(|(name, value)| format!("{name}={value}"));
        let words = settings.collect::<Vec<_>>().join(", ");
        (!words.is_empty()).then_some(words)
    }
}
