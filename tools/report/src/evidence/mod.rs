//! What a page shows of the stored experiments: charts, tables, and figures in sentences.
//!
//! Figures in sentences are always the book's. In charts and tables the reader's own may be next to them.

mod block;
mod commands;
mod figures;
mod guess;
mod sessions;
mod table;
mod verdicts;

pub use self::{
    block::{chart, experiment},
    commands::raw,
    figures::{Figures, Pair},
    guess::guess,
    sessions::sessions,
};
pub(crate) use self::{
    block::figure, commands::repeat, table::ensure_may_stand_open, verdicts::verdicts,
};
pub use crate::sets::Evidence;
