//! Checks a learner's file each time it is saved, and listens to single letters.

use std::{
    fs,
    io::{self, BufRead},
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result};
use notify::{Config, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Learner, MINE, describe, list::Exercise};
use crate::say;

/// How long nothing may change before the check: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(150);

/// What the watch waits for.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    /// The file of this name in the learner's folder was written.
    Saved(String),
    /// A line was typed.
    Typed(String),
}

/// What is watched.
struct Watched<'a> {
    learner: &'a Learner<'a>,
    exercise: &'a Exercise,
    /// When the file was written that was checked last.
    checked: Option<SystemTime>,
}

/// Checks this exercise now and on each save; goes on to the next when asked. Ends with `q` or Ctrl-C.
pub(super) fn watch(learner: &Learner, exercise: &Exercise) -> Result<()> {
    learner.begin(exercise)?;
    let mut watched = Watched { learner, exercise, checked: None };
    let (sender, events) = mpsc::channel();
    let _watcher = start_watcher(&learner.root.join(MINE), &sender)?;
    listen(sender);
    learner.show_task(exercise)?;
    watched.check()?;
    while let Ok(event) = events.recv() {
        match event {
            Event::Saved(file) if watched.exercise.mine().ends_with(&file) => {
                if !watched.settle(&events)? {
                    return Ok(());
                }
                // A file that was just made for the learner is reported too, after its first check.
                if watched.checked.is_none() || watched.written() != watched.checked {
                    watched.check()?;
                }
            }
            Event::Saved(_) => {}
            Event::Typed(line) => {
                if !watched.obey(&line)? {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

impl Watched<'_> {
    /// When the learner's file was written last; `None` where no system says so.
    fn written(&self) -> Option<SystemTime> {
        fs::metadata(self.learner.root.join(self.exercise.mine())).ok()?.modified().ok()
    }

    /// Waits until nothing has been written for a moment. What is typed meanwhile is done; whether to go on.
    fn settle(&mut self, events: &Receiver<Event>) -> Result<bool> {
        loop {
            match events.recv_timeout(QUIET) {
                Ok(Event::Saved(_)) => {}
                Ok(Event::Typed(line)) => {
                    if !self.obey(&line)? {
                        return Ok(false);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(true),
            }
        }
    }

    fn check(&mut self) -> Result<()> {
        say(format_args!("\n-- {}", describe(self.exercise)));
        self.checked = self.written();
        self.learner.check(self.exercise)?;
        say(
            "-- save to check again; or a letter and Enter: h hint, s solution, n next, l list, q quit",
        );
        Ok(())
    }

    /// Does what a letter asks for; whether to go on.
    fn obey(&mut self, line: &str) -> Result<bool> {
        let Watched { learner, exercise, .. } = *self;
        match line.trim() {
            "" | "r" => self.check()?,
            "h" => learner.hint(exercise)?,
            // Before it is passed, that is what the error says.
            "s" => learner.solution(exercise, false).unwrap_or_else(say),
            "l" => learner.show_list()?,
            "n" => match learner.progress()?.next(&learner.list) {
                Some(next) if next.name != exercise.name => {
                    learner.begin(next)?;
                    learner.show_task(next)?;
                    self.exercise = next;
                    self.check()?;
                }
                Some(_) => say(
                    "This one is not passed yet. `cargo xtask learn start NAME` begins another.",
                ),
                None => say("All exercises are passed."),
            },
            "q" => return Ok(false),
            other => say(format_args!("{other:?} is none of h, s, n, l, q.")),
        }
        Ok(true)
    }
}

/// Sends on the lines of standard input, until it ends.
fn listen(events: Sender<Event>) {
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if events.send(Event::Typed(line)).is_err() {
                return;
            }
        }
    });
}

fn start_watcher(folder: &Path, events: &Sender<Event>) -> Result<Box<dyn Watcher>> {
    let handler = |events: Sender<Event>| {
        move |event: notify::Result<notify::Event>| {
            for file in event.map(|event| saved(&event)).unwrap_or_default() {
                let _ = events.send(Event::Saved(file));
            }
        }
    };
    let native = RecommendedWatcher::new(handler(events.clone()), Config::default()).and_then(
        |mut watcher| watcher.watch(folder, RecursiveMode::NonRecursive).map(|()| watcher),
    );
    if let Ok(watcher) = native {
        return Ok(Box::new(watcher));
    }
    // The system may have run out of watches, or have none in a container.
    let every_second = Config::default().with_poll_interval(Duration::from_secs(1));
    let mut watcher = PollWatcher::new(handler(events.clone()), every_second)
        .with_context(|| format!("cannot watch {MINE}"))?;
    watcher
        .watch(folder, RecursiveMode::NonRecursive)
        .with_context(|| format!("cannot watch {MINE}"))?;
    Ok(Box::new(watcher))
}

/// The names of the files that an event says were written. Reading, which the check does, is none.
fn saved(event: &notify::Event) -> Vec<String> {
    let writes = matches!(
        event.kind,
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Any
    );
    let names = event.paths.iter().filter_map(|path| path.file_name());
    names.filter(|_| writes).map(|name| name.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_save_is_noticed_and_a_look_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one_idea.rs");
        fs::write(&file, "a").unwrap();
        let (sender, events) = mpsc::channel();
        let _watcher = start_watcher(folder.path(), &sender).unwrap();
        // An editor that writes a new file and renames it, and one that writes in place.
        fs::write(folder.path().join("one_idea.rs~"), "b").unwrap();
        fs::rename(folder.path().join("one_idea.rs~"), &file).unwrap();
        let seen = |wanted: &str| {
            let end = std::time::Instant::now() + Duration::from_secs(20);
            while let Ok(event) = events.recv_timeout(end - std::time::Instant::now()) {
                if event == Event::Saved(wanted.to_owned()) {
                    return true;
                }
            }
            false
        };
        assert!(seen("one_idea.rs"));
        fs::write(folder.path().join("two_ideas.rs"), "c").unwrap();
        assert!(seen("two_ideas.rs"));
        let read = notify::Event::new(EventKind::Access(notify::event::AccessKind::Read));
        assert!(saved(&read.add_path(file)).is_empty());
    }
}
