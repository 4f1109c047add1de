//! Starts a server, a program or a check from its page, and tells the page what comes of it.
//!
//! `GET /__run` gives a page of ours the token and what is running. `POST /__run` starts, looks, sends clients, stops.
//! One program runs at a time, whichever page has started it.

mod clients;
mod gate;
mod job;
mod keep;
mod run;

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::Deserialize;
use serde_json::json;
use site::{Response, Status};

use self::{
    gate::{Token, Wish},
    run::{Run, Which},
};
pub(crate) use self::{job::Job, keep::keep};
pub(super) use gate::header;

/// The path at which all of this is asked for. `book/start/start.js` knows this name.
pub(super) const START_PATH: &str = "/__run";

/// No request has a longer body.
pub(super) const MOST_BODY: usize = 1024;

/// What can be started, and what runs.
#[derive(Debug)]
pub(super) struct Starts {
    root: PathBuf,
    token: Token,
    last: Mutex<Last>,
}

/// The run that runs, or ran last.
#[derive(Debug, Default)]
struct Last {
    count: u64,
    run: Option<Run>,
    /// The run before it, which has ended: a page that followed that one looks once more.
    before: Option<Run>,
}

/// What a page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase", deny_unknown_fields)]
enum Action {
    /// Start this example.
    Start { name: String },
    /// Check the learner's file of this exercise.
    Check { name: String },
    /// Say what there is to see of this run, which somebody looks at.
    Look { run: u64 },
    /// Send such clients.
    Send { run: u64, which: Which },
    /// End it; the second time by force.
    Stop { run: u64 },
}

impl Starts {
    pub(super) fn new(root: &Path) -> Starts {
        Starts { root: root.to_path_buf(), token: Token::new(), last: Mutex::default() }
    }

    /// Answers a request for [`START_PATH`] whose `Host` is a name of this machine.
    pub(super) fn respond(&self, head: &str, body: &[u8]) -> Response {
        match self.token.admit(head) {
            Err((status, why)) => Response::text(status, format!("{why}\n")),
            Ok(Wish::Look) => {
                let state = self.last().run.as_ref().map(Run::state);
                Response::json(json!({ "token": self.token.text(), "state": state }).to_string())
            }
            Ok(Wish::Act) => match serde_json::from_slice(body) {
                Ok(action) => self.act(action),
                Err(error) => Response::bad_request(error),
            },
        }
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn act(&self, action: Action) -> Response {
        match action {
            Action::Start { name } => self.start(Job::example(&name)),
            Action::Check { name } => self.start(Job::check(&self.root, &name)),
            Action::Look { run } => self.with(run, Run::beat),
            Action::Send { run, which } => self.with(run, |run| {
                run.beat();
                run.send(which);
            }),
            Action::Stop { run } => self.with(run, Run::stop),
        }
    }

    fn start(&self, job: Option<Job>) -> Response {
        let Some(job) = job else {
            return Response::text(Status::NOT_FOUND, "no page starts a program of that name\n");
        };
        let mut last = self.last();
        if let Some(run) = last.run.as_ref().filter(|run| !run.has_ended()) {
            // A browser would complain of a status of failure, and this is none.
            let mut state = run.state();
            state["busy"] = true.into();
            return Response::json(state.to_string());
        }
        last.count += 1;
        match Run::start(&self.root, job, last.count) {
            Ok(run) => {
                let state = run.state();
                last.before = last.run.replace(run);
                Response::json(state.to_string())
            }
            Err(error) => {
                Response::text(Status::INTERNAL_ERROR, format!("cannot start it: {error}\n"))
            }
        }
    }

    /// Does something with the run of this number, and answers with its state.
    fn with(&self, number: u64, act: impl FnOnce(&mut Run)) -> Response {
        let last = &mut *self.last();
        let mut known = [&mut last.run, &mut last.before].into_iter().flatten();
        let Some(run) = known.find(|run| run.number() == number) else {
            return Response::text(
                Status::NOT_FOUND,
                "that run is over, and others came after it\n",
            );
        };
        act(run);
        Response::json(run.state().to_string())
    }
}

#[cfg(test)]
mod tests {
    use records::base::find_root;

    use super::*;

    fn ask(starts: &Starts, body: &str) -> (u16, String) {
        let head = format!(
            "POST /__run HTTP/1.1\r\nHost: localhost:1\r\nOrigin: http://localhost:1\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: application/json\r\nStart-Token: {}\r\n\r\n",
            starts.token.text()
        );
        let response = starts.respond(&head, body.as_bytes());
        (response.status.code, String::from_utf8(response.body).unwrap())
    }

    #[test]
    fn only_names_of_the_list_start_anything() {
        let starts = Starts::new(&find_root().unwrap());
        for (body, code) in [
            ("", 400),
            ("[]", 400),
            (r#"{"action":"start"}"#, 400),
            (r#"{"action":"begin","name":"ch01_small"}"#, 400),
            // Neither a flag nor a command.
            (r#"{"action":"start","name":"ch01_small","arguments":["--port","1"]}"#, 400),
            (r#"{"action":"start","name":"ch01_small --release"}"#, 404),
            (r#"{"action":"start","name":"--release"}"#, 404),
            (r#"{"action":"start","name":"break_it"}"#, 404),
            (r#"{"action":"start","name":"../ch01_small"}"#, 404),
            (r#"{"action":"start","name":"answer_404"}"#, 404),
            (r#"{"action":"check","name":"ch01_small"}"#, 404),
            (r#"{"action":"check","name":"--all"}"#, 404),
            (r#"{"action":"look","run":1}"#, 404),
            (r#"{"action":"stop","run":0}"#, 404),
        ] {
            assert_eq!(ask(&starts, body).0, code, "{body}");
        }
        assert!(starts.last().run.is_none());
    }
}
