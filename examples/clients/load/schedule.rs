//! When a request is due, and who may send it.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;

use crate::arrivals::Moments;

// ANCHOR: schedule
/// Tells each client when it may send its next request.
///
/// In an open loop each request is due at its moment, whatever the answers do. The queue of due
/// requests is a semaphore: a permit is a request that is due and that no client has taken.
pub struct Schedule {
    /// When each request is due; `None` in a closed loop.
    moments: Option<Moments>,
    /// From when the moments count.
    start: Instant,
    /// How long requests are due.
    duration: Duration,
    permits: Semaphore,
    /// How many requests clients have taken.
    taken: AtomicU64,
    /// When sending ended.
    stopped: OnceLock<Instant>,
}
// ANCHOR_END: schedule

impl Schedule {
    /// Lets the time begin. In an open loop, a separate thread issues the permits.
    ///
    /// It isn't a task: Tokio's timers tick once a millisecond, and many an answer takes less.
    pub fn start(moments: Option<Moments>, duration: Duration) -> Arc<Schedule> {
        let is_open = moments.is_some();
        let schedule = Arc::new(Schedule {
            moments,
            start: Instant::now(),
            duration,
            permits: Semaphore::new(0),
            taken: AtomicU64::new(0),
            stopped: OnceLock::new(),
        });
        if is_open {
            let clock = Arc::clone(&schedule);
            thread::spawn(move || clock.tick());
        }
        schedule
    }

    // ANCHOR: tick
    /// Issues a permit for each request at its moment, or immediately where that has passed.
    fn tick(&self) {
        for number in 0..self.due_within(self.duration) {
            thread::sleep(self.due(number).saturating_duration_since(Instant::now()));
            if self.is_stopped() {
                return;
            }
            self.permits.add_permits(1);
        }
    }

    /// When request `number` is due: always from the start, so that no error adds up.
    fn due(&self, number: u64) -> Instant {
        let moments = self.moments.as_ref().expect("only the requests of an open loop are due");
        self.start + moments.due(number)
    }
    // ANCHOR_END: tick

    // ANCHOR: next
    /// Waits until a request may be sent, and returns since when it is due; `None` at the end.
    pub async fn next(&self) -> Option<Instant> {
        if self.moments.is_none() {
            // Closed loop: a client that asks may send, and the request is due now.
            return (!self.is_stopped()).then(Instant::now);
        }
        // Clients get permits in the order they asked. `stop` closes the semaphore.
        self.permits.acquire().await.ok()?.forget();
        Some(self.due(self.taken.fetch_add(1, Relaxed)))
    }
    // ANCHOR_END: next

    /// Ends the sending, from now on and for all clients.
    pub fn stop(&self) {
        self.stopped.get_or_init(Instant::now);
        self.permits.close();
    }

    /// Whether [`stop`](Schedule::stop) was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.get().is_some()
    }

    /// When sending is to end.
    pub fn end(&self) -> Instant {
        self.start + self.duration
    }

    /// How long requests were sent: the duration, or less if Ctrl-C came first.
    pub fn lasted(&self) -> Duration {
        let stopped = self.stopped.get().copied().unwrap_or_else(Instant::now);
        stopped.saturating_duration_since(self.start)
    }

    /// How many requests were due before sending ended; 0 in a closed loop.
    pub fn count_due(&self) -> u64 {
        self.due_within(self.lasted().min(self.duration))
    }

    fn due_within(&self, time: Duration) -> u64 {
        self.moments.as_ref().map_or(0, |moments| moments.count_within(time))
    }

    // ANCHOR: never_sent
    /// The requests that were due and that no client has taken: how long each has been due at the end.
    pub fn never_sent(&self) -> impl Iterator<Item = Duration> {
        let end = self.start + self.lasted();
        let numbers = self.taken.load(Relaxed)..self.count_due();
        numbers.map(move |number| end.saturating_duration_since(self.due(number)))
    }
    // ANCHOR_END: never_sent
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// An open loop whose clock does not run.
    fn stopped_after(rate: f64, duration: Duration, lasted: Duration, taken: u64) -> Schedule {
        let start = Instant::now();
        Schedule {
            moments: Some(Moments::Even { rate }),
            start,
            duration,
            permits: Semaphore::new(0),
            taken: AtomicU64::new(taken),
            stopped: OnceLock::from(start + lasted),
        }
    }

    #[test]
    fn a_request_that_nobody_took_has_waited_until_the_end() {
        let schedule = stopped_after(4.0, SECOND, SECOND, 1);
        let ages = schedule.never_sent().map(|age| age.as_millis());
        assert_eq!(ages.collect::<Vec<_>>(), [750, 500, 250]);
    }

    #[test]
    fn ctrl_c_ends_what_is_due() {
        let schedule = stopped_after(4.0, SECOND, SECOND / 2, 1);
        assert_eq!(schedule.count_due(), 2);
        assert_eq!(schedule.never_sent().count(), 1);
        // A late end makes nothing due that was not asked for.
        assert_eq!(stopped_after(4.0, SECOND, 2 * SECOND, 0).count_due(), 4);
    }

    #[tokio::test]
    async fn a_client_gets_no_request_before_it_is_due() {
        let schedule = Schedule::start(Some(Moments::Even { rate: 50.0 }), SECOND);
        for number in 0..5 {
            let due = schedule.next().await.expect("five are due in a tenth of a second");
            assert_eq!(due, schedule.due(number));
            assert!(due <= Instant::now());
        }
        schedule.stop();
        assert_eq!(schedule.next().await, None);
    }

    #[tokio::test]
    async fn a_closed_loop_lets_everybody_send_until_it_ends() {
        let schedule = Schedule::start(None, SECOND);
        assert!(schedule.next().await.is_some());
        assert_eq!((schedule.count_due(), schedule.never_sent().count()), (0, 0));
        schedule.stop();
        assert_eq!(schedule.next().await, None);
    }
}
