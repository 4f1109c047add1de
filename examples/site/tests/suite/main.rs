//! The tests of the site, one module for each part of it. One program holds them all, so that it is linked once.

mod accept;
mod blocking;
mod common;
mod connection;
mod limits;
mod outcomes;
mod parse;
mod properties;
mod response;
mod routes;
