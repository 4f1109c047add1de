//! What a row or a line of a chart is called, and in which colour it is drawn.

use records::{
    description::{Experiment, Variant},
    servers::Server,
};

/// How strongly it is drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Tone {
    /// In the colour of its server, if that has one.
    Plain,
    /// The title names it: in ink, where its server has no colour.
    Told,
    /// Behind those that the title names, without a colour.
    Soft,
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
        let started = variant.own.over(&experiment.common).server;
        let server = started.as_deref().and_then(Server::named);
        let rest = started.as_deref().and_then(|started| name.strip_prefix(started));
        let words = match (server, rest) {
            (Some(server), Some(rest)) => server.called.clone() + rest,
            _ => name.to_owned(),
        };
        Named { words, server, tone: Tone::Plain }
    }

    /// Whether a title names its server: by the first word of its short name, or as a rung.
    pub fn is_in(&self, title: &str) -> bool {
        let Some(server) = self.server else { return false };
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            words.filter(|word| !["", "a", "an"].contains(word)).map(str::to_lowercase).collect()
        };
        let title = words(title);
        let rung = ["rung".to_owned(), server.sign.to_lowercase()];
        words(&server.called).first().is_some_and(|name| title.contains(name))
            || title.windows(2).any(|two| two == rung)
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
