//! Rare large losses apart from the many small ones.
//!
//! The loss of one sampled run is nearly an atom: almost always it is tiny. |M(c+iy)| hardly falls
//! with y then, and its digits are those of the near-atom, not of the rare losses that make up δ.
//! So the law of a run is cut softly in three at two [steps](super::step): a bulk P₀ = w₀P of small
//! losses, rare losses P₁ = (1−w₀)·w₁P, and what is too improbable to count, (1−w₀)(1−w₁)P, which
//! counts as infinite loss. For the runs together, with M = M₀ + M₁,
//!
//! > ΠM^k = ΠM₀^k + D,  D = ΠM₀^k·(e^S − 1),  S = Σ k·ln(1 + M₁/M₀).
//!
//! **The bulk.** The first term is the moment function of a positive measure, whose profile at ε is
//! at most κ(c')·ΠM₀(c')^k·e^(−c'ε) for any c'. The cut is put so low that this is negligible. Laws
//! that are not cut have M₁ = 0.
//!
//! **The rest.** The second one is that of a positive measure, too: of all runs but those without a
//! rare loss. Its values come from M₁ without cancellation, and it falls off however few runs there
//! are, because M₁ does: with |M|, |M₀| ≤ M(c) a difference of products is at most
//!
//! > |D(c+iy)| ≤ ΠM(c)^k·Σ k·|M₁(c+iy)|/M(c),
//!
//! and M₁(c+iy) is bounded for all y beyond a point by [shifting](super::windowed) its integral.
//!
//! **Slices.** Losses far above ε may outweigh those that matter once they are tilted by e^(cL),
//! for every c that suits the latter. There the rare losses are cut once more, at a step w₁ as
//! steep as w₀ and far to the right of it, and D is the sum of two such differences,
//!
//! > (ΠM₁^k − ΠM₀^k) + (ΠM^k − ΠM₁^k),  M₁ for w₁P,
//!
//! each with a c of its own. In the first one w₁ − w₀ = w₁·(1 − e^(−(ζ₀−ζ₁))), and ζ₁ =
//! ζ₀·e^(−κ(X₁−X₀)) is below ζ₀ by a factor that is smaller than rounding.

mod node;

use dp_core::rounding::{Enclosure, sub_down, sub_up};

use node::Node;

use crate::sampling::Direction;

use super::cloud::Cloud;
use super::effort::Effort;
use super::line::{Line, Plan, Value, chernoff};
use super::logarithm::with_gaussian;
use super::loss::{Loss, Tilted};
use super::measure::{Measure, Moments, Start, Tilting};
use super::profile::Profile;
use super::sampled_gaussian::SampledGaussian;
use super::side::{Side, many};
use super::step::Step;
use super::windowed::{Shifted, Windowed};
use super::{UNIT, float};

/// All ways to lose something rare: D.
#[derive(Clone, Debug)]
pub(super) struct Rare {
    /// M₀ of all parts. What counts as infinite loss is counted here.
    bulk: Side,
    /// M₁ of some of them.
    rare: Vec<(usize, Windowed)>,
    /// c' and ln ΠM₀(c')^k for a bound on what the bulk adds.
    beneath: (f64, Enclosure),
}

/// D along the line through c.
pub(super) struct RareTilt {
    moments: Moments,
    gaussian: Enclosure,
    bulk: Vec<(Tilted, u64)>,
    rare: Vec<TiltedRare>,
    /// S at c.
    sum: Enclosure,
}

/// M₁ of one part along the line.
struct TiltedRare {
    part: usize,
    cloud: Cloud,
    shifted: Shifted,
    /// ln M₁(c), at least.
    log_moment: f64,
    /// Encloses M₁(c)/M₀(c).
    ratio: Enclosure,
}

/// How small the bulk may be relative to ε: parts of it that are tried.
const PARTS: [f64; 12] = [2.0, 3.0, 5.0, 8.0, 12.0, 18.0, 27.0, 40.0, 60.0, 100.0, 200.0, 400.0];

/// This many parts may be split: each takes some milliseconds.
const MOST_PARTS: usize = 16;

/// What part of the width that is aimed at may come from the bulk, and what part counts as infinite
/// loss.
const NEGLIGIBLE: f64 = 0.05;

/// While little is known of δ, it is judged as if it were this part of its upper end, …
const LIKELY_PART: f64 = 0.01;
/// … which this many splits are enough to find.
const MOST_SPLITS: usize = 8;

/// This many slices are cut off, at most.
const MOST_SLICES: usize = 4;

impl Rare {
    /// Sampled Gaussians without what is too improbable to count, `negligible` in all, which counts
    /// as infinite loss.
    fn trimmed(side: &Side, negligible: f64) -> Side {
        let runs = side.parts.iter().fold(0.0, |sum, (_, count)| sum + many(*count).hi());
        let mut trimmed = side.clone();
        for (loss, count) in &mut trimmed.parts {
            if let Loss::SampledGaussian(law @ SampledGaussian { direction: Direction::Remove, .. }) = loss {
                let rest = Windowed::trimmed(*law, (negligible / runs).max(1e-290));
                let infinite = Enclosure::new(0.0, rest.infinite()).probability();
                trimmed.log_finite = trimmed.log_finite + many(*count) * (-infinite).ln_1p();
                *loss = Loss::Windowed(rest);
            }
        }
        trimmed
    }

    /// Splits the sampled Gaussians of a trimmed side at a loss that is an n-th of ε: the largest
    /// one for which the bulk adds at most `negligible` to δ(ε).
    fn new(trimmed: &Side, epsilon: f64, negligible: f64) -> Option<Self> {
        // The smaller the losses of the bulk, the less it adds.
        let of = |part: &f64| Self::split(trimmed, epsilon, *part, negligible);
        let first = PARTS.partition_point(|part| of(part).is_none());
        PARTS.get(first).and_then(of)
    }

    /// Splits at an n-th of ε, where the bulk adds no more than that.
    fn split(trimmed: &Side, epsilon: f64, part: f64, negligible: f64) -> Option<Self> {
        let (mut bulk, mut rare) = (trimmed.clone(), Vec::new());
        for (i, (loss, _)) in bulk.parts.iter_mut().enumerate() {
            let Loss::Windowed(whole) = *loss else { continue };
            let step = cut(whole.law, epsilon / part);
            // A part whose larger losses are all too improbable to count stays as it is.
            if step.at < whole.to.at {
                *loss = Loss::Windowed(Windowed { to: step, ..whole });
                rare.push((i, Windowed { from: Some(step), ..whole }));
            }
        }
        if rare.is_empty() {
            return None;
        }
        let beneath = beneath(&bulk, 0.99 * epsilon, part, negligible)?;
        Some(Self { bulk, rare, beneath })
    }

    /// Splits near the ε at which the profile is `delta`, as far as that is known, and finds the
    /// saddle point.
    fn near(trimmed: &Side, delta: f64, known: Enclosure, negligible: f64) -> Option<(Self, Moments)> {
        let start = Start::anew(0.0, 0.05);
        let mut near = if known.lo() > 0.0 {
            known.lo()
        } else {
            trimmed.saddle_for_delta(delta, start)?.0.likely_epsilon().clamp(0.1 * known.hi(), known.hi())
        };
        for _ in 0..12 {
            let Some(rare) = Self::new(trimmed, near, negligible) else {
                // Whatever is cut, the bulk reaches so small an ε.
                near *= 2.5;
                if near > known.hi() {
                    return None;
                }
                continue;
            };
            let (saddle, _) = rare.saddle_for_delta(delta, start)?;
            let likely = saddle.likely_epsilon().min(known.hi());
            // Where it is so large that it cannot be: the rare losses alone are too improbable.
            if likely <= 0.0 {
                near /= 3.0;
            } else if chernoff(rare.beneath, likely).hi() > 4.0 * negligible {
                near = likely;
            } else {
                return Some((rare, saddle));
            }
        }
        None
    }

    /// This measure cut in two where it would have a valley if it were tilted by c. Nothing if it
    /// has none, or not in the right place.
    fn sliced(&self, c: f64) -> Option<(Self, Self)> {
        let loss = self.rare.iter().filter_map(|(_, window)| window.valley(c)).fold(f64::INFINITY, f64::min);
        let (mut below, mut above) = (self.clone(), self.clone());
        for (i, (part, window)) in self.rare.iter().enumerate() {
            let from = window.from?;
            let mut step = Step { at: cut(window.law, loss).at, ..from };
            // The step that trims is another one: what lies beyond it counts as infinite whatever
            // was cut before.
            if window.to.steepness == step.steepness {
                step.at = step.at.min(window.to.far_below());
            }
            if !(from.at <= step.far_below() && step.at < window.to.at) {
                return None;
            }
            below.rare[i].1.to = step;
            above.rare[i].1.from = Some(step);
            above.bulk.parts[*part].0 = Loss::Windowed(Windowed { law: window.law, from: None, to: step });
        }
        Some((below, above))
    }

    /// Lines for the profile near the ε of the saddle point, which lies `within`; for slices `find`
    /// finds one of their own.
    fn laid(
        &self,
        saddle: Moments,
        within: Enclosure,
        find: impl Fn(&Self, Start) -> Option<(Moments, f64)>,
    ) -> Option<(Profile, f64)> {
        let start = Start::anew(0.0, 0.05);
        let line = |rare: &Self, at, near| Plan::new(rare, at, near, 0.0, None).map(Line::new);
        let (mut lowest, mut at, mut above) = (self.clone(), saddle, Vec::new());
        while above.len() < MOST_SLICES
            && let Some((below, rest)) = lowest.sliced(at.c)
        {
            at = find(&below, Start { c: at.c, ..start })?.0;
            above.push(rest);
            lowest = below;
        }
        let near = at.likely_epsilon().clamp(within.lo(), within.hi());
        let mut profile = Profile::of(line(&lowest, at, near)?.above(self.beneath));
        for slice in &above {
            let (at, _) = slice.saddle_for_epsilon(near, start)?;
            profile = profile.and(line(slice, at, near)?);
        }
        Some((profile, near))
    }

    /// S and D at c from those of the parts.
    fn composed(&self, c: f64, bulk: &[Moments], rare: &[Moments]) -> Option<(Moments, Enclosure)> {
        let mut below = self.bulk.gaussian_moments(c, 0.0);
        for (moments, (_, count)) in bulk.iter().zip(&self.bulk.parts) {
            below.add(*moments, *count);
        }
        let (mut sum, mut slope, mut curvature) = (Enclosure::ZERO, 0.0, 0.0);
        for (above, (part, _)) in rare.iter().zip(&self.rare) {
            let (below, count) = (bulk[*part], many(self.bulk.parts[*part].1));
            let ratio = (above.log_moment - below.log_moment).exp();
            sum = sum + count * ratio.ln_1p();
            // The derivatives of ln(1 + ρ), ρ = M₁/M₀.
            let share = ratio.hi() / (1.0 + ratio.hi());
            let apart = above.mean - below.mean;
            slope += count.hi() * share * apart;
            curvature +=
                count.hi() * share * ((1.0 - share) * apart * apart + above.variance - below.variance);
        }
        // ln(e^S − 1) = S + ln(1 − e^−S), with the derivatives S′g and S″g − S′²·g(g−1), g = 1/(1 −
        // e^−S).
        let log_rest = (-(-sum).exp_m1()).ln();
        let g = libm::exp(-log_rest.hi());
        let moments = Moments {
            c,
            log_moment: below.log_moment + sum + log_rest,
            mean: below.mean + slope * g,
            variance: (below.variance + curvature * g - slope * slope * g * (g - 1.0)).max(0.0),
        };
        Some((moments.known()?, sum))
    }
}

/// A c' at which Chernoff's bound for the bulk is small enough, and ln ΠM₀(c')^k.
fn beneath(bulk: &Side, epsilon: f64, part: f64, negligible: f64) -> Option<(f64, Enclosure)> {
    let (mut c, mut least) = (part / epsilon, f64::INFINITY);
    loop {
        let found = (c, bulk.moments(c, 0.0)?.log_moment);
        let bound = chernoff(found, epsilon).hi();
        if bound <= negligible {
            return Some(found);
        }
        if bound >= least {
            return None;
        }
        (c, least) = (1.4 * c, bound);
    }
}

/// The step at a loss.
fn cut(law: SampledGaussian, loss: f64) -> Step {
    let SampledGaussian { rate, mu, .. } = law;
    let at = (libm::log1p(libm::expm1(loss) / rate) + mu * mu / 2.0) / mu;
    Step { at, steepness: at.max(0.0) + 2.0 + 20.0 * mu }
}

impl Measure for Rare {
    type Tilted = RareTilt;

    fn moments(&self, c: f64, _dither: f64) -> Option<Moments> {
        let (accuracy, effort) = (self.bulk.accuracy(), &self.bulk.effort);
        let bulk: Option<Vec<_>> =
            self.bulk.parts.iter().map(|(loss, _)| loss.moments(c, accuracy, effort)).collect();
        let rare: Option<Vec<_>> =
            self.rare.iter().map(|(_, law)| law.moments(c, accuracy, effort)).collect();
        self.composed(c, &bulk?, &rare?).map(|(moments, _)| moments)
    }

    fn tilt(&self, c: f64, reach: f64, _dither: f64) -> Option<RareTilt> {
        let effort = &self.bulk.effort;
        let bulk: Option<Vec<_>> = self
            .bulk
            .parts
            .iter()
            .map(|(loss, count)| Some((loss.tilt(c, reach, effort)?, *count)))
            .collect();
        let bulk = bulk?;
        let mut rare = Vec::with_capacity(self.rare.len());
        for (part, law) in &self.rare {
            let (cloud, shifted) = (law.tilt(c, reach, effort)?, Shifted::new(law, c, 0.0, effort)?);
            let log_moment = cloud.moments(c).log_moment;
            let ratio = (log_moment - bulk[*part].0.moments.log_moment).exp();
            rare.push(TiltedRare { part: *part, cloud, shifted, log_moment: log_moment.lo(), ratio });
        }
        let below: Vec<_> = bulk.iter().map(|(part, _)| part.moments).collect();
        let above: Vec<_> = rare.iter().map(|part| part.cloud.moments(c)).collect();
        let (moments, sum) = self.composed(c, &below, &above)?;
        Some(RareTilt { moments, gaussian: self.bulk.gaussian, bulk, rare, sum })
    }

    fn likely_reach(&self, at: &Moments, wanted: f64) -> f64 {
        let simple = self.bulk.likely_reach(at, wanted);
        let Some(tilt) = self.tilt(at.c, 0.0, 0.0) else { return simple };
        let mut reach = simple;
        while tilt.log_decay(reach) > -wanted && reach < 1e9 {
            reach *= 1.1;
        }
        reach
    }

    fn mass(&self) -> f64 {
        self.bulk.mass()
    }

    fn parts(&self) -> usize {
        self.bulk.parts()
    }

    fn effort(&self) -> &Effort {
        &self.bulk.effort
    }

    fn is_even(&self) -> bool {
        false
    }
}

impl Tilting for RareTilt {
    fn moments(&self) -> Moments {
        self.moments
    }

    fn size(&self) -> f64 {
        // Clouds of this many points that transforms serve.
        200.0 * float(self.bulk.len() + self.rare.len())
    }

    fn log_decay(&self, reach: f64) -> f64 {
        // k·M₁/M = k·ρ/(1+ρ), and ΠM^k/D = 1/(1 − e^−S).
        let parts = self.rare.iter().map(|part| {
            let share = part.ratio.hi() / (1.0 + part.ratio.hi());
            let decay = part.shifted.log_decay(reach) - part.log_moment;
            many(self.bulk[part.part].1).hi() * share * libm::exp(decay.min(0.0))
        });
        let gaussian = -0.5 * self.gaussian.lo() * reach * reach * (1.0 - 8.0 * UNIT);
        (libm::log(parts.sum()) - libm::log(-libm::expm1(-self.sum.lo())) + gaussian + 1e-9).min(0.0)
    }

    fn values(&self, step: f64, count: usize) -> Vec<Value> {
        let mut nodes = vec![Node::default(); count];
        for (part, (law, times)) in self.bulk.iter().enumerate() {
            let times = many(*times).hi();
            let mut values = Vec::with_capacity(count);
            law.along(step, count, |j, re, im, error| {
                nodes[j].bulk.add(times, re, im, error);
                values.push((re, im, error));
            });
            match self.rare.iter().find(|rare| rare.part == part) {
                None => {
                    for (node, (re, im, error)) in nodes.iter_mut().zip(values) {
                        node.whole.add(times, re, im, error);
                    }
                }
                Some(rare) => {
                    rare.cloud.along(step, count, |j, re, im, error| {
                        nodes[j].add(times, values[j], (re, im, error), rare.ratio);
                    });
                }
            }
        }
        let (mut bulk, mut whole): (Vec<_>, Vec<_>) =
            nodes.iter().map(|node| (node.bulk, node.whole)).unzip();
        with_gaussian(&mut bulk, self.gaussian, self.moments.c, step);
        with_gaussian(&mut whole, self.gaussian, self.moments.c, step);
        let values = nodes.iter().zip(bulk.into_iter().zip(whole));
        values.map(|(node, (bulk, whole))| node.value(bulk, whole, self.sum)).collect()
    }
}

impl Side {
    /// Whether there is something to split, and not too much of it.
    fn can_be_split(&self) -> bool {
        let removed = |(loss, _): &(Loss, u64)| {
            matches!(loss, Loss::SampledGaussian(SampledGaussian { direction: Direction::Remove, .. }))
        };
        self.parts.len() <= MOST_PARTS && self.parts.iter().any(removed)
    }

    /// Encloses the smallest ε ≥ 0 with δ(ε) ≤ `delta`, which is `known` to lie somewhere.
    ///
    /// Roughly first, which costs little and shows where to cut.
    pub(super) fn rare_epsilon(&self, delta: f64, accuracy: f64, known: Enclosure) -> Enclosure {
        let mut found = known;
        let finite = sub_down(delta, self.infinite().hi());
        for sharpness in [1e-2_f64.max(accuracy), accuracy, accuracy] {
            if found.relative_width() <= accuracy || !self.can_be_split() {
                break;
            }
            let negligible = NEGLIGIBLE * sharpness * finite;
            let trimmed = Rare::trimmed(self, negligible);
            let infinite = trimmed.infinite();
            let (least, most) = (sub_down(delta, infinite.hi()), sub_up(delta, infinite.lo()));
            if least <= 0.0 {
                break;
            }
            let Some((rare, saddle)) = Rare::near(&trimmed, least, found, negligible) else { break };
            let find = |rare: &Rare, start| rare.saddle_for_delta(least, start);
            let Some((profile, likely)) = rare.laid(saddle, found, find) else { break };
            let before = found.relative_width();
            found = found.meet(profile.epsilon(least, most, likely, found));
            if sharpness == accuracy && found.relative_width() > 0.5 * before {
                break;
            }
        }
        found
    }

    /// Encloses δ(ε), which is `known` to lie somewhere.
    pub(super) fn rare_delta(&self, epsilon: f64, accuracy: f64, known: Enclosure) -> Enclosure {
        let mut found = known;
        for _ in 0..MOST_SPLITS {
            if found.relative_width() <= accuracy || !self.can_be_split() {
                break;
            }
            // What is neglected is judged by what δ is, which the first splits find.
            let likely = found.lo().max(LIKELY_PART * found.hi());
            let negligible = NEGLIGIBLE * accuracy * likely;
            let trimmed = Rare::trimmed(self, negligible);
            let Some(rare) = Rare::new(&trimmed, epsilon, negligible) else { break };
            let Some((saddle, _)) = rare.saddle_for_epsilon(epsilon, Start::anew(0.0, 0.05)) else { break };
            let find = |rare: &Rare, start| rare.saddle_for_epsilon(epsilon, start);
            let Some((profile, _)) = rare.laid(saddle, Enclosure::point(epsilon), find) else { break };
            let before = found;
            found = found.meet((profile.enclose(epsilon) + trimmed.infinite()).probability());
            let closer = found.hi() < 0.5 * before.hi() || found.lo() > 2.0 * before.lo();
            if !closer && found.relative_width() > 0.5 * before.relative_width() {
                break;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
