//! The supremum over the places of the two answers.

use alloc::vec;

use super::{BoundedLaplacePair, mass};
use crate::rounding::Enclosure;

/// The largest number of bisections. All tested parameters need fewer; the bound holds whenever the
/// search stops.
const HALVINGS: u16 = 300;
/// The relative width at which the search stops.
const CONTENT: f64 = 1e-8;

/// The parts of the profile at one ε, at a place a or on an interval of places.
#[derive(Clone, Copy)]
struct Place {
    /// Encloses a.
    a: Enclosure,
    /// Encloses 1 − e^(−a).
    inside: Enclosure,
    /// Encloses x = e^(−a).
    decay: Enclosure,
    /// Encloses C_a.
    normaliser: Enclosure,
    /// Encloses C_{a+s} − C_a = ½(1−e^(−s))·(x − e^(−(w−s−a))).
    growth: Enclosure,
    /// Encloses y = (s + c(a) − ε)/2.
    reach: Enclosure,
}

impl Place {
    /// Encloses the gain 1 − e^(−y), for y ≥ 0.
    fn gain(self) -> Enclosure {
        mass(self.reach.max(Enclosure::ZERO))
    }

    /// Encloses δ = (1−e^(−y))·(1 − x + ½x(1−e^(−y)))/C_a: no term is negative.
    fn delta(self) -> Enclosure {
        let gain = self.gain();
        gain * (self.inside + half(self.decay * gain)) / self.normaliser
    }
}

/// An interval of places.
struct Piece {
    ends: [Place; 2],
    middle: Place,
    /// An upper bound on δ between the ends.
    bound: f64,
}

impl Piece {
    /// Whether it can be halved: its middle is not one of its ends.
    fn is_divisible(&self) -> bool {
        let [left, middle, right] = [self.ends[0], self.middle, self.ends[1]].map(|place| place.a.lo());
        left < middle && middle < right
    }
}

impl BoundedLaplacePair {
    /// Encloses sup_a δ(P_a ‖ P_{a+s}) at ε ≥ 0, for finite widths.
    ///
    /// The pieces of [0, w−s] are halved, the one with the highest bound first. What a piece can
    /// reach is bounded, so the largest bound that is left bounds the supremum, whatever the order
    /// was.
    pub(super) fn worst_place(self, epsilon: f64) -> Enclosure {
        let room = self.room();
        let ends = [0.0, room.hi()].map(|a| self.place(Enclosure::point(a), epsilon));
        let mut attained = ends[0].delta().lo();
        let mut pieces = vec![self.piece(ends, epsilon)];
        for _ in 0..HALVINGS {
            let Some(highest) =
                (0..pieces.len()).max_by(|i, j| pieces[*i].bound.total_cmp(&pieces[*j].bound))
            else {
                break;
            };
            let Piece { ends: [left, right], middle, bound } = pieces[highest];
            if bound <= attained * (1.0 + CONTENT) || !pieces[highest].is_divisible() {
                break;
            }
            if middle.a.hi() <= room.lo() {
                attained = attained.max(middle.delta().lo());
            }
            pieces[highest] = self.piece([left, middle], epsilon);
            pieces.push(self.piece([middle, right], epsilon));
            pieces.retain(|piece| piece.bound > attained);
        }
        Enclosure::new(attained, pieces.iter().map(|piece| piece.bound).fold(attained, f64::max))
    }

    /// The piece between two places, with the better one of two bounds on its δ:
    ///
    /// - y and x fall in a, and C is concave, so the ends of the piece bound each factor.
    /// - Where δ' has one sign, δ is largest at one of the ends. Elsewhere
    ///   δ ≤ δ(middle) + |δ'|·(right − left)/2 by the mean value theorem.
    fn piece(self, ends: [Place; 2], epsilon: f64) -> Piece {
        let [near, far] = ends;
        let (left, right) = (near.a.lo(), far.a.hi());
        let middle = self.place(Enclosure::point(left + (right - left) / 2.0), epsilon);
        let gain = near.gain();
        let coarse = gain * (far.inside + half(near.decay * gain)) / near.normaliser.min(far.normaliser);
        if far.reach.lo() <= 0.0 {
            return Piece { ends, middle, bound: coarse.hi() }; // δ has a kink where y = 0
        }
        let all = Enclosure::new(left, right);
        let slope = self.slope(all, near, far);
        let fine = if slope.lo() >= 0.0 {
            far.delta()
        } else if slope.hi() <= 0.0 {
            near.delta()
        } else {
            middle.delta() + slope * (all - middle.a)
        };
        Piece { ends, middle, bound: coarse.hi().min(fine.hi()) }
    }

    /// The place a, or all places of an interval.
    fn place(self, a: Enclosure, epsilon: f64) -> Place {
        let decay = (-a).exp();
        let inside = mass(a);
        let normaliser = half(inside + mass((self.width - a).max(Enclosure::ZERO)));
        // x − e^(−(w−s−a)) = x·(1 − e^(2a−(w−s))), without loss where the two nearly agree and
        // without overflow where they do not.
        let (room, ahead) = (self.room(), a + a - self.room());
        let difference = if ahead.hi() < 1.0 { -(decay * ahead.exp_m1()) } else { decay - (a - room).exp() };
        let growth = half(mass(self.shift) * difference);
        let reach = half(self.shift + (growth / normaliser).ln_1p() - Enclosure::point(epsilon));
        Place { a, inside, decay, normaliser, growth, reach }
    }

    /// Encloses δ'(a) on an interval of places, given its ends; y > 0 on all of it.
    ///
    /// With g = 1 − e^(−y), C' = ½(x − e^(−(w−a))), D = C_{a+s}, D' = ½(x·e^(−s) − e^(−(w−s−a)))
    /// and y' = ½(D'/D − C'/C), the quotient rule gives
    /// δ' = (g'(1 − x + xg) + gx(1 − ½g))/C − δ·C'/C with g' = e^(−y)·y'.
    fn slope(self, a: Enclosure, near: Place, far: Place) -> Enclosure {
        // y falls in a: its ends are those of the interval, which is much tighter than what the
        // formula gives for all of it.
        let reach = Enclosure::new(far.reach.lo(), near.reach.hi());
        let place = Place { reach, ..self.place(a, 0.0) };
        let (gain, decay, normaliser) = (place.gain(), place.decay, place.normaliser);
        let from_right = (a - self.width).exp();
        let beyond = (a - self.room()).exp(); // e^(−(w−s−a))
        let relative = half(decay - from_right) / normaliser;
        let moved = half(decay * (-self.shift).exp() - beyond) / (normaliser + place.growth);
        let gain_slope = (-reach).exp() * half(moved - relative);
        let rise = gain_slope * (place.inside + decay * gain) + gain * decay * (Enclosure::ONE - half(gain));
        rise / normaliser - place.delta() * relative
    }
}

fn half(x: Enclosure) -> Enclosure {
    x * Enclosure::point(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Scale};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_place_of_a_piece_exceeds_its_bound(
            width in prop_oneof![0.05..3f64, 3.0..40f64], shift in 0.001..1f64, share in 0.0..1f64,
            left in 0.0..1f64, length in prop_oneof![0.0..1f64, 0.0..1e-3f64],
        ) {
            let bounds = Bounds::new(0.0, width).unwrap();
            let pair = BoundedLaplacePair::new(Scale::new(1.0).unwrap(), bounds, width * shift).unwrap();
            let (room, epsilon) = (pair.room().lo(), share * pair.limit().lo());
            let (left, right) = (left * room, (left + length).min(1.0) * room);
            let ends = [left, right].map(|a| pair.place(Enclosure::point(a), epsilon));
            let piece = pair.piece(ends, epsilon);
            for k in 0..=32u8 {
                let a = left + (right - left) * f64::from(k) / 32.0;
                let delta = pair.place(Enclosure::point(a), epsilon).delta();
                prop_assert!(delta.lo() <= piece.bound, "a = {a} in [{left}, {right}]: {delta:?} {:e}", piece.bound);
            }
        }
    }
}
