//! The profile of a composition as an integral along a line, with a proven error.
//!
//! Let L be the sum of all losses of a composition under P, and M(s) = E e^(sL) its moment
//! function: the product of those of the parts. For c > 0
//!
//! > δ(ε) = E(1 − e^(ε−L))₊ = (1/2πi) ∫_{c−i∞}^{c+i∞} e^(−sε)·M(s)/(s(s+1)) ds,
//!
//! because ∫ e^(sε)·(1 − e^(ε−L))₊ dε = e^(sL)/(s(s+1)). Nothing is discretised. Four errors
//! remain, and all are bounded:
//!
//! **Aliases.** The trapezoidal rule of step h gives, by Poisson's summation formula, exactly Σ_m
//! e^(cmW)·δ(ε+mW), W = 2π/h. Every term is positive, so the sum is an upper bound as it stands;
//! the terms other than m = 0 are bounded by δ(x) ≤ 1 and by Chernoff's bound δ(x) ≤
//! κ(c')·M(c')·e^(−c'x) on lines to the left and right of c, for which M at two *real* points is
//! enough.
//!
//! **The cut.** |M(c+iy)| ≤ M(c) always, and 1/|s(s+1)| falls as 1/y². For laws with a density a
//! better bound for all y beyond a point comes from the uniform laws that they
//! [contain](components).
//!
//! **Dither.** Laws with atoms do not fall off. There a Gaussian of variance v is composed with the
//! rest. It multiplies M by e^(v(s²+s)/2), which ends the integral, and it can only raise the
//! profile. By how much? In units of e^ε and under Q, (e^x − 1)₊ at x = L − ε turns into its mean
//! under a log-normal factor, whose derivative in the variance w is half the density N(x; w/2, w).
//! For w ≤ v that is at most √(v/w)·e^((v−w)/8)·N(x; v/2, v), because N(x; w/2, w) = e^(x/2 − x²/2w
//! − w/8)/√(2πw). Integrated over w from 0 to v:
//!
//! > δ_v(ε) − v·e^(v/8)·p_v(ε) ≤ δ(ε) ≤ δ_v(ε),
//!
//! p_v being the density of the dithered loss at ε, the same integral without 1/(s(s+1)). Second
//! order in the width √v of the dither. Where ε is so large that v > 1 is a small dither, a
//! first-order bound is better: the composition of (ε, δ(ε)) with the dither's (s, δ_G(s)) gives
//! δ(ε) ≥ δ_v(ε+s) − δ_G(s).
//!
//! **Rare losses.** Few runs of a sampled mechanism are nearly an atom and rare losses beside it.
//! Those of a sampled Gaussian are [integrated alone](rare), which takes no dither.
//!
//! **Rounding.** Each value of M carries a bound on its error. Since c is near the saddle point,
//! the terms of the sum are not larger than what they add up to by more than a small factor, so δ
//! is relatively accurate however small it is.

mod atoms;
mod build;
mod cloud;
mod components;
mod effort;
mod fourier;
mod line;
mod logarithm;
mod loss;
mod measure;
mod outer;
mod profile;
mod rare;
mod sampled_gaussian;
mod side;
mod step;
mod windowed;

pub(crate) use cloud::{Cloud, Point};
pub(crate) use components::Components;
pub(crate) use effort::Effort;
#[cfg(feature = "internals")]
pub(crate) use fourier::transform_error;
pub(crate) use loss::{Loss, MomentFunction, Tilted, TiltedLoss};
pub(crate) use measure::Moments;
pub(crate) use sampled_gaussian::SampledGaussian;
pub(crate) use side::{Side, many};

use dp_core::rounding::{Enclosure, sub_down, sub_up};

use line::{Hint, Line, Plan};
use measure::{Measure, Start};
use profile::Profile;

/// Half the distance of 1 to the next float: the relative error of one operation.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// An ε below this need not be known better.
const NEGLIGIBLE_EPSILON: f64 = 1e-100;

/// How near the saddle point of a dithered line is found: the lines before have shown where it is,
/// so few moments are enough.
const DITHERED_PRECISION: f64 = 0.02;
/// As long as a dither shrinks the bracket below this part of its width, the next one may be worth
/// its price; two in a row that do not end the search.
const PROGRESS: f64 = 0.8;
/// A dither of variance v moves ε by about v·(c+1)/2 at the saddle point c: a half of the width
/// that is aimed at is left for the rest.
const SHARE_OF_DITHER: f64 = 4.0;

/// The first dither of a search for ε has this standard deviation in parts of the largest possible
/// ε, …
const FIRST_SPREAD: f64 = 0.05;
/// … but no larger a variance than this in parts of that ε: its own mean loss is half the variance.
const FIRST_VARIANCE: f64 = 0.1;
/// Dithers of a search for ε, at most: nine steps by 64 lead from the first one below what rounding
/// leaves.
const EPSILON_DITHERS: usize = 10;
/// How much smaller the next dither is, at most: its line takes eight times as many nodes.
const EPSILON_STEP: f64 = 64.0;
/// How much smaller it is at least, or little would change.
const LEAST_STEP: f64 = 4.0;
/// This many dithers in a row may leave the bracket as it is: the first number while no lower end
/// is known, when the dither may just be too wide; the second one after that, when rounding is what
/// is left.
const STALLED: [u32; 2] = [6, 2];
/// While no lower end is known, the bracket of ε is judged as if it began at this part of its upper
/// end.
const LIKELY_PART: f64 = 0.01;

/// Dithers of a search for δ, at most.
const DELTA_DITHERS: usize = 4;
/// How much smaller the next one is.
const DELTA_STEP: f64 = 16.0;

impl Side {
    /// Encloses the smallest ε ≥ 0 with δ(ε) ≤ `delta`, aiming at a relative width of `accuracy`.
    /// An ε below `floor` need not be known better.
    pub(crate) fn epsilon(&self, delta: f64, accuracy: f64, floor: f64) -> Enclosure {
        let infinite = self.infinite();
        if delta == 0.0 {
            // The largest loss. Each part's is attained, or nearly so.
            let end = |infinite: f64, largest: f64| if infinite > 0.0 { f64::INFINITY } else { largest };
            return Enclosure::new(
                end(infinite.lo(), self.max_loss.lo()),
                end(infinite.hi(), self.max_loss.hi()),
            );
        }
        // The finite losses may have this much: at least, and at most.
        let (least, most) = (sub_down(delta, infinite.hi()), sub_up(delta, infinite.lo()));
        if most < 0.0 {
            return Enclosure::point(f64::INFINITY);
        }
        if least <= 0.0 {
            // Only a bounded loss could do with nothing.
            let ceiling = if infinite.hi() <= delta { self.max_loss.hi() } else { f64::INFINITY };
            return Enclosure::new(0.0, ceiling);
        }
        let mut found = Enclosure::new(0.0, self.max_loss.hi());
        if self.max_loss.hi() == 0.0 || least >= 1.0 {
            return Enclosure::ZERO;
        }
        if floor > 0.0 {
            // One look, at the c that would be the best for a Gaussian loss.
            let bound = self.moments(-2.0 * libm::log(least) / floor, 0.0).map(|at| at.epsilon_bound(least));
            found = found.meet(Enclosure::new(0.0, bound.unwrap_or(f64::INFINITY)));
            if found.hi() <= floor {
                return found;
            }
        }
        let (start, hint) = self.scouted(|pilot, start| pilot.saddle_for_delta(least, start), None);
        let Some((saddle, bound)) = self.saddle_for_delta(least, start) else { return found };
        found = found.meet(Enclosure::new(0.0, bound.max(0.0)));
        if found.hi() <= floor || saddle.is_blurred() {
            return found;
        }
        let guess = saddle.likely_epsilon().clamp(0.0, found.hi());
        if let Some(plan) = Plan::new(self, saddle, guess, 0.0, hint) {
            found = found.meet(Profile::of(Line::new(plan)).epsilon(least, most, guess, found));
        }
        let negligible = floor.max(NEGLIGIBLE_EPSILON);
        if found.relative_width() > accuracy && found.hi() > negligible {
            found = self.rare_epsilon(delta, accuracy, found);
        }
        // Dithers: a wide one first, which costs little and shows where to look.
        let mut dither = square(FIRST_SPREAD * found.hi()).min(FIRST_VARIANCE * found.hi());
        let mut stalled = 0;
        for round in 0..EPSILON_DITHERS {
            if found.relative_width() <= accuracy || found.hi() <= negligible || !dither.is_normal() {
                break;
            }
            // Where no lower end is known yet: near the Gaussian guess, and half-way, in turns.
            let middle = if found.lo() == 0.0 && round % 2 == 0 {
                guess
            } else {
                found.lo() + (found.hi() - found.lo()) / 2.0
            };
            let start = Start { c: saddle.c, dither, precision: DITHERED_PRECISION };
            let dithered = if found.lo() == 0.0 {
                self.saddle_for_delta(least, start)
            } else {
                self.saddle_for_epsilon(middle, start)
            };
            let Some((at, _)) = dithered else { break };
            let c = at.c;
            let Some(plan) = Plan::new(self, at, middle, dither, None) else { break };
            let before = found.hi() - found.lo();
            found = found.meet(Profile::of(Line::new(plan)).epsilon(least, most, middle, found));
            stalled = if found.hi() - found.lo() > PROGRESS * before { stalled + 1 } else { 0 };
            if stalled >= STALLED[usize::from(found.lo() > 0.0)] {
                break;
            }
            let enough = accuracy * found.lo().max(LIKELY_PART * found.hi()) / (SHARE_OF_DITHER * (c + 1.0));
            dither = (dither / EPSILON_STEP).max(enough.min(dither / LEAST_STEP));
        }
        found
    }

    /// Encloses δ(ε) for ε ≥ 0, aiming at a relative width of `accuracy`. A δ below `floor` need
    /// not be known better.
    pub(crate) fn delta(&self, epsilon: f64, accuracy: f64, floor: f64) -> Enclosure {
        if epsilon >= self.max_loss.hi() {
            return self.infinite();
        }
        let mut found = Enclosure::new(0.0, 1.0);
        let (start, hint) =
            self.scouted(|pilot, start| pilot.saddle_for_epsilon(epsilon, start), Some(epsilon));
        let Some((saddle, bound)) = self.saddle_for_epsilon(epsilon, start) else { return found };
        let most = (Enclosure::point(bound).exp() + self.infinite()).hi().min(1.0);
        found = found.meet(Enclosure::new(0.0, most));
        let on = |plan: Plan<side::Tilt>| {
            (Profile::of(Line::new(plan)).enclose(epsilon) + self.infinite()).probability()
        };
        if saddle.is_blurred() || found.hi() <= floor {
            return found;
        }
        let mut dither = accuracy / (SHARE_OF_DITHER * (saddle.c + 1.0) * saddle.c.max(0.1));
        if let Some(plan) = Plan::new(self, saddle, epsilon, 0.0, hint) {
            found = found.meet(on(plan));
        }
        if found.relative_width() > accuracy {
            found = self.rare_delta(epsilon, accuracy, found);
        }
        for _ in 0..DELTA_DITHERS {
            if found.relative_width() <= accuracy {
                break;
            }
            let start = Start { c: saddle.c, dither, precision: DITHERED_PRECISION };
            let Some((at, _)) = self.saddle_for_epsilon(epsilon, start) else { break };
            let Some(plan) = Plan::new(self, at, epsilon, dither, None) else { break };
            let before = found.hi() - found.lo();
            found = found.meet(on(plan));
            if found.hi() - found.lo() > PROGRESS * before {
                break;
            }
            dither /= DELTA_STEP;
        }
        found
    }

    /// Where to start, from a look at a few of the parts where there are many. It proves nothing.
    fn scouted(
        &self,
        saddle: impl Fn(&Side, Start) -> Option<(Moments, f64)>,
        epsilon: Option<f64>,
    ) -> (Start, Option<Hint>) {
        let anew = Start::anew(0.0, 0.05);
        let Some(pilot) = self.pilot() else { return (anew, None) };
        let Some((at, _)) = saddle(&pilot, anew) else { return (anew, None) };
        let epsilon = epsilon.unwrap_or(at.likely_epsilon().max(0.0));
        let plan = Plan::new(&pilot, at, epsilon, 0.0, None);
        (Start { c: at.c, ..anew }, plan.map(|plan| plan.hint(at.c)))
    }
}

fn square(x: f64) -> f64 {
    x * x
}

/// An index or a count of nodes as a float.
#[allow(clippy::cast_precision_loss, reason = "far below 2⁵²")]
pub(crate) fn float(index: usize) -> f64 {
    index as f64
}

#[cfg(test)]
mod tests;
