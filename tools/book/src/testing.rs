//! Helpers for several tests of this crate.

use std::{fs, path::Path};

use tempfile::TempDir;

/// The settings of a small book.
pub(crate) const SETTINGS: &str = "[book]\ntitle = \"T\"\nsrc = \"book\"\n[build]\nbuild-dir = \"target/book\"\n\
                                   create-missing = false\n[output.html]\n";

/// Writes files below a folder.
pub(crate) fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A list of exercises, which every repository has.
const EXERCISES: &str = "[[exercise]]\nname = \"one\"\nchapter = \"a\"\ntitle = \"One\"\nminutes = 1\n\
                         kind = \"write\"\nidea = \"One thing.\"\n";

/// Makes a repository whose book has this page alone.
pub(crate) fn repository(page: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let summary = ("book/SUMMARY.md", "- [A](a.md)\n");
    let exercises = ("exercises/exercises.toml", EXERCISES);
    write(folder.path(), &[("book.toml", SETTINGS), summary, exercises, ("book/a.md", page)]);
    folder
}

/// Makes a built book in the folder `out`, and other files beside it.
pub(crate) fn built() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("out/index.html", "<html><body>start</body></html>"),
            ("out/404.html", "<html><body>not here</body></html>"),
            ("out/sub/index.html", "<html><body>sub</body></html>"),
            ("out/book.css", "p {}"),
            ("secret.txt", "secret"),
            ("out-of-it/secret.txt", "secret"),
        ],
    );
    folder
}
