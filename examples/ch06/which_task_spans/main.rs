//! Each request in a span: `cargo run --example which_task_spans -p which_task_spans`
use tokio::task::JoinSet;
use tracing::{Instrument, info_span};
use tracing_subscriber::fmt::format::FmtSpan;
use which_task::{client, dearest, newsletter, presents, receipt, total};

#[tokio::main(worker_threads = 1)]
async fn main() {
    // `()`: no time of day before each line.
    let lines = tracing_subscriber::fmt().with_timer(()).with_target(false);
    lines.with_span_events(FmtSpan::CLOSE).init();
    let mut clients = JoinSet::new();
    clients.spawn(client("total", || total().instrument(info_span!("total"))));
    clients.spawn(client("dearest", || dearest().instrument(info_span!("dearest"))));
    clients.spawn(client("receipt", || receipt().instrument(info_span!("receipt"))));
    clients.spawn(client("newsletter", || newsletter().instrument(info_span!("newsletter"))));
    clients.spawn(client("presents", || presents().instrument(info_span!("presents"))));
    clients.join_all().await;
}
