//! Times taken side by side.

use cpu_time::ThreadTime;

use crate::Work;

/// Rounds of ours and the floor.
const ROUNDS: u32 = 60;
/// Every so many of them one of the peer, which is slower.
const PER_PEER_ROUND: u32 = 2;

/// Nanoseconds per value, of the time that the thread had a processor. Means, because some draws take a random time.
pub(crate) struct Times {
    pub(crate) ours: f64,
    pub(crate) floor: f64,
    pub(crate) peer: Option<f64>,
}

/// Runs ours and the floor in turn, and the peer now and then between them.
pub(crate) fn side_by_side(ours: &mut Work, floor: &mut Work, mut peer: Option<&mut Work>) -> Times {
    // The first run of each warms caches up and is forgotten.
    time(ours);
    time(floor);
    let (mut of_ours, mut of_floor, mut of_peer) = (0.0, 0.0, 0.0);
    for round in 0..ROUNDS {
        of_ours += time(ours) / f64::from(ROUNDS);
        of_floor += time(floor) / f64::from(ROUNDS);
        if round % PER_PEER_ROUND == 0 {
            of_peer += peer.as_deref_mut().map_or(0.0, time) * f64::from(PER_PEER_ROUND) / f64::from(ROUNDS);
        }
    }
    Times { ours: of_ours, floor: of_floor, peer: peer.map(|_| of_peer) }
}

fn time(work: &mut Work) -> f64 {
    let start = ThreadTime::now();
    work.run();
    start.elapsed().as_secs_f64() * 1e9 / f64::from(work.values())
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hint::black_box;

    #[test]
    fn work_is_timed_per_value() {
        let add = |values| Work::new(values, || _ = black_box((0..20_000u64).map(black_box).sum::<u64>()));
        let times = side_by_side(&mut add(1000), &mut add(10), Some(&mut add(1)));
        assert!(times.ours < times.floor && times.floor < times.peer.unwrap());
    }
}
