//! A server with a generator, and all that is around both.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use measure::{Complaints, Finished, ServerProcess};
use records::{
    description::{Sink, URL},
    figures::Figures,
    servers::keeps_the_contract,
    stats::{finely, rounded},
};

use super::{
    Outcome, Run,
    pause::Pauser,
    unless_stopped,
    words::{without_rate, words},
};
use crate::{
    figures::{or_zero, set},
    parse,
    rounds::invalid_reason,
    syscalls,
    watched::{self, Watched},
};

impl Run<'_> {
    /// Runs the server and its generator.
    pub(super) fn server(&self) -> Result<Outcome> {
        let Run { context, setup, .. } = self;
        let (mut server, first_answer_ms) =
            match unless_stopped(self.start(), "the server did not start")? {
                Ok(server) => server,
                Err(why) => {
                    let generator = setup.generator.clone().unwrap_or_default();
                    return Ok(Outcome { generator, left_out: Some(why), ..Outcome::default() });
                }
            };
        let url = format!("http://{}", server.address);
        let rate = self.capacity.zip(setup.share).map(|(all, share)| all * share / 100.0);
        let generator = words(setup, &url, rate);
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let count = folder.path().join("count");
        let id = server.program.id();
        let around = match setup.count {
            Some(_) => syscalls::around_generator(id, &count),
            None => Vec::new(),
        };
        let mut command = self.generator(&generator, around)?;
        let mut warming = self.generator(&without_rate(&generator), Vec::new())?;
        if let Some(plan) = &setup.plan {
            fs::write(folder.path().join("plan.yml"), plan.replace(URL, &url))
                .context("cannot write the generator's plan")?;
            command.current_dir(folder.path());
            warming.current_dir(folder.path());
        }
        let warmed = self.warm_up(&mut warming);
        let pauser = Pauser::start(setup.pause.as_ref(), id);
        let (finished, watched) = self.watch(&mut command, &server);
        drop(pauser);
        let still_running = server.program.is_running();
        let finished = unless_stopped(warmed.and(finished), "the generator failed")?;
        let (figures, raw, left_out) = match finished {
            Ok(finished) => {
                parse::run(&generator[0], finished, setup.errors_expected.unwrap_or(false))
            }
            Err(why) => (Figures::new(), String::new(), Some(why)),
        };
        let ended = watched::end(&mut server, context)?;
        let mut outcome = Outcome { generator, figures, raw, left_out };
        // What came late was answered all the same.
        let answers =
            or_zero(&outcome.figures, "requests") + or_zero(&outcome.figures, "requests_late");
        self.judge(&mut outcome, &watched, still_running);
        if setup.count.is_some() {
            syscalls::add(&mut outcome.raw, &fs::read_to_string(&count).unwrap_or_default());
            match syscalls::total(&outcome.raw) {
                Ok(calls) if answers > 0.0 => {
                    set(&mut outcome.figures, "server_syscalls", calls);
                    let each = finely(calls / answers);
                    set(&mut outcome.figures, "server_syscalls_per_request", each);
                }
                Ok(_) => {}
                Err(error) => outcome.invalidate(Some(format!("{error:#}"))),
            }
        }
        // The end of a process knows only its whole life, and the warm-up is a part of that.
        let ended = ended.filter(|_| still_running && setup.warm_up.is_none());
        let used = watched::server_figures(&watched, ended, answers, self.pinning);
        if still_running {
            outcome.figures.extend(used);
        }
        set(&mut outcome.figures, "server_first_answer_ms", Some(first_answer_ms));
        set(&mut outcome.figures, "capacity_per_second", self.capacity.map(rounded));
        Ok(outcome)
    }

    /// Runs the generator, and watches the server.
    pub(super) fn watch(
        &self,
        command: &mut Command,
        server: &ServerProcess,
    ) -> (Result<Finished>, Watched) {
        let id = Some(server.program.id());
        watched::run(command, id, self.time_limit(), self.pinning, self.context)
    }

    /// Starts the server, and sends it a request. Beside it stands how long it took from the start of its process to the
    /// end of that answer, in milliseconds.
    pub(super) fn start(&self) -> Result<(ServerProcess, f64)> {
        let Run { context, setup, .. } = self;
        let command = self.command()?;
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

    /// Lets the generator run as often as the description says before the run that counts. Fails when it can't be
    /// started, and on Ctrl-C.
    pub(super) fn warm_up(&self, generator: &mut Command) -> Result<()> {
        let stop = &self.context.stop;
        for _ in 0..self.setup.warm_up.unwrap_or(0) {
            measure::run(generator, self.time_limit(), stop, |_| self.context.progress.tick())?;
        }
        Ok(())
    }

    /// Decides whether a run counts, and enters what the machine did and what the generator used.
    fn judge(&self, outcome: &mut Outcome, watched: &Watched, still_running: bool) {
        let requests = or_zero(&outcome.figures, "requests");
        let errors = or_zero(&outcome.figures, "errors");
        if !self.setup.errors_expected.unwrap_or(false) {
            outcome.invalidate(invalid_reason(requests, errors, still_running));
        }
        let threads = match outcome.generator[0].as_str() {
            "ab" => 1,
            "wrk" => or_zero(&outcome.figures, "tool_threads") as usize,
            _ => usize::MAX,
        };
        let cpus = self.pinning.generator_cpus.min(threads).max(1) as f64;
        let share =
            watched.used.map(|used| rounded(100.0 * used.seconds() / (watched.seconds * cpus)));
        set(&mut outcome.figures, "generator_cpu_share_percent", share);
        outcome.figures.extend(watched.machine.clone());
        outcome.leave_out(watched.left_out.clone());
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
