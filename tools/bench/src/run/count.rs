//! What a tool around the server counts: system calls, instructions or allocations.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context as _, Result};
use process::ServerProcess;
use records::description::{Count, Setup};

use super::{Outcome, Runner};
use crate::{
    context::Context,
    figures::{or_zero, set},
    progress::Progress,
};

/// How long a server may take to end in good order, with valgrind around it. In seconds.
const END_SECONDS: u64 = 60;

impl Runner {
    /// Ends a server with a tool around it: the tool's count, and that of a server which had only the first
    /// request. `sums` is the tool's file.
    pub(super) fn count(
        &mut self,
        context: &Context,
        variant: &str,
        count: Count,
        mut server: ServerProcess,
        sums: &Path,
        progress: &Progress,
    ) -> Result<(String, String)> {
        let end = |server: &mut ServerProcess| -> Result<String> {
            server.end(Duration::from_secs(END_SECONDS), &context.stop, || progress.tick())?;
            count.lines(&fs::read_to_string(sums).context("it wrote no sums")?)
        };
        let all = end(&mut server)?;
        drop(server);
        // The same for every variant that differs in its generator only.
        let alike = Setup { generator: None, seconds: None, pause: None, ..self.setup(variant) };
        let key = serde_json::to_string(&alike).expect("a setup is text and numbers");
        if let Some(idle) = self.idle.get(&key) {
            return Ok((all, idle.clone()));
        }
        let idle = end(&mut self.start(context, variant, sums)?.0)?;
        self.idle.insert(key, idle.clone());
        Ok((all, idle))
    }
}

/// Enters what was counted, for each of the answers.
pub fn enter(
    outcome: &mut Outcome,
    count: Count,
    counted: Result<(String, String), String>,
    answers: f64,
) -> Result<()> {
    match counted {
        Err(why) => outcome.void_because(Some(why)),
        Ok((all, idle)) => {
            count.add(&mut outcome.raw, &all, &idle);
            if or_zero(&outcome.figures, "requests") > 0.0 {
                let value = count.per_request(&outcome.raw, answers)?;
                set(&mut outcome.figures, count.figure(), value);
            }
        }
    }
    Ok(())
}
