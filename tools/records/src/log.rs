//! The session log: what each session of measurements concluded, when and where. A file a session, in
//! `measurements/sessions`; the records of the book's own session lie whole in `measurements/results`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    description::{Contrast, Experiment},
    files,
    machine::{Commit, Machine},
    sessions::Records,
    store::Record,
    verdict::Finding,
};

/// One session: what it concluded, without its runs.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Session {
    /// When its first run began: UTC, RFC 3339.
    pub started: String,
    /// When its last run ended: UTC, RFC 3339.
    pub finished: String,
    /// The machines, or kernels of one machine, on which it ran.
    pub machines: Vec<Machine>,
    /// The compilers.
    pub compilers: Vec<String>,
    /// The sources.
    pub commits: Vec<Commit>,
    /// What else is to be known, and what became of it; written by hand.
    #[serde(default)]
    pub note: String,
    /// What each experiment concluded, by its name.
    pub experiments: BTreeMap<String, Conclusions>,
}

/// What one experiment of a session concluded.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Conclusions {
    /// When its first run began: UTC, RFC 3339.
    pub started: String,
    /// How many rounds it has.
    pub rounds: usize,
    /// The margin by which that session judged, in percent.
    pub margin_percent: f64,
    /// The contrasts.
    pub findings: Vec<Finding>,
    /// The control against its equal.
    pub control: Option<Finding>,
    /// The runs that count, those of them that the machine disturbed, and those that do not count.
    pub runs: [usize; 3],
}

impl Session {
    /// What the records conclude. With descriptions, by their contrasts as well, so that a session which is older than
    /// a contrast has something to say of it.
    pub fn of(records: &Records, described: &BTreeMap<String, Experiment>) -> Session {
        let mut session = Session::default();
        for (name, set) in records.all() {
            let record = set.record;
            if session.started.is_empty() || record.started < session.started {
                session.started.clone_from(&record.started);
            }
            if record.finished > session.finished {
                session.finished.clone_from(&record.finished);
            }
            add(&mut session.machines, &record.machine);
            add(&mut session.compilers, &record.rustc);
            add(&mut session.commits, &record.commit);
            let conclusions = Conclusions::of(record, described.get(name));
            session.experiments.insert(name.to_owned(), conclusions);
        }
        session
    }
}

/// Adds what is not there yet.
fn add<T: Clone + PartialEq>(all: &mut Vec<T>, one: &T) {
    if !all.contains(one) {
        all.push(one.clone());
    }
}

impl Conclusions {
    fn of(record: &Record, described: Option<&Experiment>) -> Conclusions {
        let experiment = &record.experiment;
        let names = record.names();
        let mut contrasts: Vec<Contrast> = experiment.contrasts.clone();
        if let Some(described) = described {
            for it in &described.contrasts {
                let figure = it.figure(&described.metric);
                let figure = (figure != experiment.metric).then(|| figure.to_owned());
                let contrast = Contrast { figure, ..it.clone() };
                let is_there = [&it.of, &it.to].iter().all(|it| names.contains(&it.as_str()));
                if is_there && !contrasts.contains(&contrast) {
                    contrasts.push(contrast);
                }
            }
        }
        let summary = crate::summary::Summary::of(record);
        Conclusions {
            started: record.started.clone(),
            rounds: summary.whole_rounds,
            margin_percent: record.margin_then().unwrap_or(experiment.margin.percent),
            findings: contrasts.iter().map(|contrast| record.finding(contrast)).collect(),
            control: summary.control,
            runs: [summary.counted, summary.noisy, summary.voids],
        }
    }

    /// The finding about the same two variants and the same figure.
    pub fn like(&self, finding: &Finding) -> Option<&Finding> {
        let same = |it: &&Finding| {
            (&it.of, &it.to, &it.figure) == (&finding.of, &finding.to, &finding.figure)
        };
        self.findings.iter().find(same)
    }
}

/// The folder of the log, below the repository's root.
pub fn folder(root: &Path) -> PathBuf {
    root.join("measurements").join("sessions")
}

/// Every session of the log, the oldest first, by its name. A folder that is absent holds none. Fails when a file can't
/// be read, or is no session.
pub fn read_all(root: &Path) -> Result<Vec<(String, Session)>> {
    let files = files::with_ending(&folder(root), "json")?.into_iter();
    let sessions = files.map(|(name, path)| Ok((name, read(&path)?)));
    let mut sessions: Vec<(String, Session)> = sessions.collect::<Result<_>>()?;
    sessions.sort_by(|one, other| one.1.started.cmp(&other.1.started));
    Ok(sessions)
}

/// The session in a file of the log. Fails when it can't be read, or is no session.
pub fn read(path: &Path) -> Result<Session> {
    files::read_json(path)?.with_context(|| format!("there is no {}", path.display()))
}

/// Adds a session to the log, under a name that no other has. Fails when there is such a session already, or nothing in
/// it, or the file can't be written.
pub fn keep(root: &Path, name: &str, session: &Session) -> Result<PathBuf> {
    let path = folder(root).join(format!("{name}.json"));
    ensure!(!path.exists(), "{} is there already; give another name", path.display());
    ensure!(!session.experiments.is_empty(), "there is no record to keep");
    files::write_whole(&path, files::json(session).as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        description::CONTROL,
        testing::{pool, write},
    };

    #[test]
    fn a_session_is_kept_without_its_runs() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "pool-law", &pool());
        let records = Records::read(root.path()).unwrap();
        // Another pair was declared since.
        let mut described = pool().experiment;
        described.contrasts = vec![Contrast::between("pool of 1", "pool of 4")];
        let session = Session::of(&records, &[("pool-law".to_owned(), described)].into());
        let conclusions = &session.experiments["pool-law"];
        assert_eq!((conclusions.rounds, conclusions.runs), (5, [15, 1, 1]));
        let pairs: Vec<_> = conclusions.findings.iter().map(|it| it.of.as_str()).collect();
        assert_eq!(pairs, ["pool of 4", "pool of 1"]);
        assert_eq!(conclusions.control.as_ref().unwrap().of, CONTROL);
        assert!(read_all(root.path()).unwrap().is_empty());
        keep(root.path(), "first", &session).unwrap();
        assert_eq!(read_all(root.path()).unwrap(), [("first".to_owned(), session.clone())]);
        let error = keep(root.path(), "first", &session).unwrap_err().to_string();
        assert!(error.contains("is there already"), "{error}");
        let error = keep(root.path(), "second", &Session::default()).unwrap_err().to_string();
        assert!(error.contains("no record"), "{error}");
    }
}
