//! What a row or a line of a chart is called, and in which colour it is drawn.

use records::{
    description::{Experiment, Variant},
    servers::Server,
};

use crate::report::{sign::sign, text::plain};

/// How strongly it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tone {
    /// In the colour of its server, if that has one.
    Plain,
    /// The title names it: in ink, where its server has no colour.
    Told,
    /// Behind those that the title names, without a colour.
    Soft,
}

/// How a title names a server.
#[derive(Clone, Copy, PartialEq)]
enum Naming {
    No,
    /// By the first word of its short name, which others may share: "Java".
    First,
    /// By all words of its short name, or as a rung.
    Whole,
}

/// The words of a text that tell names apart.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !["", "a", "an"].contains(word)).map(str::to_lowercase).collect()
}

/// Which of these a title names. The first word of a name means all who share it, unless the title has the whole name of
/// one of them.
pub fn told(all: &[&Named], title: &str) -> Vec<bool> {
    let title = words(title);
    let first =
        |named: &Named| named.server.and_then(|server| words(&server.called).first().cloned());
    let has_whole = |name: &Option<String>| {
        all.iter().any(|other| first(other) == *name && other.naming(&title) == Naming::Whole)
    };
    let is_told = |named: &&Named| match named.naming(&title) {
        Naming::No => false,
        Naming::First => !has_whole(&first(named)),
        Naming::Whole => true,
    };
    all.iter().map(is_told).collect()
}

/// What the first cell of a table calls a variant, in Markdown: a server by its sign and its short name.
pub(crate) fn in_table(experiment: &Experiment, name: &str) -> String {
    let variant = experiment.variant(name);
    let started = variant.and_then(|it| it.own.over(&experiment.common).server);
    match variant.zip(started) {
        Some((variant, started)) if name.starts_with(&started) => {
            let Named { words, server, .. } = Named::of(experiment, variant, name);
            server.map(sign).unwrap_or_default() + &plain(&words)
        }
        _ => plain(name),
    }
}

/// A row or a line: its words, and the server that it measures, if it measures one.
#[derive(Clone)]
pub struct Named {
    pub words: String,
    pub server: Option<&'static Server>,
    pub tone: Tone,
}

impl Named {
    /// What a variant measures, under this name. A server has the short name of its sign.
    pub fn of(experiment: &Experiment, variant: &Variant, name: &str) -> Named {
        let setup = variant.own.over(&experiment.common);
        // A program measures the server that it is called by, and may have another built before.
        let is_of = |server: &String| setup.program.is_none() || name.starts_with(server.as_str());
        let started = setup.server.filter(is_of);
        let server = started.as_deref().and_then(Server::named);
        let rest = started.as_deref().and_then(|started| name.strip_prefix(started));
        let words = match (server, rest) {
            (Some(server), Some(rest)) => server.called.clone() + rest,
            _ => name.to_owned(),
        };
        Named { words, server, tone: Tone::Plain }
    }

    /// How a title, in words, names its server.
    fn naming(&self, title: &[String]) -> Naming {
        let Some(server) = self.server else { return Naming::No };
        let rung = ["rung".to_owned(), server.sign.to_lowercase()];
        let name = words(&server.called);
        if name.iter().all(|word| title.contains(word)) || title.windows(2).any(|two| two == rung) {
            Naming::Whole
        } else if name.first().is_some_and(|word| title.contains(word)) {
            Naming::First
        } else {
            Naming::No
        }
    }

    pub fn colour(&self) -> Option<&'static str> {
        self.server?.colour.as_deref()
    }

    /// The class of something in its colour, and whether that is the reader's own.
    pub fn class(&self, what: &str, is_yours: bool) -> String {
        let of = match (self.tone, self.colour()) {
            (Tone::Plain | Tone::Told, Some(colour)) => format!(" of-{colour}"),
            (Tone::Told, None) => " in-ink".to_owned(),
            (Tone::Soft, _) | (Tone::Plain, None) => String::new(),
        };
        format!("{what}{of}{}", if is_yours { " yours" } else { "" })
    }
}
