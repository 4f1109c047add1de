//! Measures the capacity of a server, at the beginning of each round, if rates are shares of it.

use anyhow::{Context as _, Result, anyhow};

use super::{
    Run,
    generator::{command_line, without_rate},
};
use crate::{figures::get, parse};

/// The capacity of a server: its answers per second in a closed loop.
pub struct Capacity {
    pub per_second: f64,
    /// The output of the generator.
    pub raw: String,
}

impl Run<'_> {
    /// Measures it: starts a process of the server, warms it up, and lets the generator send as fast as it is answered.
    /// Fails when that can't be done, or nothing is answered.
    pub fn capacity(&self) -> Result<Capacity> {
        let (server, _) = self.start()?;
        let url = format!("http://{}", server.address);
        let words = without_rate(&command_line(&self.setup, &url, None));
        let mut command = self.generator(&words, Vec::new())?;
        self.warm_up(&mut command)?;
        let (finished, _) = self.watch(&mut command, &server);
        let (figures, raw, left_out) = parse::run(&words[0], finished?, false);
        if let Some(why) = left_out {
            return Err(anyhow!(why));
        }
        let per_second = get(&figures, "requests_per_second").filter(|rate| *rate > 0.0);
        let per_second = per_second.context("nothing was answered")?;
        Ok(Capacity { per_second, raw })
    }
}
