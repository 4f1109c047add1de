//! A server as hyper's guide begins, without a limit: `cargo run --package hyper_site --example hyper_tutorial`
use std::{convert::Infallible, io};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

async fn hello(_request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from("hello\n")))
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let port: u16 = std::env::var("PORT").map_or(8080, |port| port.parse().expect("a port"));
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            let connection =
                http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(hello));
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
    }
}
