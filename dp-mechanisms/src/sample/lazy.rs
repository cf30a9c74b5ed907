//! Reals that were drawn, of which more digits can be drawn.
//!
//! # Why decisions about them are exact
//!
//! A lazily known real is a function of an infinite sequence of fair bits, of which finitely many
//! have been drawn. From these alone it is enclosed: the real lies in the enclosure whatever the
//! bits that follow. A decision (a comparison, a rounding, the acceptance of a proposal) is made
//! only when it comes out the same for every real in the enclosures. So it is the decision that the
//! ideal algorithm, which sees all digits, makes on the same bits; by induction over the decisions,
//! what comes out *is* the output of the ideal algorithm, for every infinite sequence on which all
//! decisions end. The bits that were not drawn remain fair and independent of what was decided.
//!
//! Decisions end with probability one. The enclosures shrink to a point, so one that never ends
//! needs two reals to be equal, or a real to be equal to a boundary of the grid. The reals here
//! have densities, also given the others, and such an event has probability zero. For the same
//! reason ties are immaterial for the law.

use dashu_int::IBig;
use dp_core::Scale;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::place::{Place, Ruler, WHOLE};
use super::{Bits, Dyadic, Grid, Interval, Uniform};

/// A real that was drawn, of which more digits can be drawn.
///
/// # Contract
/// The real is fixed by the bits that were drawn for it and those that will be, and both methods
/// enclose it whatever the latter are. The intervals shrink to a point as the precision grows.
pub trait Lazy {
    /// Encloses it between floats, from what is known now.
    fn enclosure(&self) -> Enclosure;

    /// Encloses it to about `precision` binary digits, of its own size or of one, whichever is
    /// coarser. Draws digits as needed; the digits drawn stay.
    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval;

    /// Draws the digits that [`interval`](Self::interval) needs for this precision, or about as
    /// many.
    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.interval(precision, bits);
    }
}

impl Lazy for Uniform {
    fn enclosure(&self) -> Enclosure {
        self.enclosure()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        self.refine(precision, bits);
        Self::interval(self)
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.extend_to(precision, bits);
    }
}

/// A standard exponential, −ln U: above t with probability e^−t.
#[derive(Clone, Debug)]
pub struct ExponentialDraw(Uniform);

impl ExponentialDraw {
    /// Draws its first digits.
    pub fn start<R: Rng + ?Sized>(bits: &mut Bits<'_, R>) -> Self {
        Self(Uniform::start(bits))
    }

    /// The exponential whose U is partly known already.
    #[must_use]
    pub const fn of(uniform: Uniform) -> Self {
        Self(uniform)
    }

    /// The uniform U behind the draw, with the digits that were drawn so far.
    #[must_use]
    pub fn into_uniform(self) -> Uniform {
        self.0
    }
}

impl Lazy for ExponentialDraw {
    fn enclosure(&self) -> Enclosure {
        // U may be 1 to the last float, and an enclosure of ln 1 may reach beyond 0.
        (-self.0.enclosure().ln()).max(Enclosure::ZERO)
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        self.refine(precision, bits);
        -Uniform::interval(&self.0).ln(precision + 2)
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        // A cell that is 2^−p of itself wide is a cell of the logarithm that is 2^−p wide.
        self.0.extend_relative(precision + 1, bits);
    }
}

/// Whether a < b.
pub fn less<R: Rng + ?Sized>(a: &mut impl Lazy, b: &mut impl Lazy, bits: &mut Bits<'_, R>) -> bool {
    settle(
        &mut (a, b),
        bits,
        |(a, b)| clearly_less(a.enclosure(), b.enclosure()),
        |(a, b), precision, bits| {
            a.refine(precision, bits);
            b.refine(precision, bits);
        },
        |(a, b), precision, bits| a.interval(precision, bits).is_below(&b.interval(precision, bits)),
    )
}

/// Settles a question about reals: by floats if they settle it, else by intervals of 64, 128, 256,
/// … digits.
///
/// Where bits are spared, digits are first drawn one by one and floats asked after each.
pub(crate) fn settle<S, T, R: Rng + ?Sized>(
    reals: &mut S,
    bits: &mut Bits<'_, R>,
    by_floats: impl Fn(&S) -> Option<T>,
    refine: impl Fn(&mut S, u32, &mut Bits<'_, R>),
    by_intervals: impl Fn(&mut S, u32, &mut Bits<'_, R>) -> Option<T>,
) -> T {
    by_floats(reals).unwrap_or_else(|| {
        bits.until(|precision, bits| {
            if precision < u64::BITS {
                refine(reals, precision, bits);
                by_floats(reals)
            } else {
                by_intervals(reals, precision, bits)
            }
        })
    })
}

/// Whether a < b, if floats settle it.
pub(crate) fn clearly_less(a: Enclosure, b: Enclosure) -> Option<bool> {
    if a.hi() < b.lo() {
        Some(true)
    } else if b.hi() < a.lo() {
        Some(false)
    } else {
        None
    }
}

/// The point of the grid nearest to answer + scale·X, as a float.
///
/// It is total: it takes `NaN` as 0 and ±∞ as ±[`f64::MAX`], and saturates like [`Grid::value`]. Of
/// the answer only its [rest](super::place) takes part in what floats may leave undecided.
pub(crate) fn release<R: Rng + ?Sized>(
    answer: f64,
    scale: Scale,
    grid: Grid,
    real: &mut impl Lazy,
    bits: &mut Bits<'_, R>,
) -> f64 {
    let Place { whole, rest } = Place::of(answer, grid);
    grid.around(whole, &steps(rest, scale, grid, real, bits))
}

/// The j for which j · 2^k is the point of the grid nearest to answer + scale·X: for laws that are
/// listed.
#[cfg(test)]
pub(crate) fn nearest<R: Rng + ?Sized>(
    answer: f64,
    scale: Scale,
    grid: Grid,
    real: &mut impl Lazy,
    bits: &mut Bits<'_, R>,
) -> IBig {
    let Place { whole, rest } = Place::of(answer, grid);
    grid.multiple(whole) + steps(rest, scale, grid, real, bits)
}

/// The j for which j · 2^k is the point of the grid nearest to rest + scale·X, for a rest below a
/// step.
///
/// Where |X| is above 2²²⁰⁰ it is taken as 2²²⁰⁰ with its sign: either way [`Grid::value`]
/// saturates, because scales are at least 2⁻¹⁰⁷⁴ and answers at most 2¹⁰²⁴.
fn steps<R: Rng + ?Sized>(
    rest: f64,
    scale: Scale,
    grid: Grid,
    real: &mut impl Lazy,
    bits: &mut Bits<'_, R>,
) -> IBig {
    settle(
        real,
        bits,
        |real| by_floats(rest, scale, grid, real.enclosure()),
        |real, precision, bits| real.refine(precision, bits),
        |real, precision, bits| by_interval(rest, scale, grid, precision, &real.interval(precision, bits)),
    )
}

/// The point for a rest, if it is the same for all reals of the enclosure and floats suffice to see
/// it.
///
/// Let f be the rest in steps, |f| < 1, and x an end of the noise in steps. Then x = n + r with a
/// whole n and |r| ≤ ½, exactly, and
///
/// > round(f + x) = n + \[r ≥ ½ − f\] + \[r ≥ −½ − f\] − 1.
///
/// - *Errors.* x is moved outwards by 2⁻⁵¹ of itself, which covers the rounding of its product.
///   Where ±½ − f is below ¼ in magnitude, it is exact (Sterbenz); elsewhere it is off by 2⁻⁵³ of
///   itself and by the 2⁻⁶⁰ of a rest that vanished, and is moved by 2⁻⁵¹ of itself.
/// - *Small noise.* Near a boundary f is a multiple of 2⁻⁵⁴, and so is ±½ − f: none of these lies
///   strictly between 0 and 2⁻⁵⁴, nor between −2⁻⁵⁴ and 0. So all noise of one sign that is smaller
///   leads to the same point, and only its sign matters, also for an answer on the boundary itself.
///   Hence a product may underflow, if its sign is kept, and a spread below 2⁻¹⁰⁰ may be taken as
///   2⁻¹⁰⁰, if what comes out is below 2⁻⁶⁰.
///
/// So how close an answer lies to a boundary does not decide whether floats suffice, however small
/// the scale is. There is no branch on the rest, nor on the scale.
fn by_floats(rest: f64, scale: Scale, grid: Grid, real: Enclosure) -> Option<IBig> {
    const SLACK: f64 = 2.0 * f64::EPSILON; // 2⁻⁵¹
    const LARGEST: f64 = f64::from_bits((1023 + 50) << 52); // 2⁵⁰
    const SMALL: f64 = f64::from_bits((1023 - 60) << 52); // 2⁻⁶⁰
    const SMALLEST: f64 = f64::from_bits((1023 - 100) << 52); // 2⁻¹⁰⁰
    let ruler = Ruler::new(grid)?;
    let (spread, is_raised) = ruler.spread(scale);
    let fraction = ruler.fraction(rest);
    let (low, high) = (spread * real.lo(), spread * real.hi());
    let largest = low.abs().max(high.abs());
    let limit = if is_raised { SMALL } else { LARGEST };
    let nearest = |noise: f64, slack: f64| {
        let whole = (noise + WHOLE) - WHOLE;
        let part = noise - whole;
        let passes = |boundary: f64| {
            let distance = boundary - fraction;
            f64::from(u8::from(part >= distance + slack * distance.abs()))
        };
        whole + (passes(0.5) + passes(-0.5)) - 1.0
    };
    let (below, above) = (low - low.abs() * SLACK, high + high.abs() * SLACK);
    // Negative noise is not 0, where halves go up.
    let above = if real.hi() < 0.0 { above.min(-SMALLEST) } else { above };
    let (low, high) = (nearest(below, SLACK), nearest(above, -SLACK));
    #[allow(clippy::cast_possible_truncation)] // a whole number below 2⁵¹
    (low == high && largest < limit).then(|| IBig::from(low as i64))
}

/// The point for a rest, if it is the same for all reals of the interval, which is known to about
/// `precision` digits.
#[cold]
fn by_interval(rest: f64, scale: Scale, grid: Grid, precision: u32, real: &Interval) -> Option<IBig> {
    let (rest, scale) = (Dyadic::from_finite(rest), Dyadic::from_finite(scale.get()));
    let limit = Dyadic::power_of_two(2200);
    // The real in units of which 2^precision or more make a step: digits below say nothing. They
    // are kept down to 2⁻¹³¹⁰⁷² all the same, because the sign of a tiny real says on which side of
    // a boundary it leaves an answer that lies there.
    let step = i64::from(grid.exponent()) - scale.floor_log2();
    let unit = (step - i64::from(precision) - 1).min(-(1 << 17));
    let down = |x: &Dyadic| {
        if x > &limit {
            limit.clone()
        } else if x < &-limit.clone() {
            -limit.clone()
        } else {
            x.floored(unit)
        }
    };
    let at = |x: Dyadic| grid.nearest(&(&rest + &(&scale * &x)));
    let (low, high) = (at(down(real.lower())), at(-down(&-real.upper().clone())));
    (low == high).then_some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::hostile::assert_way_is_that_of_the_noise;
    use crate::sample::replay::Law;
    use proptest::prelude::*;

    fn grid(exponent: i32) -> Grid {
        Grid::new(exponent).unwrap()
    }

    fn scale(value: f64) -> Scale {
        Scale::new(value).unwrap()
    }

    #[test]
    fn the_law_of_a_comparison_is_exact() {
        // A uniform lies below an exponential with probability 1 − 1/e: ∫ e^−u du.
        let law = Law::of(16, |bits| {
            let (mut uniform, mut exponential) =
                (Uniform::unknown(), ExponentialDraw::of(Uniform::unknown()));
            less(&mut uniform, &mut exponential, bits)
        });
        let ideal = Enclosure::ONE - Enclosure::point(-1.0).exp();
        let found = law.probability(&true);
        assert!(
            found.lo() <= ideal.lo() && ideal.hi() <= found.hi() && law.open() < 0.01,
            "{found} {}",
            law.open()
        );
    }

    #[test]
    fn floats_and_integers_round_alike() {
        for seed in 0..500 {
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let mut real = ExponentialDraw::start(&mut bits);
            for (answer, b, k) in [
                (0.3, 1.0, -30),
                (-7.25, 3.0, -20),
                (1e9, 0.1, -10),
                (2f64.powi(55), 1.0, -5),
                (0.0, 5.0, 1),
                (-1e-320, 2.0, -29),
                (f64::MAX, 1.0, -30),
            ] {
                let Place { whole, rest } = Place::of(answer, grid(k));
                let fast = by_floats(rest, scale(b), grid(k), real.enclosure());
                let interval = real.clone().interval(256, &mut bits);
                // All of the answer at once, and only its rest.
                let [all, exact] = [answer, rest].map(|number| {
                    by_interval(number, scale(b), grid(k), 256, &interval)
                        .expect("a boundary within 2⁻²⁰⁰ has probability 2⁻¹⁹⁰")
                });
                assert!(fast.is_none_or(|fast| fast == exact), "{seed} {answer}");
                assert_eq!(nearest(answer, scale(b), grid(k), &mut real, &mut bits), all);
                assert_eq!(release(answer, scale(b), grid(k), &mut real, &mut bits), grid(k).value(&all));
                assert_eq!(grid(k).around(whole, &exact), grid(k).value(&all));
            }
        }
    }

    #[test]
    fn reals_beyond_all_floats_saturate() {
        /// A real that is known exactly.
        struct Known(Dyadic);
        impl Lazy for Known {
            fn enclosure(&self) -> Enclosure {
                Interval::point(self.0.clone()).enclosure()
            }
            fn interval<R: Rng + ?Sized>(&mut self, _: u32, _: &mut Bits<'_, R>) -> Interval {
                Interval::point(self.0.clone())
            }
        }
        let mut rng = Insecure::seeded(1);
        let mut bits = Bits::new(&mut rng);
        let mut value = |x: Dyadic, answer: f64, b: f64, k: i32| {
            let released = release(answer, scale(b), grid(k), &mut Known(x.clone()), &mut bits);
            let multiple = nearest(answer, scale(b), grid(k), &mut Known(x), &mut bits);
            assert_eq!(released, grid(k).value(&multiple));
            released
        };
        let huge = Dyadic::power_of_two(1 << 40);
        for (answer, b, k) in [(0.0, 1.0, 0), (f64::MIN, f64::from_bits(1), -1074), (f64::MIN, 1e300, 900)] {
            assert_eq!(value(huge.clone(), answer, b, k), f64::MAX);
            assert_eq!(value(-huge.clone(), -answer, b, k), f64::MIN);
        }
        let tiny = Dyadic::power_of_two(-(1 << 40));
        assert_eq!(value(tiny.clone(), 3.0, 1.0, -30), 3.0);
        assert_eq!(value(-tiny, 3.0, 1.0, -30), 3.0);
    }

    #[test]
    fn the_answer_does_not_decide_the_way() {
        for (b, k) in [
            (1.0, -30),
            (1.3, -30),
            (2f64.powi(-200), -40),
            (1e-300, 0),
            (1e9, -10),
            (1.0, 20),
            (1.0, 36),
            (1.0, 47),
            (2f64.powi(-51), 0),
            (1.3 * 2f64.powi(-54), 0),
            (2f64.powi(-60), 0),
            (f64::MIN_POSITIVE, 300),
            (f64::from_bits(3), 0),
        ] {
            // One in 2¹⁰ or fewer is expected not to be settled, 16 of all; more than 80 with
            // probability below 10⁻²⁰ for each answer (Poisson). An answer on a boundary that noise
            // is far below is settled by the sign of the noise.
            for negative in [false, true] {
                assert_way_is_that_of_the_noise(grid(k), 80, |word, answer| {
                    let real = ExponentialDraw::of(Uniform::with_prefix(word, 64)).enclosure();
                    let real = if negative { -real } else { real };
                    let rest = Place::of(answer, grid(k)).rest;
                    by_floats(rest, scale(b), grid(k), real).is_some()
                });
            }
        }
    }

    /// What floats settle, integers settle in the same way, for any real of the enclosure.
    fn assert_floats_are_right(rest: f64, b: f64, k: i32, ends: (f64, f64)) -> bool {
        let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let found = by_floats(rest, scale(b), grid(k), Enclosure::new(low, high));
        if let Some(found) = &found {
            for end in [low, high] {
                // An end that is no real of the open enclosure may be the boundary itself.
                let exact = by_interval(rest, scale(b), grid(k), 256, &Interval::exactly(end)).unwrap();
                assert!(
                    *found == exact || end == 0.0,
                    "{rest:e} {b:e} {k} [{low:e}, {high:e}]: {found} {exact}"
                );
            }
        }
        found.is_some()
    }

    #[test]
    fn floats_round_reals_next_to_boundaries_as_integers_do() {
        let mut settled = 0;
        for (b, k) in [
            (1.0, 0),
            (2f64.powi(-54), 0),
            (1.5 * 2f64.powi(-53), 0),
            (1e-30, -3),
            (3e-320, 0),
            (1e-200, 800),
            (5.0, -20),
        ] {
            let step = grid(k).step();
            for half in [0.5f64, -0.5] {
                for rest in [
                    half,
                    half.next_up(),
                    half.next_down(),
                    half + 3.0 * half.signum() * 2f64.powi(-53),
                    0.25 * half,
                    0.0,
                    1.75 * half,
                ] {
                    for size in [1e-18, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 17.0, 2f64.powi(60), 1e60] {
                        for noise in [size, -size] {
                            for wide in [0.0, f64::EPSILON, 1e-9] {
                                let ends = (noise * (1.0 - wide), noise * (1.0 + wide));
                                settled += usize::from(assert_floats_are_right(rest * step, b, k, ends));
                            }
                        }
                    }
                }
            }
        }
        assert!(settled > 2000, "{settled}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]
        #[test]
        fn floats_round_any_real_as_integers_do(
            rest in prop_oneof![-1.0..1.0f64, Just(0.5), Just(-0.5), (-4i32..5, any::<bool>()).prop_map(|(units, negative)| {
                let rest = 0.5 + f64::from(units) * 2f64.powi(-53);
                if negative { -rest } else { rest }
            })],
            mantissa in 1.0..2.0f64, exponent in prop_oneof![-1074i32..40, -70i32..10], k in -60i32..60,
            real in prop_oneof![-3.0..3.0f64, -1e12..1e12f64, -1e-9..1e-9f64], wide in prop_oneof![Just(0.0), 0.0..1e-10f64],
        ) {
            let b = mantissa * 2f64.powi(exponent.max(-1000)) * 2f64.powi(exponent.min(-1000) + 1000);
            if b > 0.0 {
                assert_floats_are_right(rest * grid(k).step(), b, k, (real * (1.0 - wide), real * (1.0 + wide)));
            }
        }
    }

    proptest! {
        #[test]
        fn intervals_of_an_exponential_shrink(seed in any::<u64>(), precision in 1u32..200) {
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let mut real = ExponentialDraw::of(Uniform::unknown());
            let coarse = real.interval(precision, &mut bits);
            let floats = real.enclosure();
            let fine = real.interval(2 * precision + 8, &mut bits);
            prop_assert!(fine.compare(&coarse).is_none());
            prop_assert!(fine.compare(&Interval::from(floats)).is_none());
            let width = |interval: &Interval| interval.upper() - interval.lower();
            // At most 2^−p of itself or of one; an exponential is below 64 but for a probability of
            // e^−64.
            prop_assert!(width(&coarse) <= Dyadic::power_of_two(6 - i64::from(precision)));
            prop_assert!(width(&fine) <= Dyadic::power_of_two(-2 - 2 * i64::from(precision)));
        }

        #[test]
        fn moving_the_answer_by_steps_moves_the_point_by_as_many(
            seed in any::<u64>(), steps in -(1i32 << 20)..1 << 20, b in 1e-3..1e3f64, exponent in -90i32..5,
        ) {
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let mut real = ExponentialDraw::start(&mut bits);
            let moved = f64::from(steps) * 2f64.powi(exponent);
            let [there, here] = [moved, 0.0].map(|answer| nearest(answer, scale(b), grid(exponent), &mut real, &mut bits));
            prop_assert_eq!(there - here, IBig::from(steps));
        }
    }
}
