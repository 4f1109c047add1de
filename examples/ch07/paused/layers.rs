//! Does a deadline count the wait for a permit? With tower's layers that depends on how they are put together.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::sleep;
use tower::limit::ConcurrencyLimitLayer;
use tower::timeout::TimeoutLayer;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

const WORK: Duration = Duration::from_millis(80);
const DEADLINE: Duration = Duration::from_millis(100);

async fn handle(_request: u32) -> Result<&'static str, Infallible> {
    sleep(WORK).await;
    Ok("done")
}

/// Two requests at the same time, to a service that works for one.
async fn two<S>(service: S) -> [bool; 2]
where
    S: Service<u32, Response = &'static str, Error = BoxError> + Clone,
{
    let (first, second) = tokio::join!(service.clone().oneshot(1), service.oneshot(2));
    [first.is_ok(), second.is_ok()]
}

#[tokio::test(start_paused = true)]
async fn in_one_builder_a_deadline_does_not_count_the_wait_for_a_permit() {
    let outside = ServiceBuilder::new()
        .layer(TimeoutLayer::new(DEADLINE))
        .layer(ConcurrencyLimitLayer::new(1))
        .service(service_fn(handle));
    assert_eq!(two(outside).await, [true, true]);
    let inside = ServiceBuilder::new()
        .layer(ConcurrencyLimitLayer::new(1))
        .layer(TimeoutLayer::new(DEADLINE))
        .service(service_fn(handle));
    assert_eq!(two(inside).await, [true, true]);
}

/// As in axum's router, where each call of `.layer` wraps what is always ready, and waits inside its call.
#[tokio::test(start_paused = true)]
async fn with_a_call_of_layer_for_each_the_outer_deadline_counts_it() {
    let limited =
        ServiceBuilder::new().layer(ConcurrencyLimitLayer::new(1)).service(service_fn(handle));
    let route = service_fn(move |request| limited.clone().oneshot(request));
    let outer = ServiceBuilder::new().layer(TimeoutLayer::new(DEADLINE)).service(route);
    assert_eq!(two(outer).await, [true, false]);
}
