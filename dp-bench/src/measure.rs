//! Times taken side by side.
//!
//! Ours, the floor and the peer take turns, each for some milliseconds, so that a busy moment falls
//! on all of them. Medians count: of the times of each, and of the ratios of times that were taken
//! in the same turn.

use core::time::Duration;
use std::time::Instant;

use serde::Serialize;

use crate::{Area, Limits, Row, Work};

/// How long to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// A work that is quicker than this is repeated until it takes as long.
    pub turn: Duration,
    /// The most turns of a row.
    pub turns: usize,
    /// No new turn begins after so long, if there were three.
    pub row: Duration,
}

impl Effort {
    /// A few minutes for all rows.
    pub const USUAL: Self =
        Self { turn: Duration::from_millis(5), turns: 41, row: Duration::from_millis(6000) };
    /// About a minute for all rows.
    pub const QUICK: Self =
        Self { turn: Duration::from_millis(2), turns: 11, row: Duration::from_millis(700) };
}

const FEWEST_TURNS: usize = 3;

/// A row that was measured. Times are nanoseconds for each unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Where it belongs.
    pub area: Area,
    /// What was done.
    pub name: String,
    /// What a time is the time of.
    pub unit: &'static str,
    /// Our time.
    pub ours_ns: f64,
    /// Half of the turns lie within this share of it.
    pub ours_spread: f64,
    /// What the floor is.
    pub floor: Option<&'static str>,
    /// Its time.
    pub floor_ns: Option<f64>,
    /// Our time in floors.
    pub ratio_floor: Option<f64>,
    /// Half of the turns lie within this share of the ratio.
    pub ratio_spread: Option<f64>,
    /// Who the peer is.
    pub peer: Option<&'static str>,
    /// Its time.
    pub peer_ns: Option<f64>,
    /// How many times faster ours is.
    pub ratio_peer: Option<f64>,
    /// What is asked of the row.
    pub limits: Limits,
}

/// Measures a row.
#[must_use]
pub fn measure(row: Row, effort: Effort) -> Measured {
    let (floor_name, floor) = row.floor.map_or((None, None), |(name, make)| (Some(name), Some(make())));
    let (peer_name, peer) = row.peer.map_or((None, None), |(name, work)| (Some(name), Some(work)));
    let works = [Some((row.ours)()), floor, peer];
    let [ours, floor, peer] = side_by_side(works, effort);
    let ours = ours.unwrap_or_default();
    let ratios = floor.as_ref().map(|floor| quotients(&ours, floor));
    let peer_ratios = peer.as_ref().map(|peer| quotients(peer, &ours));
    let middle = |times: &Option<Vec<f64>>| times.as_ref().map(|times| median(times));
    Measured {
        area: row.area,
        name: row.name,
        unit: row.unit,
        ours_ns: median(&ours),
        ours_spread: spread(&ours),
        floor: floor_name,
        floor_ns: middle(&floor),
        ratio_floor: middle(&ratios),
        ratio_spread: ratios.as_ref().map(|ratios| spread(ratios)),
        peer: peer_name,
        peer_ns: middle(&peer),
        ratio_peer: middle(&peer_ratios),
        limits: row.limits,
    }
}

/// Our nanoseconds for each value, without a floor.
#[must_use]
pub fn time(work: Work, effort: Effort) -> f64 {
    let [ours] = side_by_side([Some(work)], effort);
    median(&ours.unwrap_or_default())
}

/// Nanoseconds for each value, of each work in each turn.
fn side_by_side<const N: usize>(works: [Option<Work>; N], effort: Effort) -> [Option<Vec<f64>>; N] {
    // The first run warms caches up, and says how many runs make a turn.
    let mut works = works.map(|work| {
        work.map(|mut work| {
            work.run();
            let once = work.time(1).max(Duration::from_nanos(1));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 10⁶")]
            let runs = (effort.turn.as_secs_f64() / once.as_secs_f64()).clamp(1.0, 1e6) as u32;
            (work, runs, Vec::new())
        })
    });
    let start = Instant::now();
    for turn in 0..effort.turns {
        if turn >= FEWEST_TURNS && start.elapsed() > effort.row {
            break;
        }
        for (work, runs, times) in works.iter_mut().flatten() {
            let values = f64::from(work.values()) * f64::from(*runs);
            times.push(work.time(*runs).as_secs_f64() * 1e9 / values);
        }
    }
    works.map(|work| work.map(|(_, _, times)| times))
}

fn quotients(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a / b).collect()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn median(values: &[f64]) -> f64 {
    sorted(values).get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Half of the distance between the quartiles, as a share of the median.
fn spread(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let at = |quarters: usize| sorted.get(sorted.len() * quarters / 4).copied().unwrap_or(f64::NAN);
    (at(3) - at(1)) / 2.0 / at(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hint::black_box;

    fn adding(values: u32) -> Work {
        Work::new(values, || _ = black_box((0..20_000u64).map(black_box).sum::<u64>()))
    }

    #[test]
    fn work_is_timed_per_value() {
        let row = Row::new(Area::Samplers, "sums", "sum", || adding(1000)).floor("more", || adding(10));
        let found = measure(row, Effort::QUICK);
        // The same work for a hundred times as many values.
        assert!(found.ratio_floor.unwrap() < 0.1 && found.ours_ns < found.floor_ns.unwrap(), "{found:?}");
        assert!(found.peer_ns.is_none() && found.ratio_peer.is_none() && found.ours_spread >= 0.0);
        assert!(time(adding(1), Effort::QUICK) > found.ours_ns);
    }

    #[test]
    fn medians_and_spreads() {
        let values = [5.0, 1.0, 3.0, 2.0, 4.0];
        assert_eq!((median(&values), spread(&values)), (3.0, (4.0 - 2.0) / 2.0 / 3.0));
        assert_eq!(quotients(&[6.0, 8.0], &[2.0, 4.0]), [3.0, 2.0]);
    }
}
