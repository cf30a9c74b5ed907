//! The exact law of the sums that DP-SGD releases on tiny data, from the definition, without the
//! accountant.
//!
//! One record pulls by the clipping norm in each step that it is in, with probability q; noise has
//! the standard deviation σ. In units of the noise a released sum is N(0, 1) without the record,
//! and (1 − q)·N(0, 1) + q·N(μ, 1) with it, μ = 1/σ. Steps are independent, because the pull does
//! not depend on the parameter.

use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;

/// Losses within a cell of this width are taken together.
const WIDTH: f64 = 1.0 / 256.0;
/// Beyond that many standard deviations there is less than 10⁻¹⁸.
const FAR: f64 = 9.0;

/// Steps on a batch that holds the record with probability `rate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Steps {
    pub(super) rate: f64,
    pub(super) multiplier: f64,
    pub(super) steps: u16,
}

/// How likely which losses are, in cells: with the record and without it.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    with: Vec<f64>,
    without: Vec<f64>,
    /// Where the first cell begins.
    least: f64,
    /// How far a loss may lie above the beginning of its cell.
    open: f64,
}

impl Losses {
    /// A lower and an upper bound on δ(ε), over both directions of adding and removing the record,
    /// up to rounding of about 10⁻¹⁴: all losses at one end of their cells, and all at the other.
    pub(super) fn delta(&self, epsilon: f64) -> (f64, f64) {
        let profile = |masses: &[f64], loss: &dyn Fn(f64) -> f64| -> f64 {
            let places = (0u32..).map(|k| self.least + WIDTH * f64::from(k));
            masses
                .iter()
                .zip(places)
                .map(|(mass, place)| mass * -libm::expm1(epsilon - loss(place)).min(0.0))
                .sum()
        };
        let open = self.open;
        let lower = profile(&self.with, &|place| place).max(profile(&self.without, &|place| -place - open));
        let upper = profile(&self.with, &|place| place + open).max(profile(&self.without, &|place| -place));
        (lower, upper)
    }
}

/// The probability that a standard normal number is at most x.
pub(super) fn below(x: f64) -> f64 {
    upper_tail(Enclosure::point(-x)).hi()
}

impl Steps {
    /// The losses of all released sums together.
    pub(super) fn losses(&self) -> Losses {
        let cells = self.cells();
        let convolved = |mass: fn(&(f64, f64)) -> f64| {
            let masses: Vec<f64> = cells.iter().map(mass).collect();
            (1..self.steps).fold(masses.clone(), |sum, _| {
                let mut next = vec![0.0; sum.len() + masses.len() - 1];
                for (i, a) in sum.iter().enumerate().filter(|(_, a)| **a > 1e-20) {
                    next[i..].iter_mut().zip(&masses).for_each(|(next, b)| *next += a * b);
                }
                next
            })
        };
        let steps = f64::from(self.steps);
        Losses {
            with: convolved(|cell| cell.0),
            without: convolved(|cell| cell.1),
            least: steps * Self::cell(libm::log1p(-self.rate)) * WIDTH,
            open: steps * WIDTH,
        }
    }

    fn cell(loss: f64) -> f64 {
        libm::floor(loss / WIDTH)
    }

    /// The mass of each cell of losses of one step, with the record and without it, from the
    /// smallest loss on.
    fn cells(&self) -> Vec<(f64, f64)> {
        let (q, mu) = (self.rate, 1.0 / self.multiplier);
        // The loss ln(1 − q + q·e^(μx − μ²/2)) grows with x.
        let loss = |x: f64| libm::log1p(q * libm::expm1(mu * x - 0.5 * mu * mu));
        let x_of = |loss: f64| {
            let share = (libm::expm1(loss) + q) / q;
            if share <= 0.0 { -FAR } else { ((libm::log(share) + 0.5 * mu * mu) / mu).clamp(-FAR, FAR + mu) }
        };
        let (first, last) = (Self::cell(libm::log1p(-q)), Self::cell(loss(FAR + mu)));
        let mut masses = vec![];
        let (mut k, mut left) = (first, -FAR);
        while k <= last {
            let right = x_of((k + 1.0) * WIDTH).max(left);
            let (without, record) = (below(right) - below(left), below(right - mu) - below(left - mu));
            masses.push(((1.0 - q) * without + q * record, without));
            (k, left) = (k + 1.0, right);
        }
        masses
    }

    /// δ(ε) of the last parameter alone, in both directions: the sum of all released sums, whose
    /// likelihood ratio grows with it.
    pub(super) fn delta_of_the_last(&self, epsilon: f64) -> f64 {
        let (spread, shift) = (f64::from(self.steps).sqrt(), 1.0 / self.multiplier);
        let above = |x: f64, with: bool| -> f64 {
            let visits = if with { self.visits() } else { vec![1.0] };
            let shifts = (0u32..).map(|k| f64::from(k) * shift);
            visits.iter().zip(shifts).map(|(weight, by)| weight * below((by - x) / spread)).sum()
        };
        let ratio = |x: f64| {
            let (variance, shifts) = (spread * spread, (0u32..).map(|k| f64::from(k) * shift));
            let terms = self.visits().into_iter().zip(shifts);
            libm::log(terms.map(|(weight, by)| weight * libm::exp((by * x - 0.5 * by * by) / variance)).sum())
        };
        // Where the loss is ε, by bisection; any other place would give a smaller value.
        let place = |loss: f64| {
            let (mut low, mut high) = (-60.0 * spread, 60.0 * spread);
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if ratio(middle) < loss { low = middle } else { high = middle }
            }
            0.5 * (low + high)
        };
        let growth = libm::exp(epsilon);
        let (high, low) = (place(epsilon), place(-epsilon));
        let with = above(high, true) - growth * above(high, false);
        let without = (1.0 - above(low, false)) - growth * (1.0 - above(low, true));
        with.max(without).max(0.0)
    }

    /// The probabilities with which the record is in 0, 1, … of the batches.
    fn visits(&self) -> Vec<f64> {
        (0..self.steps).fold(vec![1.0], |visits, _| {
            let mut next = vec![0.0; visits.len() + 1];
            for (k, p) in visits.iter().enumerate() {
                next[k] += p * (1.0 - self.rate);
                next[k + 1] += p * self.rate;
            }
            next
        })
    }

    /// The probability that the last parameter is at most x, for records that pull up and records
    /// that pull down, in units of the clipping norm over the expected batch.
    pub(super) fn last_at_most(&self, x: f64, up: u16, down: u16) -> f64 {
        let of = |records: u16| Self { steps: records * self.steps, ..*self }.visits();
        let (ups, downs) = (of(up), of(down));
        let spread = self.multiplier * f64::from(self.steps).sqrt();
        let mut total = 0.0;
        for (a, p) in (0u32..).zip(&ups) {
            for (b, q) in (0u32..).zip(&downs) {
                total += p * q * below((x - f64::from(a) + f64::from(b)) / spread);
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_on_all_records_is_the_gaussian_mechanism() {
        let steps = Steps { rate: 1.0 - 1e-12, multiplier: 1.0, steps: 1 };
        // δ(1) of μ = 1 is 0.12693…
        let (lower, upper) = steps.losses().delta(1.0);
        assert!(lower < 0.126_937 && upper > 0.126_936 && upper - lower < 0.01, "{lower} {upper}");
        assert!((steps.delta_of_the_last(1.0) - 0.126_936_7).abs() < 1e-6);
    }

    #[test]
    fn the_last_parameter_tells_less_than_all_sums() {
        let steps = Steps { rate: 0.5, multiplier: 1.0, steps: 3 };
        for epsilon in [0.1, 0.5, 1.0, 2.0] {
            let (last, all) = (steps.delta_of_the_last(epsilon), steps.losses().delta(epsilon));
            assert!(0.0 < last && last < all.1 && all.0 < all.1, "{epsilon}: {last} {all:?}");
        }
    }

    #[test]
    fn laws_are_laws() {
        let steps = Steps { rate: 0.25, multiplier: 0.8, steps: 4 };
        let (with, without) =
            steps.cells().iter().fold((0.0, 0.0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
        assert!((with - 1.0).abs() < 1e-12 && (without - 1.0).abs() < 1e-12, "{with} {without}");
        assert!((steps.visits().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((steps.last_at_most(0.0, 1, 1) - 0.5).abs() < 1e-12);
    }
}
