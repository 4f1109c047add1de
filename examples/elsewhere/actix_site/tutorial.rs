//! A server as actix-web's documentation begins: `cargo run --package actix_site --example actix_tutorial`
use std::io;

use actix_web::{App, HttpServer, web};

async fn hello() -> &'static str {
    "hello\n"
}

#[actix_web::main]
async fn main() -> io::Result<()> {
    let port: u16 = std::env::var("PORT").map_or(8080, |port| port.parse().expect("a port"));
    let server = HttpServer::new(|| App::new().route("/", web::get().to(hello)));
    let server = server.bind(("127.0.0.1", port))?;
    println!("listening on http://{}/", server.addrs()[0]);
    server.run().await
}
