//! How often an event of an exact probability happens in many tries.

use dashu_int::ops::BitTest;
use dp_core::Error;
use rand_core::Rng;

use super::{Bits, Ratio};

/// The number of successes in n independent tries of probability p, exactly: no approximation, no
/// transcendental function.
///
/// A try succeeds if U < p for a U that is uniform on [0, 1). All n of them are looked at together,
/// one binary digit at a time. A U whose digit differs from that of p is decided by it: it is below
/// p if its digit is the 0 and that of p the 1. The others go on to the next digit. The number of
/// those with digit 1 among k is the number of ones in k fair bits. So a draw is a short sequence
/// of counts of fair bits, the undecided being halved in each step on average.
///
/// It takes about 2n bits, and time in proportion: some 0.4 s for 10⁹ tries. The time tells n.
///
/// ```
/// use dp_mechanisms::{rng::OsSeeded, sample::Binomial};
///
/// let kept = Binomial::new(1_000_000, 0.01)?.draw(&mut OsSeeded::new()?);
/// assert!((9_000..=11_000).contains(&kept)); // ten standard deviations
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Binomial {
    tries: u64,
    probability: Ratio,
}

impl Binomial {
    /// `tries` tries of the probability that a float denotes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it lies in [0, 1].
    pub fn new(tries: u64, p: f64) -> Result<Self, Error> {
        Ok(Self { tries, probability: Ratio::probability(p)? })
    }

    /// `tries` tries of probability numerator / denominator.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless that lies in [0, 1].
    pub fn ratio(tries: u64, numerator: u64, denominator: u64) -> Result<Self, Error> {
        Ok(Self { tries, probability: Ratio::of_whole(numerator, denominator)? })
    }

    /// Draws the number of successes.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.draw_from(&mut Bits::new(rng))
    }

    /// [`draw`](Self::draw), from bits.
    pub(crate) fn draw_from<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> u64 {
        let (mut undecided, mut successes) = (self.tries, 0);
        for block in 1.. {
            // 64 more digits of p, the last 64 bits of ⌊p·2^(64·block)⌋. Only p = 1 has a digit in
            // front of the point.
            let (floor, ceiling) = self.probability.enclose(BLOCK * block);
            if floor.bit(BLOCK * block) {
                return self.tries;
            }
            let ends = floor == ceiling;
            let last = if ends { floor.trailing_zeros().map_or(BLOCK, |zeros| zeros.min(BLOCK)) } else { 0 };
            for place in (last..BLOCK).rev() {
                if undecided == 0 {
                    return successes;
                }
                let ones = fair(undecided, bits);
                if floor.bit(place) {
                    successes += undecided - ones;
                    undecided = ones;
                } else {
                    undecided -= ones;
                }
            }
            // Whoever agrees with all digits of a p that has no more is not below it.
            if ends {
                break;
            }
        }
        successes
    }
}

/// How many digits of p are computed at once: more than are nearly ever needed.
const BLOCK: usize = 64;

/// The number of ones among `count` fair bits.
fn fair<R: Rng + ?Sized>(count: u64, bits: &mut Bits<'_, R>) -> u64 {
    let whole: u64 = (0..count / 64).map(|_| u64::from(bits.take(64).count_ones())).sum();
    let rest = u32::try_from(count % 64).expect("below 64");
    if rest == 0 { whole } else { whole + u64::from(bits.take(rest).count_ones()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;

    /// C(n, k)·a^k·(b − a)^(n − k) / b^n.
    fn mass(n: u32, k: u32, a: u32, b: u32) -> f64 {
        let ways = (0..k).fold(1, |ways, i| ways * (n - i) / (i + 1));
        let power = |x: u32, n: u32| f64::from(x).powi(n.cast_signed());
        f64::from(ways) * power(a, k) * power(b - a, n - k) / power(b, n)
    }

    #[test]
    fn the_law_is_binomial_to_the_last_bit() {
        // Eighths: three digits, at most 3n bits.
        for (n, a, b) in
            [(0, 3, 8), (1, 3, 8), (3, 3, 8), (5, 5, 8), (4, 1, 2), (7, 1, 4), (6, 0, 1), (6, 1, 1)]
        {
            let law =
                Law::of(18, |bits| Binomial::ratio(n.into(), a.into(), b.into()).unwrap().draw_from(bits));
            assert_eq!(law.open(), 0.0);
            for k in 0..=n {
                let found = law.probability(&k.into());
                assert_eq!((found.lo(), found.hi()), (mass(n, k, a, b), mass(n, k, a, b)), "{n} {k} {a}/{b}");
            }
        }
    }

    #[test]
    fn endless_digits_are_bracketed() {
        for (n, a, b) in [(1, 1, 3), (2, 1, 3), (3, 2, 7), (4, 9, 10)] {
            let law =
                Law::of(20, |bits| Binomial::ratio(n.into(), a.into(), b.into()).unwrap().draw_from(bits));
            assert!(law.open() < 0.02, "{}", law.open());
            for k in 0..=n {
                let (found, truth) = (law.probability(&k.into()), mass(n, k, a, b));
                assert!(
                    found.lo() <= truth + 1e-15 && truth <= found.hi() + 1e-15,
                    "{n} {k} {a}/{b}: {found} {truth}"
                );
            }
        }
    }

    #[test]
    fn later_blocks_of_digits_are_read() {
        // p = 2⁻⁷⁰·3: nobody is undecided that far unless all bits are zero up to there.
        struct Zeros(u32);
        impl rand_core::TryRng for Zeros {
            type Error = std::convert::Infallible;
            fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
                unreachable!("bits come in words of 64")
            }
            fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
                self.0 += 1;
                Ok(0)
            }
            fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
                unreachable!("bits come in words of 64")
            }
        }
        let mut zeros = Zeros(0);
        let tiny = Binomial::new(128, 3.0 * 2f64.powi(-70)).unwrap();
        assert_eq!(tiny.draw(&mut zeros), 128); // digits 1 to 68 agree, the 69th says below
        assert_eq!(zeros.0, 2 * 69);
        let mut zeros = Zeros(0);
        assert_eq!(Binomial::new(64, 0.0).unwrap().draw(&mut zeros), 0);
        assert_eq!(Binomial::new(64, 1.0).unwrap().draw(&mut zeros), 64);
        assert_eq!(zeros.0, 0);
    }

    #[test]
    fn many_tries_stay_near_their_mean() {
        let mut rng = Insecure::seeded(9);
        for (n, p) in [(1_000_003u64, 0.3), (1_000_000, 1e-3), (999_999, 0.999), (1 << 20, 0.5)] {
            let drawn = Binomial::new(n, p).unwrap().draw(&mut rng);
            #[allow(clippy::cast_precision_loss)]
            let off = (drawn as f64 - n as f64 * p).abs() / (n as f64 * p * (1.0 - p)).sqrt();
            assert!(off < 7.0, "{n} {p}: {off} standard deviations"); // Bernstein: below 10⁻⁹ each
        }
    }

    #[test]
    fn tiny_probabilities_end_at_once() {
        let mut rng = Insecure::seeded(10);
        assert_eq!(Binomial::new(1_000_000, f64::from_bits(1)).unwrap().draw(&mut rng), 0);
        assert!(Binomial::new(5, 1.5).is_err() && Binomial::ratio(5, 3, 2).is_err());
    }
}
