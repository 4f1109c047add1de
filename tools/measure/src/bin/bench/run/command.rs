//! Makes the commands of servers, programs and generators, with `taskset`, `ulimit` or `perf` before them.

use std::process::Command;

use anyhow::Result;
use records::{
    description::{Profile, SECONDS},
    servers::Server,
};

use super::Run;

impl Run<'_> {
    /// Returns the bare name of the server or program.
    pub(super) fn name(&self) -> &str {
        let Run { setup, .. } = self;
        setup.program.as_deref().or(setup.server.as_deref()).unwrap_or_default()
    }

    /// Returns its arguments: a program's with its seconds; a server's options, and any free port.
    pub(super) fn arguments(&self) -> Vec<String> {
        if self.setup.program.is_some() {
            let seconds = self.setup.seconds.unwrap_or_default().to_string();
            let arguments = self.setup.arguments.iter().flatten();
            return arguments.map(|word| word.replace(SECONDS, &seconds)).collect();
        }
        let port = ["--port", "0"].map(str::to_owned);
        port.into_iter().chain(self.setup.options.iter().flatten().cloned()).collect()
    }

    /// Makes the command that runs it.
    pub(super) fn command(&self) -> Result<Command> {
        let Run { context, setup, pinning, .. } = self;
        let foreign = Server::named(self.name()).and_then(|server| server.words(&context.root));
        let profile = setup.profile.unwrap_or_default();
        let own = match foreign {
            Some(words) => words,
            None => vec![self.executable(profile, self.name())?],
        };
        let words = [own, self.arguments()].concat();
        let mut command = command(words, pinning.server.as_deref(), setup.descriptors);
        command.envs(setup.env.iter().flatten());
        Ok(command)
    }

    /// Makes the command that runs the generator, with these words of a tool before it.
    pub(super) fn generator(&self, words: &[String], before: Vec<String>) -> Result<Command> {
        let mut words = words.to_vec();
        if words[0] == "load" {
            words[0] = self.executable(Profile::Release, "load")?;
        }
        // A generator needs a descriptor for each connection, as the server does. A lower limit is the server's alone.
        let limit = self.context.descriptor_limit;
        let more = self.setup.descriptors.filter(|&wanted| Some(wanted) > limit);
        Ok(command([before, words].concat(), self.pinning.generator.as_deref(), more))
    }

    fn executable(&self, profile: Profile, name: &str) -> Result<String> {
        let path = self.context.executables.path(profile, name)?;
        Ok(path.to_string_lossy().into_owned())
    }
}

/// Makes the command of a program with its arguments, on these processors, and with so many files and sockets that it
/// may have open.
fn command(program: Vec<String>, cpus: Option<&str>, descriptors: Option<u64>) -> Command {
    let mut words = Vec::new();
    if let Some(cpus) = cpus {
        words.extend(["taskset", "-c", cpus].map(str::to_owned));
    }
    if let Some(limit) = descriptors {
        let script = format!("ulimit -n {limit} && exec \"$@\"");
        words.extend(["sh", "-c", &script, "sh"].map(str::to_owned));
    }
    words.extend(program);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the command that runs `wrk -t1`.
    fn line(cpus: Option<&str>, limit: Option<u64>) -> String {
        let command = command(vec!["wrk".to_owned(), "-t1".to_owned()], cpus, limit);
        let words = [command.get_program()].into_iter().chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_stands_before_a_program() {
        assert_eq!(line(None, None), "wrk -t1");
        let expected = "taskset -c 0,1 sh -c ulimit -n 200 && exec \"$@\" sh wrk -t1";
        assert_eq!(line(Some("0,1"), Some(200)), expected);
    }
}
