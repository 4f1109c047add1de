//! What the pages tell the reader to type, and what they say will be printed.

use super::page::{Block, Page};

/// A line after `$ `, and what stands below it.
#[derive(Clone, Debug)]
pub struct Command {
    /// The page and line, as a message begins.
    pub at: String,
    /// The words, as a shell would take them apart.
    pub words: Vec<String>,
    /// The lines below, up to the next command.
    pub output: String,
}

impl Command {
    /// The words from `start` on.
    pub fn rest(&self, start: usize) -> Vec<&str> {
        self.words.iter().skip(start).map(String::as_str).collect()
    }

    /// `cargo run ... --example NAME ... -- FLAGS`: the name and the flags.
    pub fn example(&self) -> Option<(&str, Vec<&str>)> {
        let [cargo, run, ..] = self.words.as_slice() else { return None };
        if cargo != "cargo" || run != "run" {
            return None;
        }
        let at = self.words.iter().position(|word| word == "--example")?;
        let flags = self.words.iter().position(|word| word == "--");
        let flags = flags.map(|at| self.rest(at + 1)).unwrap_or_default();
        Some((self.words.get(at + 1)?, flags))
    }
}

/// The commands of all console blocks of a page, in order.
///
/// # Panics
/// When a block begins with something else than a command, or a command is none that a shell can read.
pub fn commands(page: &Page) -> Vec<Command> {
    page.blocks()
        .iter()
        .filter(|block| block.info == "console")
        .flat_map(|block| in_block(page, block))
        .collect()
}

fn in_block(page: &Page, block: &Block) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    for (index, line) in block.text.lines().enumerate() {
        let at = page.at(block.line + index + 1);
        if let Some(typed) = line.strip_prefix("$ ") {
            let words =
                shlex::split(typed).unwrap_or_else(|| panic!("{at}: a quote never ends: {typed}"));
            assert!(!words.is_empty(), "{at}: no command");
            commands.push(Command { at, words, output: String::new() });
        } else if let Some(command) = commands.last_mut() {
            command.output += line;
            command.output.push('\n');
        } else {
            panic!("{at}: a console block begins with a command after `$ `, not with {line:?}");
        }
    }
    commands
}
