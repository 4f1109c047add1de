//! The tests of the book: its settings, its pages, what it quotes, what it tells the reader to type,
//! the results that it shows, and the repository around it.
//!
//! mdBook passes over most mistakes in silence. What the tool's own build
//! refuses is held by [`refused`](book::refused): each kind of mistake is made in
//! a copy of a small book, and the build must name it.

mod book {
    mod build;
    mod colours;
    mod commands;
    mod console;
    mod ladder;
    mod named;
    mod outside_judge;
    mod packages;
    mod page;
    mod pages;
    mod predictions;
    mod published;
    mod readme;
    mod refused;
    mod repository;
}
