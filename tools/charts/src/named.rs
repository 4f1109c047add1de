//! Names a row or a line, and chooses the colour in which it is drawn.

use records::{
    description::{Experiment, Variant},
    servers::{Kind, Server},
};

/// A row or a line: its words, and the server that it measures, if it measures one.
#[derive(Clone)]
pub struct Named {
    pub words: String,
    pub server: Option<&'static Server>,
    /// Whether the title is about it. The others are grey, and their lines have no label.
    pub is_shown: bool,
}

impl Named {
    /// Names a variant. A server gets the short name that stands beside its sign.
    pub fn of(experiment: &Experiment, variant: &Variant, name: &str) -> Named {
        let mut setup = variant.own.over(&experiment.common);
        // A program measures the server that its variant is named by, and may have another built before.
        if setup.program.is_some() {
            setup.server = setup.server.filter(|server| name.starts_with(server));
        }
        let server = setup.server.as_deref().and_then(Server::named);
        let rest = setup.server.as_deref().and_then(|server| name.strip_prefix(server));
        let words = match (server, rest) {
            (Some(server), Some(rest)) => server.called.clone() + rest,
            _ => name.to_owned(),
        };
        let shown = &experiment.chart.shown;
        let is_shown = shown.is_empty() || shown.iter().any(|it| it == name);
        Named { words, server, is_shown }
    }

    /// Returns the colour of its server, if that has one.
    pub fn colour(&self) -> Option<&'static str> {
        self.server?.colour.as_deref()
    }

    /// Writes the class of an element in its colour.
    pub fn class(&self, what: &str) -> String {
        match (self.is_shown, self.colour()) {
            (false, _) => format!("{what} grey"),
            (true, Some(colour)) => format!("{what} of-{colour}"),
            (true, None) => what.to_owned(),
        }
    }

    /// Returns the server whose sign stands before the words: one of the ladder. Others have their name alone.
    pub fn signed(&self) -> Option<&'static Server> {
        self.server.filter(|server| server.kind == Kind::Rung)
    }
}
