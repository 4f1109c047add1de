//! A server with a generator, and all that is around both.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use measure::{Complaints, ServerProcess, usage};
use records::{
    description::{Count, Setup, Sink, URL},
    figures::Figures,
    servers::keeps_the_contract,
    stats::rounded,
};

use super::{Outcome, Run, pause::Pauser, unless_stopped};
use crate::{
    entries::void_reason,
    figures::{or_zero, set},
    parse,
    watched::{self, Watched},
};

/// How long a server may take to end in good order, with valgrind around it.
const END_TIME: Duration = Duration::from_secs(60);

impl Run<'_> {
    /// Runs the server and its generator. `idle`: what starting and stopping a server alone counts, by its setup.
    pub(super) fn server(&self, idle: &mut BTreeMap<String, String>) -> Result<Outcome> {
        let Run { context, setup, .. } = self;
        let mut generator = setup.generator.clone().unwrap_or_default();
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let sums = folder.path().join("sums");
        let started = unless_stopped(self.start(&sums), "the server did not start")?;
        let (mut server, first_answer_ms) = match started {
            Ok(server) => server,
            Err(why) => return Ok(Outcome { generator, void: Some(why), ..Outcome::default() }),
        };
        let url = format!("http://{}", server.address);
        generator.iter_mut().for_each(|word| *word = word.replace(URL, &url));
        let mut command = self.generator(&generator)?;
        if let Some(plan) = &setup.plan {
            fs::write(folder.path().join("plan.yml"), plan.replace(URL, &url))
                .context("cannot write the generator's plan")?;
            command.current_dir(folder.path());
        }
        let id = server.program.id();
        let pauser = Pauser::start(setup.pause.as_ref(), id);
        let (warmed, before) = self.warm(&mut command, id);
        let (ran, watched) =
            watched::run(&mut command, Some(id), self.time_limit(), self.pinning, context);
        drop(pauser);
        let still_running = server.program.is_running();
        let (figures, raw, void) = match unless_stopped(warmed.and(ran), "the generator failed")? {
            Ok(ran) => parse::run(&generator[0], ran, setup.errors_expected.unwrap_or(false)),
            Err(why) => (Figures::new(), String::new(), Some(why)),
        };
        let mut outcome = Outcome { generator, figures, raw, void };
        self.judge(&mut outcome, &watched, still_running);
        let figure = |name: &str| or_zero(&outcome.figures, name);
        // What came late was answered all the same.
        let answers = figure("requests") + figure("requests_late");
        match setup.count {
            // What is around the server uses processor and memory too, so these figures would not be the server's.
            Some(count) => {
                let counted = self.count(count, server, &sums, idle);
                match unless_stopped(counted, count.tool())? {
                    Err(why) => outcome.void_because(Some(why)),
                    Ok((all, idle)) => {
                        count.add(&mut outcome.raw, &all, &idle);
                        if or_zero(&outcome.figures, "requests") > 0.0 {
                            let value = count.per_request(&outcome.raw, answers)?;
                            set(&mut outcome.figures, count.figure(), value);
                        }
                    }
                }
            }
            None => {
                let figures = watched::server_figures(server, &watched.peaks, answers, before);
                outcome.figures.extend(figures);
                set(&mut outcome.figures, "server_first_answer_ms", Some(first_answer_ms));
            }
        }
        Ok(outcome)
    }

    /// Starts the server, with all that is around it, and sends it a request. Beside it stands how long it took from the
    /// start of its process to the end of that answer, in milliseconds.
    pub(super) fn start(&self, sums: &Path) -> Result<(ServerProcess, f64)> {
        let Run { context, setup, .. } = self;
        let command =
            self.command(setup.count.map(|count| count.command(sums)).unwrap_or_default())?;
        let complaints = match setup.stderr.unwrap_or_default() {
            Sink::Null => Complaints::Null,
            Sink::Terminal => Complaints::Terminal,
            Sink::File => {
                // Beside the records: the folder for temporary files is often no disk but memory.
                fs::create_dir_all(context.records())?;
                Complaints::File(tempfile::tempfile_in(context.records())?)
            }
        };
        let began = Instant::now();
        let server = ServerProcess::launch(self.name(), command, complaints)?;
        let answered = ask_once(server.address);
        let first_answer_ms = rounded(began.elapsed().as_secs_f64() * 1000.0);
        if keeps_the_contract(self.name()) {
            // A deliberately wrong server may well answer wrongly.
            answered.context("it does not answer its first request")?;
        }
        Ok((server, first_answer_ms))
    }

    /// Lets the generator run as often as the description says before the run that counts. Gives the processor time
    /// that the server of this process id has used until then, if there is such a warm-up.
    fn warm(&self, generator: &mut Command, id: u32) -> (Result<()>, Option<(f64, f64)>) {
        let Some(times) = self.setup.warm_up else { return (Ok(()), None) };
        let limit = self.time_limit();
        let stop = &self.context.stop;
        let tick = |_| self.context.progress.tick();
        let run = |_| measure::run(generator, limit, stop, tick).map(drop);
        ((0..times).try_for_each(run), Some(usage::seconds_so_far(id)))
    }

    /// Decides whether a run counts, and enters what the machine did and what the generator used.
    pub(super) fn judge(&self, outcome: &mut Outcome, watched: &Watched, still_running: bool) {
        let figure = |name: &str| or_zero(&outcome.figures, name);
        let failed = void_reason(figure("requests"), figure("errors"), still_running);
        let threads = match outcome.generator[0].as_str() {
            "ab" => 1,
            "wrk" => figure("tool_threads") as usize,
            _ => usize::MAX,
        };
        let cpus = self.pinning.generator_cpus.min(threads).max(1) as f64;
        let share =
            watched.used.map(|used| rounded(100.0 * used.seconds() / (watched.seconds * cpus)));
        if !self.setup.errors_expected.unwrap_or(false) {
            outcome.void_because(failed);
        }
        let why = parse::contradiction(&outcome.generator, &outcome.figures, watched.seconds);
        outcome.void_because(why);
        set(&mut outcome.figures, "generator_cpu_share_percent", share);
        outcome.figures.extend(watched.machine.clone());
    }

    /// Ends a server with a tool around it: the tool's count, and that of a server which had only the first
    /// request. `sums` is the tool's file.
    fn count(
        &self,
        count: Count,
        mut server: ServerProcess,
        sums: &Path,
        idle: &mut BTreeMap<String, String>,
    ) -> Result<(String, String)> {
        let end = |server: &mut ServerProcess| -> Result<String> {
            server.end(END_TIME, &self.context.stop, || self.context.progress.tick())?;
            count.lines(&fs::read_to_string(sums).context("it wrote no sums")?)
        };
        let all = end(&mut server)?;
        drop(server);
        // The same for every variant that differs in its generator only.
        let alike = Setup { generator: None, seconds: None, pause: None, ..self.setup.clone() };
        let key = serde_json::to_string(&alike).expect("a setup is text and numbers");
        if let Some(idle) = idle.get(&key) {
            return Ok((all, idle.clone()));
        }
        let alone = end(&mut self.start(sums)?.0)?;
        idle.insert(key, alone.clone());
        Ok((all, alone))
    }
}

/// Sends a request before anything is timed: for `/`, so that it does not count on `/tenth`. Fails where nobody answers
/// within ten seconds, or with something other than 200.
fn ask_once(address: SocketAddr) -> Result<()> {
    let limit = Some(Duration::from_secs(10));
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(limit)?;
    stream.set_write_timeout(limit)?;
    let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let line = answer.lines().next().unwrap_or_default();
    ensure!(line.starts_with("HTTP/1.1 200 "), "it answered `{line}`");
    Ok(())
}
