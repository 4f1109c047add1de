//! What mdBook warns of while it builds.

use std::{
    fmt::{Debug, Write},
    mem,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::layer::{Context, Layer};

use crate::problem::Problem;

/// Collects what mdBook logs as a warning or an error.
#[derive(Clone, Default)]
pub(super) struct Warnings(Arc<Mutex<Vec<Problem>>>);

impl Warnings {
    pub(super) fn take(&self) -> Vec<Problem> {
        mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let level = *event.metadata().level();
        if level > Level::WARN {
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        let problem = Problem::of(Path::new("mdBook"), format!("{level}: {}", message.0));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
    }
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
