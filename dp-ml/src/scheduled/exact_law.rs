//! The exact distribution of a training of one parameter, from the definitions, for tests and
//! claims.
//!
//! Trainings run on a coarse lattice, where the distribution of an iterate is a list of masses. A
//! step moves each mass by rounded Laplace noise, averaged over all batches.

/// Points are multiples of STEP from −HALF·STEP to HALF·STEP; what lies beyond is clamped to the
/// ends.
pub(crate) const STEP: f64 = 1.0 / 8.0;
pub(crate) const HALF: i32 = 120;

pub(crate) fn points() -> impl Iterator<Item = f64> + Clone {
    (-HALF..=HALF).map(|k| f64::from(k) * STEP)
}

/// Batches with their probabilities.
pub type Batches = Vec<(f64, Vec<usize>)>;

/// The distribution of the next iterate, for each iterate: rows of masses.
#[must_use]
pub fn transitions(
    data: &[f64],
    batches: &Batches,
    gradient: &dyn Fn(f64, f64) -> f64,
    rate: f64,
    divisor: f64,
    scale: f64,
) -> Vec<Vec<f64>> {
    let cumulative = |t: f64| if t < 0.0 { 0.5 * t.exp() } else { 1.0 - 0.5 * (-t).exp() };
    let row = |beta: f64| {
        let mut row = vec![0.0; points().count()];
        for (probability, batch) in batches {
            let sum: f64 = batch.iter().map(|&i| gradient(beta, data[i])).sum();
            let centre = beta - rate * sum / divisor;
            let mut below = 0.0;
            for (mass, y) in row.iter_mut().zip(points()) {
                let up_to = if y >= f64::from(HALF) * STEP {
                    1.0
                } else {
                    cumulative((y + STEP / 2.0 - centre) / scale)
                };
                *mass += probability * (up_to - below);
                below = up_to;
            }
        }
        row
    };
    points().map(row).collect()
}

/// The law with all its mass at zero.
#[must_use]
pub fn at_origin() -> Vec<f64> {
    points().map(|x| f64::from(u8::from(x == 0.0))).collect()
}

/// The law after a step.
#[must_use]
pub fn carried(law: &[f64], transitions: &[Vec<f64>]) -> Vec<f64> {
    let mut next = vec![0.0; law.len()];
    for (mass, row) in law.iter().zip(transitions).filter(|(mass, _)| **mass > 0.0) {
        next.iter_mut().zip(row).for_each(|(next, p)| *next += mass * p);
    }
    next
}

/// The largest loss in either direction.
#[must_use]
pub fn loss(p: &[f64], q: &[f64]) -> f64 {
    // Masses below 1e-9 carry rounding errors of the tails' differences, which are about 1e-16.
    let pairs = p.iter().zip(q).filter(|(p, q)| **p > 1e-9 && **q > 1e-9);
    pairs.map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max)
}
