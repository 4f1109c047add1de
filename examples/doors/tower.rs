//! Limits as layers around a handler: `cargo run -p doors --example door_tower`
use std::convert::Infallible;
use std::time::Duration;

use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

// ANCHOR: main
#[tokio::main]
async fn main() -> Result<(), tower::BoxError> {
    let mut server = ServiceBuilder::new()
        .load_shed()
        .concurrency_limit(100)
        .timeout(Duration::from_secs(10))
        .service(service_fn(handle));
    println!("{}", server.ready().await?.call("/").await?);
    Ok(())
}

async fn handle(target: &'static str) -> Result<String, Infallible> {
    Ok(format!("the page {target}"))
}
// ANCHOR_END: main
