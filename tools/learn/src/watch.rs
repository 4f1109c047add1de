//! Checks a learner's file each time it is saved, and obeys letters that are typed.
//!
//! A check runs beside the watch, so a letter acts at once, and a check that is obsolete is ended.

use std::{
    fs,
    io::{self, BufRead},
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context, Result};
use notify::{Config, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use records::{
    base::say,
    workshop::exercises::{Exercise, MINE},
};

use crate::{
    learner::Learner,
    run::{self, Stop},
    show::describe,
};

/// The time in which nothing changes before a check begins: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(150);

/// The events that the watch waits for.
#[derive(Debug)]
enum Event {
    /// The file of this name in the learner's folder was written.
    Saved(String),
    /// A line was typed.
    Typed(String),
    /// The check of this number is over: whether it is passed, or `None` if it was ended.
    Checked(u64, Result<Option<bool>>),
}

/// The exercise that is watched, and the state of its checks.
struct Watched<'a> {
    learner: &'a Learner<'a>,
    exercise: &'a Exercise,
    /// The time and the text of the file that was checked last: a file that is moved into its place may be as old.
    checked: Option<(SystemTime, Vec<u8>)>,
    /// The moment at which the file is checked, if it was saved.
    due: Option<Instant>,
    /// The number of the last check.
    number: u64,
    /// Ends the check that runs, if one does.
    running: Option<Stop>,
    sender: Sender<Event>,
}

/// Checks this exercise now and on each save, for which it looks itself if `polls`; goes on to the next when asked. Ends
/// with `q` or Ctrl-C.
pub(crate) fn watch(learner: &Learner, exercise: &Exercise, polls: bool) -> Result<()> {
    learner.begin(exercise)?;
    let (sender, events) = mpsc::channel();
    let _watcher = start_watcher(&learner.root.join(MINE), polls, &sender)?;
    let typed = sender.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if typed.send(Event::Typed(line.trim().to_owned())).is_err() {
                return;
            }
        }
    });
    let mut watched =
        Watched { learner, exercise, checked: None, due: None, number: 0, running: None, sender };
    learner.show_task(exercise)?;
    watched.check()?;
    watched.follow(&events);
    Ok(())
}

fn print_error(outcome: Result<()>) {
    if let Err(error) = outcome {
        say(format_args!("error: {error:#}"));
    }
}

impl Watched<'_> {
    /// Does what the events ask for, until `q`. A failure is printed, and the watch goes on.
    fn follow(&mut self, events: &Receiver<Event>) {
        loop {
            let left = match self.due {
                Some(due) => due.saturating_duration_since(Instant::now()),
                None => Duration::MAX,
            };
            match events.recv_timeout(left) {
                Ok(Event::Saved(file)) if self.exercise.mine().ends_with(&file) => {
                    self.due = Some(Instant::now() + QUIET);
                }
                Ok(Event::Typed(letter)) if letter == "q" => {
                    self.end();
                    return;
                }
                Ok(Event::Typed(letter)) => print_error(self.obey(&letter)),
                Ok(Event::Checked(number, outcome)) if number == self.number => {
                    print_error(self.conclude(outcome));
                }
                Ok(Event::Saved(_) | Event::Checked(..)) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.due = None;
                    // A file that was just made for the learner is reported too, after its first check began.
                    if self.checked.is_none() || self.written() != self.checked {
                        print_error(self.check());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn conclude(&mut self, outcome: Result<Option<bool>>) -> Result<()> {
        self.running = None;
        if let Some(passed) = outcome? {
            self.learner.conclude(self.exercise, passed)?;
        }
        say(
            "-- save to check again; or a letter and Enter: h hint, s solution, n next (or skip), r run again, l list, \
             q quit",
        );
        Ok(())
    }

    /// Returns the time and the text of the learner's file; `None` where it can't be read.
    fn written(&self) -> Option<(SystemTime, Vec<u8>)> {
        let mine = self.learner.root.join(self.exercise.mine());
        let time = fs::metadata(&mine).ok()?.modified().ok()?;
        Some((time, fs::read(&mine).ok()?))
    }

    /// Begins a check, and ends the one that runs.
    fn check(&mut self) -> Result<()> {
        self.end();
        say(format_args!("\n-- {}", describe(self.exercise)));
        self.learner.touch_if_moved(self.exercise)?;
        self.checked = self.written();
        self.number += 1;
        let stop = Stop::default();
        self.running = Some(stop.clone());
        let number = self.number;
        let sender = self.sender.clone();
        let root = self.learner.root.to_path_buf();
        let exercise = self.exercise.clone();
        thread::spawn(move || {
            let outcome = run::check(&root, &exercise, &stop);
            // The watch may have come to its end.
            let _ = sender.send(Event::Checked(number, outcome));
        });
        Ok(())
    }

    /// Ends the check that runs, if one does.
    fn end(&mut self) {
        if let Some(stop) = self.running.take() {
            // Its report is of no interest any more.
            self.number += 1;
            stop.stop();
        }
    }

    /// Does what a letter asks for.
    fn obey(&mut self, letter: &str) -> Result<()> {
        match letter {
            "" | "r" => self.check(),
            "n" => self.go_on(),
            other => self.show(other),
        }
    }

    fn show(&self, letter: &str) -> Result<()> {
        let Watched { learner, exercise, .. } = *self;
        match letter {
            "h" => learner.hint(exercise)?,
            // Before it is passed, that is what the error says.
            "s" => learner.solution(exercise, false).unwrap_or_else(say),
            "l" => learner.show_list()?,
            other => say(format_args!("{other:?} is no command; h, s, n, r, l and q are.")),
        }
        Ok(())
    }

    /// Goes on to the next exercise, and skips this one if it is not passed.
    fn go_on(&mut self) -> Result<()> {
        let Watched { learner, exercise, .. } = *self;
        let progress = learner.progress()?;
        let next = if !progress.is_done(exercise) {
            learner.skip(exercise)?
        } else {
            let next = progress.next(&learner.list);
            if next.is_none() {
                say("You have passed all exercises.");
            }
            next
        };
        let Some(next) = next else { return Ok(()) };
        self.end();
        learner.begin(next)?;
        learner.show_task(next)?;
        self.exercise = next;
        self.check()
    }
}

fn start_watcher(folder: &Path, polls: bool, events: &Sender<Event>) -> Result<Box<dyn Watcher>> {
    // The system may have run out of watches, or have none in a container.
    if !polls && let Ok(watcher) = started::<RecommendedWatcher>(folder, events, Config::default())
    {
        return Ok(Box::new(watcher));
    }
    let every_second = Config::default().with_poll_interval(Duration::from_secs(1));
    let polling = started::<PollWatcher>(folder, events, every_second);
    Ok(Box::new(polling.with_context(|| format!("cannot watch {MINE}"))?))
}

/// Starts a watcher of this kind, which sends the names of the files that were saved.
fn started<W: Watcher>(folder: &Path, events: &Sender<Event>, config: Config) -> notify::Result<W> {
    let events = events.clone();
    let mut watcher = W::new(
        move |event: notify::Result<notify::Event>| {
            for file in event.map(|event| saved(&event)).unwrap_or_default() {
                let _ = events.send(Event::Saved(file));
            }
        },
        config,
    )?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Lists the files that an event says were written. Reading, which the check does, is none of that.
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
        for polls in [false, true] {
            notices(polls);
        }
        let read = notify::Event::new(EventKind::Access(notify::event::AccessKind::Read));
        assert!(saved(&read.add_path("one_idea.rs".into())).is_empty());
    }

    #[track_caller]
    fn notices(polls: bool) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one_idea.rs");
        fs::write(&file, "a").unwrap();
        let (sender, events) = mpsc::channel();
        let _watcher = start_watcher(folder.path(), polls, &sender).unwrap();
        // An editor that writes a new file and renames it, and one that writes in place. Who polls sees only another time.
        let beside = folder.path().join("one_idea.rs~");
        fs::write(&beside, "b").unwrap();
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().write(true).open(&beside).unwrap().set_modified(later).unwrap();
        fs::rename(beside, &file).unwrap();
        assert!(is_seen(&events, "one_idea.rs"), "{polls}");
        fs::write(folder.path().join("two_ideas.rs"), "c").unwrap();
        assert!(is_seen(&events, "two_ideas.rs"), "{polls}");
    }

    /// Waits for the event that this file was saved.
    fn is_seen(events: &Receiver<Event>, wanted: &str) -> bool {
        let end = Instant::now() + Duration::from_secs(20);
        while let Ok(event) = events.recv_timeout(end - Instant::now()) {
            if matches!(event, Event::Saved(name) if name == wanted) {
                return true;
            }
        }
        false
    }
}
