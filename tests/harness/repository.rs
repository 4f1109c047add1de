//! The repository as files, and copies of its book.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// The repository's root: from the current folder upwards, because cargo starts a test in its package's folder. The
/// repository may have been moved since this was compiled.
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let here = env::current_dir().expect("there is a current folder");
        let root = here.ancestors().find(|folder| folder.join("book.toml").is_file());
        root.expect("a test runs inside the repository").to_path_buf()
    });
    &ROOT
}

/// All files below a folder, in order, without those of other tools, and without what `tools/release.sh` adds.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let others = ["target", "node_modules", ".git", "vendor", "the-book"];
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        // The folder itself may lie in one of that name.
        .filter_entry(|entry| {
            entry.depth() == 0 || !others.iter().any(|it| entry.file_name() == *it)
        })
        .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")))
        .filter(|entry| !entry.file_type().is_dir())
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// Copies a folder with all its files, but for those of other tools.
fn copy_folder(from: &Path, to: &Path) {
    for file in files_below(from) {
        let to = to.join(file.strip_prefix(from).expect("it is below"));
        fs::create_dir_all(to.parent().expect("it lies in a folder"))
            .expect("a folder can be made");
        fs::copy(&file, &to).expect("a file can be copied");
    }
}

/// What is put in the place of the three dots in the settings that name a published book's places.
const PLACES: [(&str, &str); 3] = [
    ("git-repository-url", "example.org/someone/one-thread"),
    ("edit-url-template", "example.org/someone/one-thread"),
    ("site-url", "someone.example.org/book"),
];

/// Copies the book as somebody publishes it: with the three lines of `book.toml` that name its places, which there are
/// comments.
///
/// # Panics
/// When one of the lines is not there.
pub fn copy_published_book(to: &Path) {
    copy_book(to);
    let file = to.join("book.toml");
    let mut settings = fs::read_to_string(&file).expect("it is there");
    for (name, place) in PLACES {
        let commented = format!("\n# {name} = \"https://…");
        assert_eq!(settings.matches(&commented).count(), 1, "{name} stands in a comment");
        settings = settings.replace(&commented, &format!("\n{name} = \"https://{place}"));
    }
    fs::write(&file, settings).expect("it can be written");
}

/// Copies what a build of the book needs: its pages, its settings, the sources that it quotes.
pub fn copy_book(to: &Path) {
    for part in ["book", "examples", "exercises", "measurements"] {
        copy_folder(&root().join(part), &to.join(part));
    }
    for file in ["book.toml", "Cargo.toml", "Cargo.lock", "README.md"] {
        fs::copy(root().join(file), to.join(file)).expect("a file can be copied");
    }
}
