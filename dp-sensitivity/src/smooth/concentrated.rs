//! Calibration to ρ-zCDP by enclosing the Rényi divergences of all orders.
//!
//! **Which neighbours.** In units of P's scale the shift is at most 1/c, and at most e^λ/c, Q being stretched by e^λ. For 0 ≤ λ ≤ β the first is the smaller one, and by the two lemmas of the module it is
//! enough to look at λ = 0 and λ = β with this shift. Below zero the ratios are cut into pieces, −β ≤ … ≤ a ≤ λ ≤ b ≤ … ≤ 0: on each the shift is at most e^b/c, and it is enough to look at both
//! ends with this one; b is the lower end of the piece above, which has the larger shift.
//!
//! Let L = ln p/q. For each order α,
//!
//! > e^((α−1)·D_α) − 1 = ∫ p·g(L),  g(L) = e^((α−1)L) − 1 + (α−1)·(e^−L − 1) ≥ 0:
//!
//! what was added to p^α·q^(1−α) has the integral zero, and what is left is small where the loss is, so that an error of a hundredth in it is one of a hundredth in D_α. The line is cut into cells. On each, L is enclosed by its value in the
//! middle and by its slope, g is convex and largest at an end of L, and the mass of P is known.
//!
//! **Beyond the cells** (T), ∫ p^α·q^(1−α) ≤ √P(T)·e^((α−1)·D) with D = D_(2α−1), by Cauchy and Schwarz, and (α−1)·Q(T) bounds the rest.
//!
//! **All orders.** With R the law that is stretched but not shifted, D_α(P‖Q) ≤ D_α(P‖R) + D_∞(R‖Q). The first is bounded by each law, the second by e^β·s times the largest slope of −ln h. This settles all large
//! orders, and the D above. K(α) = (α−1)·D_α is convex with K(1) = 0. Between 1 and the first order α₁ it is at most D_α₁·(α−1), so K(α₁) ≤ ρ·(α₁ − 1) is enough. Between two orders a < b, ρα(α−1) is above its tangent in the middle, which at
//! either end x is ρ·(x(x−1) − (b−a)²/4). So it is enough that K is at most this at both ends.

use dp_core::rounding::{Enclosure, add_up, exp_m1_up, mul_up};

use super::calibrated::with_room;
use super::choice::least;

/// A law of which enough is known: symmetric, falling on both sides of zero, and with φ = −ln h convex in ln z.
pub(super) trait Density {
    /// Encloses φ(z), up to a constant, for a z ≥ 0 that is known to a few digits less than a float.
    fn exponent(&self, z: Enclosure) -> Enclosure;
    /// Encloses φ' on an interval of z ≥ 0.
    fn slope(&self, z: Enclosure) -> Enclosure;
    /// Encloses Pr(Z > z) for z ≥ 0.
    fn tail(&self, z: Enclosure) -> Enclosure;
    /// At least φ'(z), for all z.
    fn steepest(&self) -> Enclosure;
    /// At least D_α(Z‖e^±t·Z), for a t > 0. Divided by α it falls in α.
    fn dilation(&self, alpha: Enclosure, t: Enclosure) -> Enclosure;
    /// The ends of cells: 0 at 0, rising, and at 1 about where the normal that makes the tail is at its reach.
    fn at(&self, share: f64) -> f64;
    /// Up to how many standard deviations of the normal that makes the tail everything here is accurate. Beyond, it is still true.
    fn reach(&self) -> f64;
}

/// How far a search goes.
#[derive(Clone, Copy)]
struct Effort {
    /// How many cells there are on either side of zero, for each standard deviation of the reach.
    cells: f64,
    /// By which factor α − 1 grows from one order to the next, less one, where the divergences come near to ρα. Elsewhere it doubles.
    step: f64,
    /// The first order, less one.
    first: f64,
    /// How close to the least multiple it ends.
    tolerance: f64,
}

const ROUGH: Effort = Effort { cells: 14.0, step: 0.3, first: 0.03, tolerance: 3e-2 };
const FINE: Effort = Effort { cells: 40.0, step: 0.2, first: 0.004, tolerance: 3e-3 };

/// By which factor a search begins to look around.
const STRIDE: f64 = 1.5;

/// A multiple that is enough for a bound with this β, close to the least; infinite where none was found. The law is made for a reach.
pub(super) fn multiple<D: Density>(law: impl Fn(f64) -> D, rho: f64, beta: f64) -> f64 {
    let guess = 0.8 * law(0.0).steepest().hi() / libm::sqrt(2.0 * rho); // most of ε for the shift
    let beta = with_room(beta);
    // The loss on a cell is known to about the square of its width, and must be known to a hundredth of √(2ρ).
    let finer = libm::sqrt(0.03 / libm::sqrt(2.0 * rho)).max(1.0);
    let neighbours = neighbours(beta);
    let search = |guess: f64, stride: f64, effort: Effort| {
        let law = law(reach(&law(0.0), rho, beta, guess));
        let cells = cells(&law, effort.cells * finer);
        // What failed last is the first to be looked at.
        let suspect = core::cell::Cell::new(0);
        let within = |largest: f64| {
            let fails = |&k: &usize| {
                let (lambda, share) = neighbours[k];
                let shift = mul_up(largest, share);
                !Pair { law: &law, cells: &cells, beta, lambda, shift }.is_within(rho, effort)
            };
            let failed = [suspect.get()].into_iter().chain(0..neighbours.len()).find(fails);
            suspect.set(failed.unwrap_or(suspect.get()));
            failed.is_none()
        };
        least(|c| within(1.0 / c), guess, stride, effort.tolerance)
    };
    let rough = search(guess, STRIDE, ROUGH);
    // Either is proven to be enough.
    if rough.is_finite() { search(rough, 1.04, FINE).min(rough) } else { search(guess, STRIDE, FINE) }
}

/// The λ that have to be looked at, each with the largest shift in units of 1/c, rounded up.
fn neighbours(beta: f64) -> Vec<(f64, f64)> {
    // A shift that is too large by a twentieth costs a tenth of ρ.
    let pieces = (4..16u8).find(|pieces| beta <= 0.05 * f64::from(*pieces)).unwrap_or(16);
    let cut = |k: u8| if k == pieces { -beta } else { -beta * f64::from(k) / f64::from(pieces) };
    let below = (0..pieces).map(|k| (cut(k + 1), Enclosure::point(cut(k)).exp().hi().min(1.0)));
    [(beta, 1.0), (0.0, 1.0)].into_iter().chain(below).collect()
}

/// Whether ρ-zCDP surely holds with this multiple, for all neighbours and all orders, as a rough look tells.
#[cfg(feature = "claims")]
pub(super) fn is_concentrated<D: Density>(
    law: impl Fn(f64) -> D,
    rho: f64,
    beta: f64,
    multiple: f64,
) -> bool {
    let law = law(reach(&law(0.0), rho, beta, multiple));
    let cells = cells(&law, ROUGH.cells);
    [-beta, beta].into_iter().all(|lambda| {
        Pair { law: &law, cells: &cells, beta, lambda, shift: 1.0 / multiple }.is_within(rho, ROUGH)
    })
}

/// How far cells must reach, so that the bound for what lies beyond is small up to the order from which on orders are settled.
fn reach(law: &impl Density, rho: f64, beta: f64, multiple: f64) -> f64 {
    let bound = |alpha: f64| {
        let dilation = law.dilation(Enclosure::point(alpha), Enclosure::point(beta)).hi();
        dilation + law.steepest().hi() / multiple * libm::exp(beta)
    };
    let mut alpha = 1.1;
    while bound(alpha) > rho * alpha && alpha < 1e9 {
        alpha *= 1.1;
    }
    // √Pr(beyond) is about e^(−reach²/4)
    (2.0 * libm::sqrt((alpha - 1.0) * bound(2.0 * alpha - 1.0) + 15.0)).clamp(9.0, 30.0)
}

/// A cell of z ≥ 0 and what P is there.
struct Cell {
    ends: Enclosure,
    middle: f64,
    /// P's mass, rounded up.
    mass: f64,
    exponent: Enclosure,
    slope: Enclosure,
}

fn cells(law: &impl Density, per_deviation: f64) -> Vec<Cell> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few thousand
    let count = (per_deviation * law.reach()) as u32;
    let end = |k: u32| if k == 0 { 0.0 } else { law.at(f64::from(k) / f64::from(count)) };
    (0..count)
        .map(|k| {
            let (a, b) = (end(k), end(k + 1));
            let (ends, middle) = (Enclosure::new(a, b), 0.5 * (a + b));
            let mass = (law.tail(Enclosure::point(a)) - law.tail(Enclosure::point(b))).hi().max(0.0);
            Cell {
                ends,
                middle,
                mass,
                exponent: law.exponent(Enclosure::point(middle)),
                slope: law.slope(ends),
            }
        })
        .collect()
}

/// P, and Q: stretched by e^λ and shifted. The shift is 1/c to the nearest float, of which `is_within` takes a little more.
struct Pair<'a, D> {
    law: &'a D,
    cells: &'a [Cell],
    beta: f64,
    lambda: f64,
    shift: f64,
}

/// The mass of P where the loss is known to lie between two numbers.
struct Loss {
    mass: f64,
    low: f64,
    high: f64,
}

impl<D: Density> Pair<'_, D> {
    /// Whether D_α ≤ ρα surely for all α > 1.
    fn is_within(&self, rho: f64, effort: Effort) -> bool {
        let shift = Enclosure::point(self.shift.next_up());
        let losses = self.losses(shift);
        let sliding = self.law.steepest() * shift * Enclosure::point(self.beta).exp();
        let bound = |alpha: Enclosure| self.law.dilation(alpha, Enclosure::point(self.beta)) + sliding;
        let end = Enclosure::point(self.cells.last().map_or(0.0, |cell| cell.ends.hi()));
        let two = Enclosure::point(2.0);
        let outside_p = two * self.law.tail(end);
        let outside_q =
            two * self.law.tail(((end - shift) * Enclosure::point(-self.lambda).exp()).max(Enclosure::ZERO));
        // K at the order 1 + less_one, rounded up.
        let cumulant = |less_one: f64| {
            let alpha = Enclosure::ONE + Enclosure::point(less_one);
            let rest = outside_p.sqrt()
                * (Enclosure::point(less_one) * bound(two * alpha - Enclosure::ONE)).exp()
                + Enclosure::point(less_one) * outside_q;
            let inside =
                losses.iter().fold(0.0, |sum, loss| add_up(sum, mul_up(loss.mass, loss.excess(less_one))));
            (Enclosure::point(inside) + rest).ln_1p().hi()
        };
        // Whether K is at most the tangent that a gap of this width to the next order allows.
        let fits = |less_one: f64, found: f64, gap: f64| {
            let alpha = Enclosure::ONE + Enclosure::point(less_one);
            let room =
                Enclosure::point(less_one) * alpha - Enclosure::point(gap).square() * Enclosure::point(0.251);
            found <= (Enclosure::point(rho) * room).lo()
        };
        let (mut before, mut less_one) = (None, effort.first);
        loop {
            let found = cumulant(less_one);
            let fitting = match before {
                None => found <= (Enclosure::point(rho) * Enclosure::point(less_one)).lo(),
                Some(before) => fits(less_one, found, less_one - before),
            };
            let near = less_one * effort.step;
            match before {
                _ if fitting => {}
                // The gap was too wide: once more with a narrow one.
                Some(before) if less_one - before > 1.5 * before * effort.step => {
                    less_one = before * (1.0 + effort.step);
                    continue;
                }
                _ => return false,
            }
            if !fits(less_one, found, near) || less_one > 1e9 {
                return false;
            }
            let alpha = Enclosure::ONE + Enclosure::point(less_one);
            if bound(alpha).hi() <= (Enclosure::point(rho) * alpha).lo() {
                return true; // and for all larger orders
            }
            let far = if fits(less_one, 1.25 * found, less_one) { less_one } else { near };
            (before, less_one) = (Some(less_one), less_one + far);
        }
    }

    fn losses(&self, shift: Enclosure) -> Vec<Loss> {
        let squeeze = Enclosure::point(-self.lambda).exp();
        let mut losses = Vec::with_capacity(2 * self.cells.len());
        for cell in self.cells {
            for side in [-1.0, 1.0] {
                let side = Enclosure::point(side);
                let there = |z: Enclosure| (side * z - shift) * squeeze;
                let (middle, reach) = (there(Enclosure::point(cell.middle)), there(cell.ends));
                let slope = if reach.lo() >= 0.0 {
                    self.law.slope(reach)
                } else if reach.hi() <= 0.0 {
                    -self.law.slope(-reach)
                } else {
                    let steepest = self.law.steepest();
                    Enclosure::new(-steepest.hi(), steepest.hi())
                };
                let value = Enclosure::point(self.lambda)
                    + self.law.exponent(middle.max(-middle).max(Enclosure::ZERO))
                    - cell.exponent;
                let loss = value
                    + (side * (cell.ends - Enclosure::point(cell.middle)))
                        * (squeeze * slope - side * cell.slope);
                losses.push(Loss { mass: cell.mass, low: loss.lo(), high: loss.hi() });
            }
        }
        losses
    }
}

impl Loss {
    /// The largest g(L), rounded up.
    fn excess(&self, less_one: f64) -> f64 {
        let at = |loss: f64| add_up(exp_m1_up(mul_up(less_one, loss)), mul_up(less_one, exp_m1_up(-loss)));
        if self.low >= 0.0 {
            at(self.high)
        } else if self.high <= 0.0 {
            at(self.low)
        } else {
            at(self.low).max(at(self.high))
        }
        .max(0.0)
    }
}
