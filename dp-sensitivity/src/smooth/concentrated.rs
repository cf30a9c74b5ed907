//! Calibration to ρ-zCDP: a multiple c that is enough for all neighbours and all orders.
//!
//! # What must hold
//! Noise c·S(x)·Z is ρ-zCDP when D_α(P‖Q) ≤ ρα for all α > 1 and all P and Q that neighbours can
//! have. In units of P's scale and centre, P is the law of Z, and Q that of s + e^λ·Z, with
//!
//! > |λ| ≤ β and |s| ≤ min(1, e^λ)/c:
//!
//! the scales are c·S(x) and c·S(y) = e^λ·c·S(x), and the answers differ by at most the smaller of
//! S(x) and S(y).
//!
//! # Finitely many neighbours
//! By the lemmas of [the module](super) D_α rises with |s|, and for a fixed s it is convex in λ. So
//! on a range p ≤ λ ≤ q it is enough to look at λ = p and λ = q with one shift that is at least all
//! of those in the range.
//! - *0 ≤ λ ≤ β.* The shift is at most 1/c: look at (0, 1/c) and (β, 1/c).
//! - *−β ≤ λ ≤ 0* is cut into pieces. On p ≤ λ ≤ q the shift is at most e^q/c: look at (p, e^q/c).
//!   At (q, e^q/c) the piece above, or (0, 1/c), has been looked at with a larger shift.
//!
//! This is what `neighbours` lists. The number of pieces, and all of [`Effort`], decide how much
//! noise is found, never whether it is enough.
//!
//! # One pair
//! [`orders`] bounds D_α for all orders at once, from a table of P that all pairs share (`cells`).
//!
//! # What is trusted
//! That each law meets the contract of [`Density`], which its own file derives; that `Enclosure`
//! encloses; and `least`, which returns only a multiple that was judged to be enough.
//! `branch_and_bound` proves the result in another way, for all ρ ≤ 10⁻².
//!
//! # Small ρ
//! Nothing above supposes that ρ is large or small; only accuracy changes. Losses are about √(2ρ)
//! and must be known to a hundredth of that. In a cell of width w, L' is the difference of two
//! slopes of φ, each of which is known to about w, so L is known to about w²: cells get finer like
//! ρ^¼ (`finer`). Rounding adds 2⁻⁵⁰·φ ≤ 10⁻¹² to a loss, and 2·10⁻⁹ where a law is known by a
//! quadrature of that accuracy; √(2ρ) is 1.4·10⁻³ at the least ρ that is allowed, and 1.4·10⁻² for
//! such a law.

mod orders;

use dp_core::rounding::{Enclosure, mul_up};

use super::calibrated::with_margin;
use super::choice::least;
use orders::Pair;

/// A law for which the concentrated calibration is proven.
///
/// # Contract
/// It is symmetric and has a positive density e^−φ up to a constant; φ rises with |z|, is
/// Lipschitz, and φ(e^v) is convex in v. For all z ≥ 0, everything here encloses or bounds what it
/// says, whatever the interval.
pub trait Density {
    /// Encloses φ(z), up to one constant. Asked for a z that is known to a few digits less than a
    /// float.
    fn exponent(&self, z: Enclosure) -> Enclosure;
    /// Encloses φ' on an interval of z ≥ 0.
    fn slope(&self, z: Enclosure) -> Enclosure;
    /// Encloses Pr(Z > z) for z ≥ 0.
    fn tail(&self, z: Enclosure) -> Enclosure;
    /// Its upper end is at least φ'(z), for all z.
    fn steepest(&self) -> Enclosure;
    /// Its upper end is at least D_α(Z‖e^±t·Z), for a t > 0. It rises with t, and divided by α it
    /// falls in α.
    fn dilation(&self, alpha: Enclosure, t: Enclosure) -> Enclosure;
    /// The ends of cells: 0 at 0, rising, and at 1 about where the normal that makes the tail is at
    /// its reach.
    fn at(&self, share: f64) -> f64;
    /// Up to how many standard deviations of the normal that makes the tail everything here is
    /// accurate. Beyond, it is still true.
    fn reach(&self) -> f64;
}

/// How far a search goes.
#[derive(Clone, Copy)]
struct Effort {
    /// How many cells there are on either side of zero, for each standard deviation of the reach.
    cells: f64,
    /// By which factor α − 1 grows from one order to the next, less one, where the divergences come
    /// near to ρα. Elsewhere it doubles.
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

/// A multiple that is enough for a bound with this β, close to the least; infinite where none was
/// found. The law is made for a reach.
pub(super) fn multiple<D: Density>(law: impl Fn(f64) -> D, rho: f64, beta: f64) -> f64 {
    let guess = 0.8 * law(0.0).steepest().hi() / libm::sqrt(2.0 * rho); // most of ε for the shift
    let beta = with_margin(beta); // scales are rounded
    // The loss on a cell is known to about the square of its width, and must be known to a
    // hundredth of √(2ρ).
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

/// The pairs that have to be looked at: λ, and the shift in units of 1/c, rounded up.
fn neighbours(beta: f64) -> Vec<(f64, f64)> {
    // A shift that is too large by a twentieth costs a tenth of ρ.
    let pieces = (4..16u8).find(|pieces| beta <= 0.05 * f64::from(*pieces)).unwrap_or(16);
    let cut = |k: u8| if k == pieces { -beta } else { -beta * f64::from(k) / f64::from(pieces) };
    let below = (0..pieces).map(|k| (cut(k + 1), Enclosure::point(cut(k)).exp().hi().min(1.0)));
    [(beta, 1.0), (0.0, 1.0)].into_iter().chain(below).collect()
}

/// Whether ρ-zCDP surely holds with this multiple, for all neighbours and all orders, by a rough
/// search: on −β ≤ λ ≤ β with one shift the ends are the worst.
#[cfg(any(test, feature = "internals"))]
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

/// How far cells must reach, so that the bound for what lies beyond is small up to the order from
/// which on orders are settled. A guess: what lies beyond is counted in any case.
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

/// The cells from 0 on. Each begins where the one before ends, so that nothing is left out, and the
/// last end is where [`orders`] begins to speak of what lies beyond.
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
