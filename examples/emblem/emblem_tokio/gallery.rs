//! A task that owns the emblems, and what others ask it for.
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

/// How many emblems are kept. A client chooses the names, so without a bound it would choose how much memory they take.
const MOST: usize = 1000;

/// How many commands wait for the owner.
const SLOTS: usize = 64;

enum Command {
    /// The emblem of a name, if it is kept; a find is counted.
    Find(String, oneshot::Sender<Option<Arc<str>>>),
    /// Keep this emblem of a name, if there is room.
    Keep(String, Arc<str>),
    /// The names, a line each, with how often they were asked for.
    Names(oneshot::Sender<String>),
}

struct Kept {
    emblem: Arc<str>,
    asked: u32,
}

/// A way to the task that owns the emblems. The task ends with the last of them.
#[derive(Clone)]
pub struct Gallery {
    commands: mpsc::Sender<Command>,
}

impl Gallery {
    /// Spawns the owner.
    pub fn open() -> Gallery {
        let (commands, received) = mpsc::channel(SLOTS);
        tokio::spawn(own(received));
        Gallery { commands }
    }

    /// The emblem of a name, if it is kept.
    pub async fn find(&self, name: &str) -> Option<Arc<str>> {
        let (answer, answered) = oneshot::channel();
        self.send(Command::Find(name.to_owned(), answer)).await;
        answered.await.expect("the owner answers")
    }

    /// Gives an emblem away to be kept.
    pub async fn keep(&self, name: &str, emblem: &Arc<str>) {
        self.send(Command::Keep(name.to_owned(), Arc::clone(emblem))).await;
    }

    /// The names that are kept.
    pub async fn names(&self) -> String {
        let (answer, answered) = oneshot::channel();
        self.send(Command::Names(answer)).await;
        answered.await.expect("the owner answers")
    }

    async fn send(&self, command: Command) {
        let sent = self.commands.send(command).await;
        assert!(sent.is_ok(), "the owner lives as long as there is somebody who sends");
    }
}

async fn own(mut commands: mpsc::Receiver<Command>) {
    let mut emblems: BTreeMap<String, Kept> = BTreeMap::new();
    while let Some(command) = commands.recv().await {
        // An answer that nobody waits for any more is missed by nobody.
        match command {
            Command::Find(name, answer) => {
                let found = emblems.get_mut(&name).map(|kept| {
                    kept.asked += 1;
                    Arc::clone(&kept.emblem)
                });
                let _ = answer.send(found);
            }
            Command::Keep(name, emblem) => {
                // Two may have drawn the same one. Then the second has been asked for as well.
                if emblems.contains_key(&name) || emblems.len() < MOST {
                    emblems.entry(name).or_insert(Kept { emblem, asked: 0 }).asked += 1;
                }
            }
            Command::Names(answer) => {
                let mut names = String::new();
                for (name, kept) in &emblems {
                    writeln!(names, "{name} {}", kept.asked).expect("a string takes all");
                }
                let _ = answer.send(names);
            }
        }
    }
}
