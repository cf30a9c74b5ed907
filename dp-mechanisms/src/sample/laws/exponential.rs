//! The exponential law.

use rand_core::Rng;

use crate::sample::{Bits, Law, lazy};

/// The standard exponential: density e^−x for x ≥ 0, mean 1.
///
/// X = −ln U with U uniform on [0, 1): X > x exactly if U < e^−x, which has probability e^−x.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{ExponentialLaw, Rounded}};
///
/// let waiting = Rounded::new(ExponentialLaw, Scale::new(10.0)?);
/// assert!(waiting.draw(&mut OsSeeded::new()?) >= 0.0);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExponentialLaw;

impl Law for ExponentialLaw {
    type Draw = lazy::ExponentialDraw;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        lazy::ExponentialDraw::start(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::{assert_law, assert_settled_by_later_digits};

    // Computed with mpmath: 1 − e^−x, cut at the half-integers, and its quantiles.
    const CELLS: &[(i32, f64)] = &[
        (0, 0.393_469_340_287_4),
        (1, 0.383_400_499_564_2),
        (2, 0.141_045_161_524_5),
        (3, 0.051_887_615_201_58),
    ];
    const QUANTILES: [f64; 19] = [
        0.051_293_294_387_5,
        0.105_360_515_658,
        0.162_518_929_498,
        0.223_143_551_314,
        0.287_682_072_452,
        0.356_674_943_939,
        0.430_782_916_092,
        0.510_825_623_766,
        0.597_837_000_756,
        std::f64::consts::LN_2,
        0.798_507_696_218,
        0.916_290_731_874,
        1.049_822_124_5,
        1.203_972_804_33,
        1.386_294_361_12,
        1.609_437_912_43,
        1.897_119_984_89,
        std::f64::consts::LN_10,
        2.995_732_273_55,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&ExponentialLaw, 18, 1e-4, CELLS, &QUANTILES);
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        assert_settled_by_later_digits(&ExponentialLaw, vec![0], 0);
    }
}
