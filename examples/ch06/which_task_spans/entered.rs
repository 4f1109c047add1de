//! Wrong: each request stays in its span while it waits: `cargo run --example which_task_entered -p which_task_spans`
use tracing::info_span;
use tracing_subscriber::fmt::format::FmtSpan;
use which_task::{client, dearest, newsletter, presents, receipt, total};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // `()`: no time of day before each line.
    let lines = tracing_subscriber::fmt().with_timer(()).with_target(false);
    lines.with_span_events(FmtSpan::CLOSE).init();
    // ANCHOR: clients
    let total = client("total", || async {
        let _entered = info_span!("total").entered();
        total().await
    });
    let dearest = client("dearest", || async {
        let _entered = info_span!("dearest").entered();
        dearest().await
    });
    // ANCHOR_END: clients
    let receipt = client("receipt", || async {
        let _entered = info_span!("receipt").entered();
        receipt().await
    });
    let newsletter = client("newsletter", || async {
        let _entered = info_span!("newsletter").entered();
        newsletter().await
    });
    let presents = client("presents", || async {
        let _entered = info_span!("presents").entered();
        presents().await
    });
    // ANCHOR: join
    tokio::join!(total, dearest, receipt, newsletter, presents);
    // ANCHOR_END: join
}
