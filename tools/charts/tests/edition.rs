//! What the repository holds is what the records come to.

use std::fs;

use charts::{edition, left_over};
use records::base::find_root;

#[test]
fn the_figures_and_the_charts_are_those_of_the_records() {
    let root = find_root().unwrap();
    let files = edition(&root).unwrap();
    for (path, text) in &files {
        let committed = fs::read_to_string(path).unwrap_or_default();
        assert!(
            committed == *text,
            "{} is not what the records come to; `cargo xtask charts` writes it anew",
            path.display()
        );
    }
    assert_eq!(left_over(&root, &files).unwrap(), Vec::<std::path::PathBuf>::new());
}
