//! At which moments the requests of an open loop are due.

use std::time::Duration;

/// How the requests of an open loop are spread over the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// At equal distances.
    Even,
    /// At random, as from many clients that know nothing of each other: a Poisson process. The seed fixes the moments.
    Poisson { seed: u64 },
}

/// When each request is due, from the start.
#[derive(Debug)]
pub enum Moments {
    /// At equal distances, so many a second.
    Even { rate: f64 },
    /// At these moments, in their order.
    Poisson(Vec<Duration>),
}

impl Moments {
    /// The moments at this rate, in requests per second, within this time.
    pub fn new(arrivals: Arrivals, rate: f64, within: Duration) -> Moments {
        match arrivals {
            Arrivals::Even => Moments::Even { rate },
            Arrivals::Poisson { seed } => Moments::Poisson(poisson(seed, rate, within)),
        }
    }

    /// When request `number` is due.
    pub fn due(&self, number: u64) -> Duration {
        match self {
            // From the start and not from the request before, so that no error adds up.
            Moments::Even { rate } => Duration::from_secs_f64(number as f64 / rate),
            Moments::Poisson(moments) => moments[number as usize],
        }
    }

    /// How many requests are due before this time is over.
    pub fn count_within(&self, time: Duration) -> u64 {
        match self {
            // The small number keeps 0.1 s * 30/s = 3.0000000000000004 from being four requests.
            Moments::Even { rate } => (time.as_secs_f64() * rate - 1e-9).ceil() as u64,
            Moments::Poisson(moments) => moments.partition_point(|moment| *moment < time) as u64,
        }
    }
}

/// The moments of a Poisson process: the distances between them are exponentially distributed, with a mean of 1 / rate.
fn poisson(seed: u64, rate: f64, within: Duration) -> Vec<Duration> {
    let mut random = fastrand::Rng::with_seed(seed);
    let end = within.as_secs_f64();
    let mut moments = Vec::new();
    let mut moment = 0.0;
    loop {
        // `f64` gives at least 0 and less than 1, so the logarithm is that of more than 0.
        moment -= (1.0 - random.f64()).ln() / rate;
        if moment >= end {
            return moments;
        }
        moments.push(Duration::from_secs_f64(moment));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn poisson(seed: u64) -> Vec<f64> {
        let moments = Moments::new(Arrivals::Poisson { seed }, 1000.0, MINUTE);
        let count = moments.count_within(MINUTE);
        (0..count).map(|number| moments.due(number).as_secs_f64()).collect()
    }

    #[test]
    fn even_moments_have_equal_distances() {
        let moments = Moments::new(Arrivals::Even, 200.0, MINUTE);
        assert_eq!(moments.due(0), Duration::ZERO);
        assert_eq!(moments.due(1), Duration::from_millis(5));
        // No error adds up, also where the distance is no round number.
        assert_eq!(Moments::Even { rate: 3.0 }.due(1800), 10 * MINUTE);
    }

    #[test]
    fn what_is_due_at_the_end_does_not_count() {
        for (rate, seconds, count) in
            [(200.0, 10.0, 2000), (30.0, 0.1, 3), (3.0, 0.5, 2), (0.5, 1.0, 1)]
        {
            let within = Duration::from_secs_f64(seconds);
            let moments = Moments::new(Arrivals::Even, rate, within);
            assert_eq!(moments.count_within(within), count, "{rate}/s for {seconds} s");
        }
    }

    /// Of exponentially distributed distances the mean is 1 / rate, the deviation is as much, and 1 - 1/e are shorter.
    #[test]
    fn random_moments_are_those_of_a_poisson_process() {
        let moments = poisson(1);
        assert!(moments.is_sorted() && moments.last() < Some(&60.0));
        let distances: Vec<f64> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let count = distances.len() as f64;
        let mean = distances.iter().sum::<f64>() / count;
        let squares = distances.iter().map(|distance| (distance - mean).powi(2)).sum::<f64>();
        let deviation = (squares / count).sqrt();
        let shorter = distances.iter().filter(|distance| **distance < mean).count() as f64 / count;
        // 60,000 distances: a hundredth is more than two deviations of each of these three.
        assert!((mean * 1000.0 - 1.0).abs() < 0.01, "a mean of {mean} s");
        assert!(
            (deviation / mean - 1.0).abs() < 0.02,
            "a coefficient of variation of {deviation} / {mean}"
        );
        assert!((shorter - (1.0 - (-1.0_f64).exp())).abs() < 0.01, "{shorter} are shorter");
    }

    #[test]
    fn the_seed_fixes_the_moments() {
        assert_eq!(poisson(7), poisson(7));
        assert_ne!(poisson(7), poisson(8));
        let moments = Moments::new(Arrivals::Poisson { seed: 7 }, 1000.0, MINUTE);
        assert!(moments.count_within(MINUTE / 2) < moments.count_within(MINUTE));
    }
}
