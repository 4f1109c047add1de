//! Helpers for the tests of several modules: the book's recordings, and assertions about texts.

use std::sync::LazyLock;

use records::{
    base::find_root,
    opening,
    recording::Recording,
    results::{Results, shown_folder},
};

static BOOKS: LazyLock<Results> =
    LazyLock::new(|| Results::read(&shown_folder(&find_root().unwrap())).unwrap());

/// The recording of a server that the book shows.
pub fn recorded(rung: &str) -> &'static Recording {
    BOOKS.recording(rung).unwrap()
}

/// The recording with which a chapter opens.
pub fn opened(name: &str) -> &'static Recording {
    BOOKS.opening(name).unwrap()
}

/// All recordings with which chapters open, by name.
pub fn openings() -> Vec<(String, &'static Recording)> {
    let names = opening::names(&find_root().unwrap()).unwrap();
    names.into_iter().map(|name| (name.clone(), opened(&name))).collect()
}

/// The recording of a program without clients.
pub fn ran(name: &str) -> &'static Recording {
    BOOKS.program(name).unwrap()
}

/// Fails unless all of these parts are in the text.
#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
}

/// Fails if one of these parts is in the text.
#[track_caller]
pub fn lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part} in:\n{text}");
    }
}
