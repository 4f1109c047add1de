//! A server with a generator, and all that is around both.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use process::{Complaints, ServerProcess, usage};
use records::{
    description::{Profile, Setup, Sink, URL},
    figures::Figures,
    stats::rounded,
};
use servers::{Foreign, keeps_the_contract};

use super::{
    Outcome, Runner,
    command::{command, server_options, time_limit},
    count,
    pause::Pauser,
    unless_stopped,
};
use crate::{
    context::Context,
    figures::{or_zero, set},
    parse,
    progress::Progress,
    rules::void_reason,
    watched::{self, Watched},
};

impl Runner {
    /// Runs the server of a variant and its generator.
    pub(super) fn run_server(
        &mut self,
        context: &Context,
        variant: &str,
        progress: &Progress,
    ) -> Result<Outcome> {
        let setup = self.setup(variant);
        let mut generator = setup.generator.clone().unwrap_or_default();
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let sums = folder.path().join("sums");
        let started = self.start(context, variant, &sums);
        let (mut server, first_answer_ms) =
            match unless_stopped(started, "the server did not start")? {
                Ok(server) => server,
                Err(why) => {
                    return Ok(Outcome { generator, void: Some(why), ..Outcome::default() });
                }
            };
        generator.iter_mut().for_each(|word| *word = word.replace(URL, &server.address));
        let mut command = self.generator(context, variant, &generator);
        if let Some(plan) = &setup.plan {
            fs::write(folder.path().join("plan.yml"), plan.replace(URL, &server.address))
                .context("cannot write the generator's plan")?;
            command.current_dir(folder.path());
        }
        let pauser = Pauser::start(setup.pause.as_ref(), server.program.id());
        let (id, limit) = (Some(server.program.id()), time_limit(&setup));
        let tick = || progress.tick();
        let (warmed, before) = self.warm(context, &mut command, &server, &setup, progress);
        let (ran, watched) = watched::run(&mut command, id, limit, &context.stop, tick);
        drop(pauser);
        let still_running = server.program.is_running();
        let (figures, raw, void) = match unless_stopped(warmed.and(ran), "the generator failed")? {
            Ok(ran) => parse::run(&generator[0], ran, setup.errors_expected.unwrap_or(false)),
            Err(why) => (Figures::new(), String::new(), Some(why)),
        };
        let mut outcome = Outcome { generator, figures, raw, void };
        self.judge(&setup, &mut outcome, &watched, variant, still_running);
        let figure = |name: &str| or_zero(&outcome.figures, name);
        // What came late was answered all the same.
        let answers = figure("requests") + figure("requests_late");
        match setup.count {
            // What is around the server uses processor and memory too, so these figures would not be the server's.
            Some(count) => {
                let counted = self.count(context, variant, count, server, &sums, progress);
                let counted = unless_stopped(counted, count.tool())?;
                count::enter(&mut outcome, count, counted, answers)?;
            }
            None => {
                let figures = watched::server_figures(server, &watched.peaks, answers, before);
                outcome.figures.extend(figures);
                set(&mut outcome.figures, "server_first_answer_ms", Some(first_answer_ms));
            }
        }
        Ok(outcome)
    }

    /// Starts a server, with all that is around it, and sends it a request. Beside it stands how long it took from the
    /// start of its process to the end of that answer, in milliseconds.
    pub(super) fn start(
        &self,
        context: &Context,
        variant: &str,
        sums: &Path,
    ) -> Result<(ServerProcess, f64)> {
        let setup = self.setup(variant);
        let name = setup.server.as_deref().unwrap_or_default();
        let mut words = setup.count.map(|count| count.command(sums)).unwrap_or_default();
        let root = base::find_root()?;
        if let Some(own) = Foreign::named(name).and_then(|server| server.words(&root)) {
            words.extend(own);
        } else {
            let path = context.executables.path(setup.profile.unwrap_or_default(), name);
            words.push(path.to_string_lossy().into_owned());
        }
        words.extend(server_options(&setup));
        let cpus = self.pinnings[variant].server.as_deref();
        let mut command = command(words, cpus, setup.descriptors);
        command.envs(setup.env.iter().flatten());
        let complaints = match setup.stderr.unwrap_or_default() {
            Sink::Null => Complaints::Null,
            Sink::Pipe => Complaints::Pipe,
            Sink::Terminal => Complaints::Terminal,
            Sink::File => {
                // Beside the records: the folder for temporary files is often no disk but memory.
                fs::create_dir_all(context.records())?;
                Complaints::File(tempfile::tempfile_in(context.records())?)
            }
        };
        let began = Instant::now();
        let server = ServerProcess::launch(name, command, complaints)?;
        let answered = ask_once(&server.address);
        let first_answer_ms = rounded(began.elapsed().as_secs_f64() * 1000.0);
        if keeps_the_contract(name) {
            // A deliberately wrong server may well answer wrongly.
            answered.context("it does not answer its first request")?;
        }
        Ok((server, first_answer_ms))
    }

    /// Lets the generator run as often as the description says before the run that counts. Gives the processor time
    /// that the server has used until then, if there is such a warm-up.
    fn warm(
        &self,
        context: &Context,
        generator: &mut Command,
        server: &ServerProcess,
        setup: &Setup,
        progress: &Progress,
    ) -> (Result<()>, Option<(f64, f64)>) {
        let Some(times) = setup.warm_up else { return (Ok(()), None) };
        let (limit, stop) = (time_limit(setup), &context.stop);
        let run = |_| process::run(generator, limit, stop, |_| progress.tick()).map(drop);
        ((0..times).try_for_each(run), Some(usage::seconds_so_far(server.program.id())))
    }

    /// The generator, with what stands before it.
    fn generator(&self, context: &Context, variant: &str, words: &[String]) -> Command {
        let mut words = words.to_vec();
        if words[0] == "load" {
            let path = context.executables.path(Profile::Release, "load");
            words[0] = path.to_string_lossy().into_owned();
        }
        // A generator needs a descriptor for each connection, as the server does. A lower limit is the server's alone.
        let descriptors = self.setup(variant).descriptors;
        let more = descriptors.filter(|&wanted| Some(wanted) > context.descriptor_limit);
        command(words, self.pinnings[variant].generator.as_deref(), more)
    }

    /// Decides whether a run counts, and enters what the machine did and what the generator used.
    fn judge(
        &self,
        setup: &Setup,
        outcome: &mut Outcome,
        watched: &Watched,
        variant: &str,
        still_running: bool,
    ) {
        let figure = |name: &str| or_zero(&outcome.figures, name);
        let failed = void_reason(figure("requests"), figure("errors"), still_running);
        let threads = match outcome.generator[0].as_str() {
            "ab" => 1,
            "wrk" => figure("tool_threads") as usize,
            _ => usize::MAX,
        };
        let cpus = self.pinnings[variant].generator_cpus.min(threads).max(1) as f64;
        let share =
            watched.used.map(|used| rounded(100.0 * used.seconds() / (watched.seconds * cpus)));
        if !setup.errors_expected.unwrap_or(false) {
            outcome.void_because(failed);
        }
        set(&mut outcome.figures, "generator_cpu_share_percent", share);
        outcome.figures.extend(watched.machine.clone());
    }
}

/// Sends a request before anything is timed: for `/`, so that it does not count on `/tenth`. Fails where nobody answers
/// within ten seconds, or with something other than 200.
fn ask_once(address: &str) -> Result<()> {
    let address = address.trim_start_matches("http://");
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
