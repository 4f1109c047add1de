//! What a page shows of the stored experiments: charts, tables, and figures in sentences.
//!
//! Figures in sentences are always the book's. In charts and tables the reader's own may be next to them.

mod block;
mod chart;
mod commands;
mod figures;
mod guess;
mod sessions;
mod several;
mod table;
mod verdicts;

pub use self::{
    block::experiment,
    chart::chart,
    commands::raw,
    figures::{Figures, Pair},
    guess::guess,
    sessions::sessions,
    several::{costs, factors},
};
pub(crate) use self::{chart::figure, commands::repeat, table::ensure_few, verdicts::verdicts};
pub use crate::sets::Evidence;
