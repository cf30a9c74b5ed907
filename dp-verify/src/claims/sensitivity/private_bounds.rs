//! S17: a private bound on the local sensitivity, and noise for it.
//!
//! About [`dp_sensitivity::PrivateSensitivityBound`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::pairs::{DominatingPair, LaplacePair};
use dp_core::rounding::{Enclosure, div_down, div_up};
use dp_core::{AddRemove, Epsilon, Error, Finite, L1, Query, Sensitivity, SensitivityIn};

use super::passing::verdict;
use dp_sensitivity::internals::bound_from;
use dp_sensitivity::{PrivateSensitivityBound, SensitivityBound};

pub(super) const S17: Claim = Claim {
    id: "S17",
    source: "Wang, the lemma on private bounds of local sensitivity",
    statement: "an ε-private bound on the local sensitivity that fails with probability δ, then Laplace noise for it at ε, is (2ε,δ)-private",
    formula: "Pr(Δ̃ < LS(x)) ≤ δ  ⇒  δ(2ε) ≤ δ",
    meaning: "One may first release a bound on the local sensitivity, with a privacy budget of its own, and then add noise for this bound. The bound must be too small only with probability δ, so the library raises the noisy statistic by as much as its noise can be below zero with that probability. \
         The exact divergence of both releases together was computed by cutting the noisy statistic into cells, for a query whose local sensitivity grows with the data. \
         It stays below the claim, and comes near it where the query is most sensitive. \
         Leaving out the raise, or halving the noise, is found out.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || check(Variant::default()).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// What may be done wrong.
#[derive(Clone, Copy, Default)]
struct Variant {
    /// The noisy statistic is taken for a bound as it is.
    not_raised: bool,
    /// The answer gets half of the noise.
    half_the_noise: bool,
}

const EPSILON: f64 = 1.0;
const DELTA: f64 = 0.02;
const MOST: i32 = 40;

/// x(x−1)/2 of a number x that one step changes by one: from x to x + 1 it moves by x, so its local
/// sensitivity is x, like that of triangles in dense graphs is a degree.
struct Pairs;

impl Query for Pairs {
    type Data = i32;
    type Answer = Finite;
    type Adjacency = AddRemove;

    fn answer(&self, x: &i32) -> Result<Finite, Error> {
        Ok((x * (x - 1) / 2).into())
    }
}

impl SensitivityIn<L1> for Pairs {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(f64::from(MOST)).expect("a number")
    }
}

impl SensitivityBound<Self> for Pairs {
    fn statistic(&self, _: &Self, x: &i32) -> Result<f64, Error> {
        Ok(f64::from(*x))
    }
    fn step(&self) -> f64 {
        1.0
    }
    fn bound(&self, _: &Self, statistic: f64) -> f64 {
        statistic
    }
}

/// The exact divergence of neighbours, by cells of the noisy statistic.
fn check(variant: Variant) -> Result<Finding, Error> {
    let release = PrivateSensitivityBound::split(Pairs, Pairs, EPSILON, EPSILON, DELTA)?;
    let mut worst = vec![];
    for x in [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 35, MOST - 1] {
        let up = divergence(&release, x, x + 1, variant)?;
        worst.push((f64::from(x), up.max(divergence(&release, x + 1, x, variant)?)));
    }
    let largest = worst.iter().fold(Enclosure::ZERO, |largest, (_, delta)| largest.max(*delta));
    let smallest = worst.iter().fold(1.0, |least, (_, delta)| f64::min(least, delta.hi()));
    let figure = Figure::new(
        "δ(2ε) of a private bound and noise for it, when x becomes x + 1 or the other way round",
        Axis::logarithmic("x"),
        Axis::logarithmic("δ"),
    )
    .curve("claimed", worst.iter().map(|(x, _)| (*x, DELTA)))
    .curve("true", worst.iter().map(|(x, delta)| (*x, delta.hi())));
    let slack = Slack { quantity: "δ", least: DELTA / largest.hi(), most: DELTA / smallest, gain: None };
    let detail =
        format!("numbers up to {MOST}, ε = {EPSILON}, the statistic raised by {:.3}", release.raise());
    Ok(verdict(largest, DELTA, &detail).with_figure(figure).with_slack(slack))
}

/// δ(2ε): for each value s of the noisy statistic, the profile of two Laplace laws at 2ε − ln of
/// the ratio of the densities of s, which is monotone between whole numbers.
fn divergence(
    release: &PrivateSensitivityBound<Pairs, Pairs>,
    here: i32,
    there: i32,
    variant: Variant,
) -> Result<Enclosure, Error> {
    const CELLS: i32 = 32; // per unit: their ends are floats
    const FAR: i32 = 25;
    let scale = Enclosure::point(release.noise().scale().get());
    let [x, y] = [here, there].map(|x| Enclosure::from(f64::from(x)));
    let moved = (release.query().answer(&here)?.get() - release.query().answer(&there)?.get()).abs();
    let noise = if variant.half_the_noise { 2.0 * EPSILON } else { EPSILON };
    let bound = |s: f64| bound_from(release, if variant.not_raised { s - release.raise() } else { s });
    let far = |distance: Enclosure| Enclosure::point(0.5) * (-(distance / scale)).exp(); // Pr(noise > distance)
    let away = |s: f64, from: Enclosure| (Enclosure::point(s) - from).max(from - Enclosure::point(s));
    let mut sum = far(Enclosure::from(f64::from(FAR))) * Enclosure::new(0.0, 2.0); // both tails, whatever they hold
    for cell in (here - FAR) * CELLS..(here + FAR) * CELLS {
        let [left, right] = [cell, cell + 1].map(|end| f64::from(end) / f64::from(CELLS));
        let [near, wide] = if cell >= here * CELLS { [left, right] } else { [right, left] };
        let mass = (far(away(near, x)) - far(away(wide, x))).max(Enclosure::ZERO);
        let loss = |s: f64| (away(s, y) - away(s, x)) / scale;
        let (one, other) = (loss(left), loss(right));
        let loss = Enclosure::new(one.lo().min(other.lo()), one.hi().max(other.hi()));
        let left_over = Enclosure::point(EPSILON) + Enclosure::point(EPSILON) - loss;
        let profile = |shift: f64, epsilon: f64| LaplacePair::new(Epsilon::saturating(shift)).delta(epsilon);
        // Larger statistics have larger bounds and more noise.
        let (largest, least) = (div_up(moved, bound(left) / noise), div_down(moved, bound(right) / noise));
        sum = sum
            + mass
                * Enclosure::new(profile(least, left_over.hi()).lo(), profile(largest, left_over.lo()).hi());
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_wrong_is_noticed() {
        let verdict = |variant| check(variant).unwrap().verdict;
        assert_eq!(verdict(Variant { not_raised: true, ..Variant::default() }), Verdict::Refuted);
        assert_eq!(verdict(Variant { half_the_noise: true, ..Variant::default() }), Verdict::Refuted);
    }
}
