//! The command lines of servers, programs and generators, and what stands before them.

use std::{process::Command, time::Duration};

use records::description::{SECONDS, Setup};

/// A program with its arguments, on these processors, and with so many files and sockets that it may have open.
pub fn command(program: Vec<String>, cpus: Option<&str>, descriptors: Option<u64>) -> Command {
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

/// A program's arguments, with its seconds.
pub fn program_arguments(setup: &Setup) -> Vec<String> {
    let seconds = setup.seconds.unwrap_or_default().to_string();
    setup.arguments.iter().flatten().map(|word| word.replace(SECONDS, &seconds)).collect()
}

/// A server's options; it takes any free port.
pub fn server_options(setup: &Setup) -> Vec<String> {
    let port = ["--port", "0"].map(str::to_owned);
    port.into_iter().chain(setup.options.iter().flatten().cloned()).collect()
}

/// How long a run may take.
pub fn time_limit(setup: &Setup) -> Duration {
    Duration::from_secs_f64(setup.seconds.unwrap_or_default() * 5.0 + 300.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;

    #[test]
    fn what_stands_before_a_program() {
        let line = |cpus, limit| {
            let command = command(vec!["wrk".to_owned(), "-t1".to_owned()], cpus, limit);
            let words = [command.get_program()].into_iter().chain(command.get_args());
            words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line(None, None), "wrk -t1");
        let expected = "taskset -c 0,1 sh -c ulimit -n 200 && exec \"$@\" sh wrk -t1";
        assert_eq!(line(Some("0,1"), Some(200)), expected);
    }

    #[test]
    fn a_program_is_told_its_seconds() {
        let words = program_arguments(&program().setup("8 threads").unwrap()).join(" ");
        assert_eq!(words, "--threads 8 --seconds 4 --json");
    }
}
