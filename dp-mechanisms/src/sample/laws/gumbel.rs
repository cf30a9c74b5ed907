//! The Gumbel law.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use crate::sample::{Bits, Interval, Law, Lazy, lazy};

/// The standard Gumbel law: Pr(X ≤ x) = e^(−e^−x), density e^(−x − e^−x).
///
/// X = −ln E with E a standard exponential: X ≤ x exactly if E ≥ e^−x, which has probability
/// e^(−e^−x).
///
/// The candidate for which score + Gumbel noise is largest is candidate i with a probability in
/// proportion to e^(score i).
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{GumbelLaw, Rounded}};
///
/// let noise = Rounded::new(GumbelLaw, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GumbelLaw;

/// −ln E.
#[derive(Clone, Debug)]
pub struct GumbelDraw(lazy::ExponentialDraw);

impl Law for GumbelLaw {
    type Draw = GumbelDraw;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> GumbelDraw {
        GumbelDraw(lazy::ExponentialDraw::start(bits))
    }
}

impl Lazy for GumbelDraw {
    fn enclosure(&self) -> Enclosure {
        -self.0.enclosure().ln()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        // A positive exponential is known to be positive after some digits.
        let mut wanted = precision;
        loop {
            let exponential = self.0.interval(wanted, bits);
            if exponential.lower().is_positive() {
                return -exponential.ln(wanted);
            }
            wanted += bits.portion();
        }
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.0.refine(precision, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::{assert_law, assert_settled_by_later_digits};

    // Computed with mpmath: e^(−e^−x), cut at the half-integers, and its quantiles.
    const CELLS: &[(i32, f64)] = &[
        (-2, 0.011_309_167_086_16),
        (-1, 0.180_981_359_167_5),
        (0, 0.352_943_566_344_6),
        (1, 0.254_771_501_111_7),
        (2, 0.121_182_942_171_2),
        (3, 0.049_060_347_415_55),
        (4, 0.018_698_477_912_73),
    ];
    const QUANTILES: [f64; 19] = [
        -1.097_188_700_36,
        -0.834_032_445_248,
        -0.640_336_938_761,
        -0.475_884_995_327,
        -0.326_634_259_978,
        -0.185_626_758_862,
        -0.048_620_744_579_4,
        0.087_421_571_790_7,
        0.225_010_673_029,
        0.366_512_920_582,
        0.514_437_136_174,
        0.671_726_992_092,
        0.842_150_990_725,
        1.030_930_433_16,
        1.245_899_323_71,
        1.499_939_986_76,
        1.816_960_794_78,
        2.250_367_327_31,
        2.970_195_249_04,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&GumbelLaw, 18, 1e-4, CELLS, &QUANTILES);
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        assert_settled_by_later_digits(&GumbelLaw, vec![0], 0);
    }
}
