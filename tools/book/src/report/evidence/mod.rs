//! What a page shows of the stored experiments: charts, tables, and figures in sentences.
//!
//! Figures in sentences are always the book's. In charts and tables the reader's own may be next to them.

mod block;
mod by_figure;
mod commands;
mod figures;

pub use self::{
    block::chart,
    by_figure::chart_by,
    commands::raw,
    figures::{Figures, Pair},
};
pub(crate) use self::{block::figure, commands::repeat};
pub use crate::report::sets::Evidence;
