//! Fixtures that several tests share: real output of the generators, small experiments, and fake programs.

use records::{
    description::Experiment,
    descriptions,
    figures::{FIGURES, Figures},
    testing::{POOL, PROGRAM, repository},
};

use crate::figures::get;

/// Reads real output, of wrk 4.1.0, ab 2.3, oha 1.16.0 and drill 0.9.1.
pub fn fixture(name: &str) -> String {
    let path =
        records::base::find_root().unwrap().join(format!("tools/measure/fixtures/{name}.txt"));
    std::fs::read_to_string(path).unwrap()
}

/// Asserts that these figures, `requests 40, errors 0`, are among those, and that all of those are known.
#[track_caller]
pub fn expect(figures: &Figures, expected: &str) {
    for expected in expected.split(", ") {
        let (name, value) = expected.split_once(' ').unwrap();
        let (got, value): (_, f64) = (get(figures, name), value.parse().unwrap());
        let got = got.unwrap_or_else(|| panic!("no {name}"));
        assert!((got - value).abs() <= value.abs() * 1e-9, "{name}: {got}, not {value}");
    }
    for name in figures.keys() {
        assert!(FIGURES.contains(&name.as_str()), "{name} is no known figure");
    }
}

pub fn pool() -> Experiment {
    described(POOL)
}

pub fn program() -> Experiment {
    described(PROGRAM)
}

pub fn described(text: &str) -> Experiment {
    descriptions::parse("pool-law", text, repository().path()).unwrap()
}

#[cfg(unix)]
pub use world::{World, starts};

#[cfg(unix)]
mod world {
    use std::{
        collections::BTreeMap,
        fs,
        io::{Read, Write},
        net::TcpListener,
        path::{Path, PathBuf},
        process::{Command, Stdio},
        thread,
    };

    use measure::StopFlag;
    use records::{
        description::{Experiment, Profile},
        store::{self, Record},
        testing::{POOL, PROGRAM, example},
    };
    use tempfile::TempDir;

    use super::described;
    use crate::{
        context::{Context, Kind},
        executables::{Executables, key},
        plan::Plan,
        progress::Progress,
        wire::WireTests,
    };

    /// Fake servers, a fake generator and a fake program: scripts, and a thread that answers for all of them.
    pub struct World {
        _folder: TempDir,
        /// The settings of a call that makes two rounds.
        pub context: Context,
    }

    impl World {
        /// Writes the scripts. The generator's prints so many errors.
        pub fn new(errors: u32) -> World {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().to_path_buf();
            let (_, record) = example();
            let mut executables = Executables::default();
            for name in ["ch03_threadpool", "load", "hardware_threads", "wrong_servers"] {
                let path = root.join("built").join(name);
                executables.paths.insert(key(Profile::Release, name), path);
            }
            for name in ["ch03_threadpool", "load"] {
                executables.hashes.insert(key(Profile::Release, name), "00".to_owned());
            }
            let context = Context {
                root: root.clone(),
                out: root.join("results"),
                executables,
                machine: record.session.machine,
                rustc: record.session.rustc,
                commit: record.session.commit,
                tools: BTreeMap::new(),
                descriptor_limit: Some(1024),
                seed: 7,
                rounds: Some(2),
                fresh: false,
                skip_wire_tests: true,
                kind: Kind::OfTheBook,
                leaves_out: false,
                stop: StopFlag::default(),
                progress: Progress::default(),
            };
            fs::create_dir_all(root.join("built")).unwrap();
            let world = World { _folder: folder, context };
            let port = answering_thread();
            world.script(
                "ch03_threadpool",
                &format!(
                    "[ -z \"$LIMITED\" ] || [ \"$(ulimit -n)\" = 200 ] || exit 1\n\
                     echo \"fake: listening on http://127.0.0.1:{port}/ with $*\"\nexec sleep 600"
                ),
            );
            let report = format!(
                r#"{{"connections":4,"requests":1000,"sent":1000,"requests_per_second":40.5,"errors_read":{errors}}}"#
            );
            // One that ended at once would seem to use more than all its processors: its start is all of its time.
            let started = world.path("started");
            let text = format!("echo x >> {}\nsleep 0.2\necho '{report}'", started.display());
            world.script("load", &text);
            world
        }

        /// Writes a script, by another process, so that none of ours has it open for writing when it is run.
        pub fn script(&self, name: &str, text: &str) {
            let mut child = Command::new("sh")
                .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
                .arg(self.path(name))
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let mut script = child.stdin.take().unwrap();
            script.write_all(format!("#!/bin/sh\n{text}\n").as_bytes()).unwrap();
            drop(script);
            assert!(child.wait().unwrap().success());
        }

        /// Writes a program that notes each start in a file, as the generator does, and does this.
        pub fn program(&self, does: &str) {
            let started = self.path("started");
            let text =
                format!("echo x >> {}\n[ -z \"$FAILS\" ] || exit 3\n{does}", started.display());
            self.script("hardware_threads", &text);
        }

        /// Returns the path of a file beside the executables.
        pub fn path(&self, name: &str) -> PathBuf {
            self.context.root.join("built").join(name)
        }

        pub fn starts(&self) -> usize {
            starts(&self.path("started"))
        }

        /// Returns the settings with which an experiment that has a record is measured again.
        pub fn fresh(&self) -> Context {
            Context { fresh: true, ..self.context.clone() }
        }

        /// Describes the law of the pool, with the fake generator.
        pub fn experiment() -> Experiment {
            let wrk = r#"["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]"#;
            let load = r#"["load", "--json", "{url}/sleep"]"#;
            let text = POOL.replace(wrk, load).replace("\"apart\"", "\"none\"");
            described(&text)
        }

        pub fn of_programs() -> Experiment {
            let text = PROGRAM.replace("pin = \"one\"", "env = { LC_ALL = \"C\" }");
            described(&text)
        }

        pub fn known(&self) -> Option<Record> {
            store::read_all(&self.context.records()).unwrap().remove("pool-law")
        }

        pub fn raw(&self) -> String {
            store::read_raw(&self.context.records(), "pool-law").unwrap()
        }

        pub fn plan(&self, context: &Context) -> Option<Plan> {
            let known = self.known();
            Plan::new(context, "pool-law", &World::experiment(), known.as_ref()).unwrap()
        }

        /// Returns the settings with a stop flag of their own.
        pub fn unstopped(&self) -> Context {
            Context { stop: StopFlag::default(), ..self.context.clone() }
        }

        /// Measures, without wire tests.
        pub fn try_to_measure(&self, plan: &mut Plan, context: &Context) -> anyhow::Result<bool> {
            plan.measure(context, &mut WireTests::default())
        }

        /// Measures up to this number of runs, without wire tests, and returns the record.
        #[track_caller]
        pub fn measure(&self, plan: &mut Plan, most: usize) -> Record {
            plan.entries.truncate(most);
            assert!(self.try_to_measure(plan, &self.context).unwrap());
            self.known().unwrap()
        }
    }

    /// Counts the starts of the generator, or of the program, by the file in which they note them.
    pub fn starts(noted_in: &Path) -> usize {
        fs::read_to_string(noted_in).unwrap_or_default().lines().count()
    }

    /// Answers every request, on the port that it returns.
    fn answering_thread() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
            }
        });
        port
    }
}
