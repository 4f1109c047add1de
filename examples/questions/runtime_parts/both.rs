//! What is measured on both runtimes.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

/// So many tasks give way to each other.
pub const TASKS: usize = 64;

const HOUR: Duration = Duration::from_secs(3600);

/// What is measured.
#[derive(Clone, Copy)]
pub enum Part {
    Queue,
    Timers,
}

/// How much of it.
#[derive(Clone, Copy)]
pub struct Plan {
    pub part: Part,
    pub polls: usize,
    pub threads: usize,
    pub waiting: usize,
}

/// Gives way so often: each time the task goes to the end of the queue.
pub async fn give_way(times: usize) {
    for _ in 0..times {
        let mut gave_way = false;
        poll_fn(|context| {
            if gave_way {
                return Poll::Ready(());
            }
            gave_way = true;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

/// Sets a timer and takes it back, as a server does that limits each read; nanoseconds for one.
pub async fn set_timers<S: Future<Output = ()>>(sleep: impl Fn(Duration) -> S, plan: Plan) -> f64 {
    let other = |number: usize| Box::pin(sleep(HOUR + Duration::from_millis(number as u64)));
    let mut others: Vec<_> = (0..plan.waiting).map(other).collect();
    poll_fn(|context| {
        assert!(others.iter_mut().all(|other| other.as_mut().poll(context).is_pending()));
        let begin = Instant::now();
        for _ in 0..plan.polls {
            // Later than all the others, as the limit that is set last is.
            assert!(pin!(sleep(2 * HOUR)).poll(context).is_pending());
        }
        Poll::Ready(begin.elapsed().as_secs_f64() * 1e9 / plan.polls as f64)
    })
    .await
}
