//! A server as axum's documentation begins, without a limit: `cargo run --package axum_site --example axum_tutorial`
use std::io;

use axum::{Router, routing::get};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> io::Result<()> {
    let port: u16 = std::env::var("PORT").map_or(8080, |port| port.parse().expect("a port"));
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    let router = Router::new().route("/", get(|| async { "hello\n" }));
    axum::serve(listener, router).await
}
