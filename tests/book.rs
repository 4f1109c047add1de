//! The tests of the book: its settings, its pages, what it quotes, what it tells the reader to type,
//! the results that it shows, and the repository around it.
//!
//! mdBook passes over most mistakes in silence, so what it has built is looked at.

mod book {
    mod build;
    mod commands;
    mod console;
    mod ladder;
    mod lessons;
    mod named;
    mod packages;
    mod page;
    mod pages;
    mod plain_mdbook;
    mod predictions;
    mod published;
    mod readme;
    mod repository;
    mod way;
}
