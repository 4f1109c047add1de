//! What a page shows of the stored experiments: charts, tables, and figures in sentences.
//!
//! Figures in sentences are always the book's. In charts and tables the reader's own may be next to them.

mod block;
mod by_figure;
mod commands;
mod figures;
mod table;

pub(crate) use self::{
    block::figure,
    commands::repeat,
    table::{ensure_may_stand_open, verdicts},
};
pub use self::{
    block::{chart, experiment},
    by_figure::chart_by,
    commands::raw,
    figures::{Figures, Pair},
};
pub use crate::report::sets::Evidence;
