//! What the pages tell the reader to type, and what they say will be printed.

use super::page::{Block, Page};

/// A line after `$ `, and what stands below it.
#[derive(Clone, Debug)]
pub struct Command {
    /// The page and line, as a message begins.
    pub at: String,
    /// The variables that are set for this command alone: `NAME=value` before it.
    pub variables: Vec<(String, String)>,
    /// The words, as a shell would take them apart.
    pub words: Vec<String>,
    /// The lines below, up to the next command.
    pub output: String,
}

impl Command {
    /// Takes a line apart as a shell does; `None` where a quote never ends, or nothing is called.
    pub fn of(at: &str, typed: &str) -> Option<Command> {
        let (variables, words) = take_variables(shlex::split(typed)?);
        let command = Command { at: at.to_owned(), variables, words, output: String::new() };
        Some(command).filter(|command| !command.words.is_empty())
    }

    /// The words from `start` on.
    pub fn rest(&self, start: usize) -> Vec<&str> {
        self.words.iter().skip(start).map(String::as_str).collect()
    }

    /// `cargo run ... --example NAME ... -- FLAGS`, or `cargo xtask run NAME -- FLAGS`: the name and the flags. Without
    /// an example, the name of its package, unless that is an exercise.
    pub fn example(&self) -> Option<(&str, Vec<&str>)> {
        let name = match self.rest(0)[..] {
            ["cargo", "run", ..] => {
                let after = |flag| {
                    let at = self.words.iter().position(|word| word == flag)?;
                    self.words.get(at + 1)
                };
                let program = || after("-p").filter(|package| !package.starts_with("ex_"));
                after("--example").or_else(program)?
            }
            ["cargo", "xtask", "run", ..] => self.words.get(3)?,
            _ => return None,
        };
        let flags = self.words.iter().position(|word| word == "--");
        let flags = flags.map(|at| self.rest(at + 1)).unwrap_or_default();
        Some((name, flags))
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
            let command = Command::of(&at, typed);
            commands.push(command.unwrap_or_else(|| panic!("{at}: no command: {typed}")));
        } else if let Some(command) = commands.last_mut() {
            command.output += line;
            command.output.push('\n');
        } else {
            panic!("{at}: a console block begins with a command after `$ `, not with {line:?}");
        }
    }
    commands
}

fn take_variables(mut words: Vec<String>) -> (Vec<(String, String)>, Vec<String>) {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let count = words
        .iter()
        .take_while(|word| word.split_once('=').is_some_and(|(name, _)| is_name(name)))
        .count();
    let rest = words.split_off(count);
    let split = |word: &String| {
        word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    (words.iter().filter_map(split).collect(), rest)
}
