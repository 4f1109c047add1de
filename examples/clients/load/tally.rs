//! What the clients have seen, counted.

use std::{
    ops::AddAssign,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use hdrhistogram::Histogram;

use crate::client::{Counts, Failure};

/// The longest time that the histograms hold: an hour, in microseconds. What took longer counts as that.
const LONGEST: u64 = 3_600_000_000;

/// How a request ended.
#[derive(Debug)]
pub enum Outcome {
    /// With a whole answer.
    Answered {
        /// Its status.
        status: u16,
        /// Whether it came after the time was over.
        late: bool,
    },
    /// With an error.
    Failed(Failure),
    /// The client gave it up.
    TimedOut,
    /// It was still waiting when the run was over.
    Unanswered,
}

// ANCHOR: tally
/// Counts of requests and connections, and the latency of each request.
pub struct Tally {
    /// Whole answers within the time.
    pub answered: u64,
    /// Whole answers after the time.
    pub late: u64,
    /// Requests that were still waiting at the end.
    pub unanswered: u64,
    /// Requests that failed because no connection could be opened.
    pub connect_errors: u64,
    /// Requests that could not be sent.
    pub write_errors: u64,
    /// Requests whose answer did not come whole.
    pub read_errors: u64,
    /// Requests that were given up.
    pub timeouts: u64,
    /// Answers with a status other than 200 to 299, whenever they came.
    pub non_2xx: u64,
    /// How long an answer may take to be in time; `None` if that is not asked.
    limit: Option<Duration>,
    /// Whole answers within the time that have the status 200 and took no longer than the limit.
    pub in_time: u64,
    /// Connections, requests sent, and bytes received.
    pub counts: Counts,
    /// How long the slowest whole answer took.
    pub slowest_answer: Duration,
    /// An error, in words: the first that any of the tallies has seen.
    pub first_error: Option<String>,
    /// How long requests took, in microseconds. Requests that were given up or left unanswered have
    /// taken at least as long as they had waited; failed requests are not in it.
    pub latency: Histogram<u64>,
}
// ANCHOR_END: tally

impl Tally {
    fn new(limit: Option<Duration>) -> Tally {
        let latency = Histogram::new_with_bounds(1, LONGEST, 3);
        Tally {
            answered: 0,
            late: 0,
            unanswered: 0,
            connect_errors: 0,
            write_errors: 0,
            read_errors: 0,
            timeouts: 0,
            non_2xx: 0,
            limit,
            in_time: 0,
            counts: Counts::default(),
            slowest_answer: Duration::ZERO,
            first_error: None,
            latency: latency.expect("the bounds are valid"),
        }
    }

    // ANCHOR: add
    /// Counts one request that ended `waited` after it was due.
    pub fn add(&mut self, outcome: Outcome, waited: Duration, counts: Counts) {
        self.counts += counts;
        match outcome {
            Outcome::Answered { status, late } => {
                *(if late { &mut self.late } else { &mut self.answered }) += 1;
                self.non_2xx += u64::from(!(200..300).contains(&status));
                let is_quick = self.limit.is_some_and(|limit| waited <= limit);
                self.in_time += u64::from(is_quick && status == 200 && !late);
                self.slowest_answer = self.slowest_answer.max(waited);
            }
            Outcome::Unanswered => self.unanswered += 1,
            Outcome::TimedOut => self.timeouts += 1,
            Outcome::Failed(failure) => return self.add_failure(failure),
        }
        self.add_latency(waited);
    }
    // ANCHOR_END: add

    /// Counts a time without a request, of one that was never sent.
    pub fn add_latency(&mut self, waited: Duration) {
        self.latency.saturating_record(u64::try_from(waited.as_micros()).unwrap_or(LONGEST));
    }

    fn add_failure(&mut self, failure: Failure) {
        let (counter, kind, error) = match failure {
            Failure::Connect(error) => (&mut self.connect_errors, "connect", error),
            Failure::Write(error) => (&mut self.write_errors, "write", error),
            Failure::Read(error) => (&mut self.read_errors, "read", error),
        };
        *counter += 1;
        self.first_error.get_or_insert_with(|| format!("{kind}: {error}"));
    }

    /// Errors of all four kinds.
    pub fn errors(&self) -> u64 {
        self.connect_errors + self.write_errors + self.read_errors + self.timeouts
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.opened += other.opened;
        self.sent += other.sent;
        self.received += other.received;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.answered += other.answered;
        self.late += other.late;
        self.unanswered += other.unanswered;
        self.connect_errors += other.connect_errors;
        self.write_errors += other.write_errors;
        self.read_errors += other.read_errors;
        self.timeouts += other.timeouts;
        self.non_2xx += other.non_2xx;
        self.in_time += other.in_time;
        self.counts += other.counts;
        self.slowest_answer = self.slowest_answer.max(other.slowest_answer);
        self.first_error = self.first_error.take().or(other.first_error);
        self.latency.add(other.latency).expect("all histograms have the same bounds");
    }
}

// ANCHOR: tallies
/// A tally for each hardware thread. The clients share them out, and the end adds them up.
///
/// One for all would be a lock that all clients want. One for each client would be a histogram of
/// 200 KB for each of ten thousand.
pub struct Tallies {
    shares: Vec<Mutex<Tally>>,
    /// How long an answer may take to be in time.
    limit: Option<Duration>,
}

impl Tallies {
    /// Empty tallies, which count as in time what was answered within the limit.
    pub fn new(limit: Option<Duration>) -> Tallies {
        let shares = thread::available_parallelism().map_or(1, usize::from);
        let shares = (0..shares).map(|_| Mutex::new(Tally::new(limit))).collect();
        Tallies { shares, limit }
    }

    /// The one of this client. Never held across an `.await`.
    pub fn of(&self, client: usize) -> MutexGuard<'_, Tally> {
        let share = &self.shares[client % self.shares.len()];
        share.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them in one. Afterwards they are empty.
    pub fn sum(&self) -> Tally {
        let mut sum = Tally::new(self.limit);
        for share in 0..self.shares.len() {
            sum += std::mem::replace(&mut *self.of(share), Tally::new(self.limit));
        }
        sum
    }
}
// ANCHOR_END: tallies

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Counts so many answers that took so many microseconds each.
    fn answered(tally: &mut Tally, count: u64, microseconds: u64) {
        for _ in 0..count {
            let outcome = Outcome::Answered { status: 200, late: false };
            tally.add(outcome, Duration::from_micros(microseconds), Counts::default());
        }
    }

    #[test]
    fn percentiles_cannot_be_averaged_and_histograms_can_be_added() {
        let mut many = Tally::new(None);
        let mut few = Tally::new(None);
        answered(&mut many, 990, 1_000);
        answered(&mut few, 10, 1_000_000);
        let p99 = |tally: &Tally| tally.latency.value_at_quantile(0.99);
        let about = |value: u64, expected: u64| value.abs_diff(expected) <= expected / 1000;
        assert!(about((p99(&many) + p99(&few)) / 2, 500_500));
        many += few;
        assert!(about(p99(&many), 1_000), "{}", p99(&many));
        assert_eq!(many.answered, 1000);
    }

    /// The page has the size of a histogram.
    #[test]
    fn a_histogram_has_one_size() {
        assert_eq!(Tally::new(None).latency.distinct_values(), 23_552);
    }

    /// The histogram takes both of these times for the same.
    const LIMIT: Duration = Duration::from_micros(100_000);
    const JUST_OVER: Duration = Duration::from_micros(100_001);

    /// Counts what is in time of an answer like this, and of three requests without one that waited as long.
    fn in_time(limit: Option<Duration>, status: u16, late: bool, waited: Duration) -> u64 {
        let mut tally = Tally::new(limit);
        let ended = io::Error::new(io::ErrorKind::UnexpectedEof, "it ended");
        let outcomes = [
            Outcome::Answered { status, late },
            Outcome::Failed(Failure::Read(ended)),
            Outcome::TimedOut,
            Outcome::Unanswered,
        ];
        for outcome in outcomes {
            tally.add(outcome, waited, Counts::default());
        }
        let mut sum = Tally::new(limit);
        sum += tally;
        sum.in_time
    }

    #[test]
    fn in_time_is_a_200_before_the_end_that_took_no_longer_than_the_limit() {
        assert_eq!(in_time(Some(LIMIT), 200, false, LIMIT), 1);
        assert_eq!(in_time(Some(LIMIT), 200, false, JUST_OVER), 0);
        assert_eq!(in_time(Some(LIMIT), 503, false, LIMIT), 0);
        assert_eq!(in_time(Some(LIMIT), 200, true, LIMIT), 0);
        assert_eq!(in_time(None, 200, false, LIMIT), 0);
    }

    #[test]
    fn failures_have_no_latency_and_timeouts_have() {
        let mut tally = Tally::new(None);
        let ends = || io::Error::new(io::ErrorKind::UnexpectedEof, "it ended");
        tally.add(Outcome::Failed(Failure::Read(ends())), Duration::ZERO, Counts::default());
        assert_eq!((tally.read_errors, tally.latency.len()), (1, 0));
        assert_eq!(tally.first_error.as_deref(), Some("read: it ended"));
        tally.add(Outcome::TimedOut, Duration::from_secs(30), Counts::default());
        tally.add(Outcome::Unanswered, Duration::from_secs(7200), Counts::default());
        assert_eq!((tally.timeouts, tally.unanswered, tally.latency.len()), (1, 1, 2));
        assert!(tally.latency.max() >= LONGEST);
    }
}
