//! The losses of many randomised responses, listed.

use dp_core::rounding::Enclosure;

/// Masses below this are not listed one by one.
const SMALLEST: f64 = 1e-300;

/// A finite list of losses with their masses under P, of which a part may be missing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Atoms {
    /// Losses and masses. Each is enclosed, and all masses and the missing one add up to 1.
    pub(super) list: Vec<(Enclosure, Enclosure)>,
    /// An upper bound on the mass of losses that are not listed.
    pub(super) missing: f64,
}

impl Atoms {
    /// One sure loss of 0.
    pub(super) fn nothing() -> Self {
        Self { list: vec![(Enclosure::ZERO, Enclosure::ONE)], missing: 0.0 }
    }

    /// k randomised responses that are ε-private: the loss (k−2j)ε has the mass
    /// C(k,j)·e^((k−j)ε)/(1+e^ε)^k.
    ///
    /// The masses are found from the largest one outwards, by the ratios of neighbours, and divided
    /// by their sum: no factorial is needed, and k counts through √k only. The ratios fall on the
    /// way, so that what lies beyond the last one is at most a geometric series.
    pub(super) fn responses(epsilon: f64, k: u64) -> Self {
        let [each, total] = [Enclosure::point(epsilon), count(k)];
        let grow = each.exp();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        // any start between 0 and k will do
        let start = ((k as f64 / (1.0 + grow.hi())) as u64).min(k);
        let loss = |j: u64| {
            // k − 2j as a sum of floats that may not be exact beyond 2⁵³
            (total - count(j) - count(j)) * each
        };
        let mut list = vec![(loss(start), Enclosure::ONE)];
        let mut missing = 0.0;
        // Towards fewer lies: mass(j−1) = mass(j)·j/(k−j+1)·e^ε.
        let (mut mass, mut j) = (Enclosure::ONE, start);
        while j > 0 {
            let ratio = count(j) / count(k - j + 1) * grow;
            mass = mass * ratio;
            j -= 1;
            if mass.hi() < SMALLEST && ratio.hi() < 0.9 {
                missing += 11.0 * mass.hi();
                break;
            }
            list.push((loss(j), mass));
        }
        // Towards more: mass(j+1) = mass(j)·(k−j)/(j+1)·e^−ε.
        let shrink = (-each).exp();
        let (mut mass, mut j) = (Enclosure::ONE, start);
        while j < k {
            let ratio = count(k - j) / count(j + 1) * shrink;
            mass = mass * ratio;
            j += 1;
            if mass.hi() < SMALLEST && ratio.hi() < 0.9 {
                missing += 11.0 * mass.hi();
                break;
            }
            list.push((loss(j), mass));
        }
        let sum = list.iter().fold(Enclosure::new(0.0, missing), |sum, (_, mass)| sum + *mass);
        for (_, mass) in &mut list {
            *mass = *mass / sum;
        }
        Self { list, missing: (Enclosure::point(missing) / sum).hi() }
    }

    /// The losses of both together.
    pub(super) fn and(&self, other: &Self) -> Self {
        let list = self.list.iter().flat_map(|&(loss, mass)| {
            other.list.iter().map(move |&(more, chance)| (loss + more, mass * chance))
        });
        let missing = Enclosure::point(self.missing) + Enclosure::point(other.missing);
        Self { list: list.collect(), missing: missing.hi() }
    }

    /// Encloses the expectation of a function of the loss with values in [0, 1].
    pub(super) fn expect(&self, value: impl Fn(Enclosure) -> Enclosure) -> Enclosure {
        let sum = self.list.iter().fold(Enclosure::ZERO, |sum, &(loss, mass)| sum + mass * value(loss));
        sum + Enclosure::new(0.0, self.missing)
    }
}

/// Encloses a count, which may not be a float.
pub(super) fn count(count: u64) -> Enclosure {
    #[allow(clippy::cast_precision_loss)] // a neighbour on either side is added where it matters
    let near = count as f64;
    if count < 1 << 53 { Enclosure::point(near) } else { Enclosure::new(near.next_down(), near.next_up()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_of_either_is_missing_of_both() {
        let lacking = |missing: f64| Atoms { list: vec![(Enclosure::ONE, Enclosure::ONE)], missing };
        let both = lacking(0.25).and(&lacking(0.5));
        assert_eq!(both.missing, 0.75);
        assert_eq!(
            both.expect(|loss| Enclosure::point(if loss.lo() == 2.0 { 0.125 } else { 0.0 })).hi(),
            0.875
        );
    }
}
