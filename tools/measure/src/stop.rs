//! Handles Ctrl-C by a flag, which every wait checks, so that finished experiments are kept.

use std::{
    fmt::{self, Display, Formatter},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context, Result};

/// The error that Ctrl-C was pressed.
#[derive(Debug)]
struct Stopped;

impl Display for Stopped {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("stopped; what was finished is kept")
    }
}

impl std::error::Error for Stopped {}

/// A flag that Ctrl-C sets.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Makes a flag that Ctrl-C and SIGTERM set. Fails when there is such a flag already.
    pub fn on_ctrl_c() -> Result<StopFlag> {
        let flag = StopFlag::default();
        let set = flag.clone();
        ctrlc::set_handler(move || set.0.store(true, Ordering::SeqCst))
            .context("cannot react to Ctrl-C")?;
        Ok(flag)
    }

    /// Sets it, as Ctrl-C does.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Checks it. Fails once it is set; [`is_stopped`] knows that error.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::SeqCst) {
            return Err(Stopped.into());
        }
        Ok(())
    }
}

/// Tells whether the root cause of an error is Ctrl-C.
pub fn is_stopped(error: &anyhow::Error) -> bool {
    error.root_cause().is::<Stopped>()
}
