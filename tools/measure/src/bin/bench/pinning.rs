//! Binds a server and its generator to processors.

use std::thread::available_parallelism;

use records::{base::programs::how_to_install, description::Pin};

/// The processors of server (or program) and generator, as `taskset -c` takes them; `None` for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinning {
    /// Those of the server, or of the program.
    pub server: Option<String>,
    pub generator: Option<String>,
    /// The number of processors that the server, or the program, may use.
    pub server_cpus: usize,
    /// The number of processors that the generator may use.
    pub generator_cpus: usize,
}

impl Pinning {
    /// Chooses the processors of an experiment; and returns the reason why they are not the described ones, if they are
    /// not. `cores`: the processors of each core, where the system tells them. `taskset`: whether that is installed.
    pub fn of(
        pin: Pin,
        cores: Option<Vec<Vec<usize>>>,
        taskset: bool,
    ) -> (Pinning, Option<String>) {
        let all = match &cores {
            Some(cores) => cores.concat().len(),
            None => available_parallelism().map_or(1, usize::from),
        };
        let free = Pinning { server_cpus: all, generator_cpus: all, ..Pinning::default() };
        let why = match (pin, cores) {
            (Pin::None, _) => return (free, None),
            (_, None) => "only Linux tells which there are".to_owned(),
            (_, Some(_)) if !taskset => {
                format!("taskset is not installed. {}", how_to_install("taskset"))
            }
            (Pin::Together | Pin::One, Some(cores)) => {
                let first = &cores.concat()[..1];
                return (Pinning::on(first, first), None);
            }
            (Pin::Apart, Some(_)) if all < 2 => "there is only one".to_owned(),
            (Pin::Apart, Some(cores)) => return (Pinning::apart(&cores), None),
        };
        (free, Some(format!("not bound to processors, unlike in the description: {why}")))
    }

    /// Gives each of the two one half of the processors. Two processors of one core disturb each other, so each gets
    /// whole cores, where there are several.
    fn apart(cores: &[Vec<usize>]) -> Pinning {
        match cores {
            [core] => {
                let (server, generator) = core.split_at(core.len() / 2);
                Pinning::on(server, generator)
            }
            cores => {
                let (server, generator) = cores.split_at(cores.len() / 2);
                Pinning::on(&server.concat(), &generator.concat())
            }
        }
    }

    fn on(server: &[usize], generator: &[usize]) -> Pinning {
        Pinning {
            server: Some(list(server)),
            generator: Some(list(generator)),
            server_cpus: server.len(),
            generator_cpus: generator.len(),
        }
    }
}

/// Writes processors as `taskset -c` takes them.
fn list(cpus: &[usize]) -> String {
    cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_split_by_cores() {
        for (pin, cores, server, generator) in [
            (Pin::Apart, &[&[0][..], &[1]][..], "0", "1"),
            (Pin::Apart, &[&[0, 1]], "0", "1"),
            (Pin::Apart, &[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], "0,4,1,5", "2,6,3,7"),
            (Pin::Together, &[&[0], &[1]], "0", "0"),
            (Pin::One, &[&[0, 1]], "0", "0"),
            (Pin::None, &[&[0], &[1]], "", ""),
        ] {
            let cores: Vec<Vec<usize>> = cores.iter().map(|core| core.to_vec()).collect();
            let (pinning, why) = Pinning::of(pin, Some(cores), true);
            assert_eq!(pinning.server.unwrap_or_default(), server);
            assert_eq!(pinning.generator.unwrap_or_default(), generator);
            assert_eq!(why, None);
        }
    }

    #[test]
    fn what_can_not_be_pinned_runs_everywhere_and_says_why() {
        let two = Some(vec![vec![0], vec![1]]);
        for (pin, cores, taskset, expected) in [
            (Pin::Apart, Some(vec![vec![0]]), true, "only one"),
            (Pin::Apart, None, true, "only Linux"),
            (Pin::Together, two.clone(), false, "sudo apt install util-linux"),
        ] {
            let (pinning, why) = Pinning::of(pin, cores, taskset);
            assert_eq!((pinning.server, pinning.generator), (None, None));
            assert!(why.unwrap().contains(expected), "{expected}");
        }
        let free = Pinning::of(Pin::Together, two, false).0;
        assert_eq!((free.server_cpus, free.generator_cpus), (2, 2));
    }
}
