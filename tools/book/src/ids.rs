//! Makes the `id`s of the elements that we add to a page, unique in the book because one page, for printing, holds all
//! others.

use std::{cell::RefCell, collections::BTreeMap, path::Path};

/// Makes the `id`s of one page.
#[derive(Debug)]
pub(crate) struct Ids {
    page: String,
    used: RefCell<BTreeMap<String, usize>>,
}

impl Ids {
    pub(crate) fn of(path: &Path) -> Ids {
        let page = path.with_extension("").to_string_lossy().into_owned();
        let page = page.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        Ids { page, used: RefCell::default() }
    }

    /// Tells whether this is the first call with this name.
    pub(crate) fn is_first(&self, name: &str) -> bool {
        let mut used = self.used.borrow_mut();
        let count = used.entry(name.to_owned()).or_default();
        *count += 1;
        *count == 1
    }

    /// Makes an `id` with this name in it.
    pub(crate) fn next(&self, name: &str) -> String {
        let mut used = self.used.borrow_mut();
        let count = used.entry(name.to_owned()).or_default();
        *count += 1;
        // Two underscores, which no heading has in its id.
        match count {
            1 => format!("chart__{}__{name}", self.page),
            count => format!("chart__{}__{name}__{count}", self.page),
        }
    }
}
