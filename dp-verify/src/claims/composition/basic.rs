//! Claims about releasing more than once (section A of the ledger).
//!
//! About [`dp_core::Measurement`] and [`dp_core::measurement::SplitAt`].
//!
//! The mechanism of these checks is randomised response on one bit with whole odds, because its
//! joint outcomes can be listed with whole weights: the exact loss is the logarithm of the largest
//! ratio of weights, and the claimed cost must be that, no less and no more.

use rand_core::Rng;

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::measurement::SplitAt;
use dp_core::rounding::ln_up;
use dp_core::{AddRemove, Adjacency, Epsilon, Error, Measurement, Pure, ReplaceOne};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "A1",
            source: "Ottawa Lemma 6; Cambridge",
            statement: "Releases of the same data cost Σ εᵢ together.",
            formula: "ε = Σ εᵢ",
            meaning: "Whoever sees several releases of the same data learns at most the sum of what each of them tells. For two randomised responses to one bit all joint outcomes were listed with whole weights, so that the largest loss is \
                      exact, and it is the sum of the two. The library charges that sum, no more and no less; charging only the larger one is caught.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || sequential(|a, b| a.and(b).guarantee()),
        },
        Claim {
            id: "A2",
            source: "Ottawa Lemma 7",
            statement: "Releases of disjoint parts cost max εᵢ together, under add/remove neighbours; under replace-one it takes the two largest.",
            formula: "add/remove: ε = max εᵢ;  replace-one: ε = the sum of the two largest εᵢ",
            meaning: "If each record lies in one part only, a record that is added or removed touches one release, and the worst part decides. The printed lemma does not say which data sets are neighbours, and it matters: a record that is replaced can leave one \
                      part and enter another, and then two releases change. Listing all joint outcomes of three parts shows both, exactly. In the library the neighbour relation is a type, and it selects the rule; taking the maximum under replace-one is caught.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || parallel(AddRemove::parallel, ReplaceOne::parallel),
        },
        Claim {
            id: "A3",
            source: "Ottawa Example 8",
            statement: "Two releases of the first part and one of the second, split by position, cost max(ε₁ + ε₂, ε₃).",
            formula: "ε = max(ε₁ + ε₂, ε₃)",
            meaning: "The example releases two statistics of the first part of the data and one of the second. As the parts are split by position, a record that is replaced stays in its part, and the two rules for sums and for parts combine. All neighbours on two positions were listed and the largest loss is exactly \
                      this maximum, with either side being the larger one. The library's split by position states that cost.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || example_8(|a, b, c| SplitAt::new(1, a.and(b), c).guarantee()),
        },
    ]
}

/// Randomised response on the first bit of the data: the truth with these odds to one.
#[derive(Clone, Copy)]
struct Response {
    odds: u32,
}

impl Response {
    fn cost(self) -> Pure {
        Epsilon::saturating(ln_up(f64::from(self.odds))).into()
    }

    /// The weights of the outcomes 0 and 1 when the bit is as given.
    fn weights(self, bit: bool) -> [u32; 2] {
        if bit { [1, self.odds] } else { [self.odds, 1] }
    }
}

impl Measurement for Response {
    type Data = [bool];
    type Output = bool;
    type Guarantee = Pure;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> Pure {
        self.cost()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &[bool], rng: &mut R) -> Result<bool, Error> {
        let truth = *data.first().ok_or(Error::WrongSize { declared: 1, found: 0 })?;
        // Uniform on 0…odds: numbers beyond the last whole multiple are drawn again.
        let sides = self.odds + 1;
        let whole = u32::MAX / sides * sides;
        loop {
            let number = rng.next_u32();
            if number < whole {
                return Ok(truth ^ number.is_multiple_of(sides));
            }
        }
    }
}

/// Independent releases, each with the weights of its two outcomes.
type Releases = Vec<[u32; 2]>;

/// The weights of the joint outcomes of independent releases.
fn joint(releases: &[[u32; 2]]) -> Vec<u32> {
    releases.iter().fold(vec![1], |product, release| {
        product.iter().flat_map(|a| release.iter().map(move |b| a * b)).collect()
    })
}

/// The largest loss over pairs of joint releases, exactly the logarithm of a ratio of whole
/// numbers.
fn worst_loss(neighbours: &[(Releases, Releases)]) -> f64 {
    let ratios = neighbours.iter().flat_map(|(here, there)| {
        let (here, there) = (joint(here), joint(there));
        here.into_iter().zip(there).map(|(p, q)| f64::from(p) / f64::from(q))
    });
    libm::log(ratios.fold(0.0, f64::max))
}

/// Whether a cost is the worst loss: a cost below it is false, one above it is not what the claim
/// says.
fn is_exactly(cost: Pure, worst: f64) -> bool {
    (cost.epsilon().get() - worst).abs() <= 1e-12 * worst
}

/// The claimed and the exact loss as the odds of one response grow from one to twelve.
fn growing(title: &str, losses: impl Fn(Response) -> (Pure, f64)) -> Figure {
    let [mut claimed, mut truth] = [vec![], vec![]];
    for odds in 1..=12 {
        let response = Response { odds };
        let (stated, worst) = losses(response);
        let epsilon = response.cost().epsilon().get();
        claimed.push((epsilon, stated.epsilon().get()));
        truth.push((epsilon, worst));
    }
    Figure::new(title, Axis::linear("ε of one of the releases"), Axis::linear("loss of all together"))
        .curve("claimed", claimed)
        .curve("true, over all joint outcomes", truth)
}

/// The exact loss of two releases of one bit.
fn both_lose(first: Response, second: Response) -> f64 {
    let release = |bit| vec![first.weights(bit), second.weights(bit)];
    worst_loss(&[(release(false), release(true)), (release(true), release(false))])
}

fn sequential(cost: impl Fn(Response, Response) -> Pure) -> Finding {
    for odds in [[2, 2], [2, 5], [3, 1]] {
        let [first, second] = odds.map(|odds| Response { odds });
        let (worst, claimed) = (both_lose(first, second), cost(first, second));
        if !is_exactly(claimed, worst) {
            return Finding::refuted(format!("two releases with odds {odds:?} lose {worst}, not {claimed}"));
        }
    }
    let other = Response { odds: 3 };
    let title = "Two releases of one bit, one of them with ε = ln 3";
    Finding::holds("the exact loss of two releases of one bit is the sum, for three pairs of odds")
        .with_figure(growing(title, |response| (cost(response, other), both_lose(response, other))))
}

/// The exact losses of three parts under add/remove and under replace-one. Each publishes whether
/// it has a record; data sets have at most one, in one of the parts.
fn parts_lose(parts: [Response; 3]) -> (f64, f64) {
    let release = |place: Option<usize>| -> Releases {
        parts.iter().enumerate().map(|(i, part)| part.weights(place == Some(i))).collect()
    };
    let (mut added, mut replaced) = (vec![], vec![]);
    for place in 0..3 {
        added.push((release(None), release(Some(place))));
        added.push((release(Some(place)), release(None)));
        replaced.extend((0..3).map(|other| (release(Some(place)), release(Some(other)))));
    }
    (worst_loss(&added), worst_loss(&replaced))
}

fn parallel(
    under_add_remove: impl Fn(Vec<Pure>) -> Result<Pure, Error>,
    under_replace_one: impl Fn(Vec<Pure>) -> Result<Pure, Error>,
) -> Finding {
    let parts = [2, 5, 3].map(|odds| Response { odds });
    let costs = parts.map(Response::cost).to_vec();
    let (Ok(for_added), Ok(for_replaced)) = (under_add_remove(costs.clone()), under_replace_one(costs))
    else {
        return Finding::undecided("the parts were refused");
    };
    let (worst_added, worst_replaced) = parts_lose(parts);
    if !is_exactly(for_added, worst_added) {
        return Finding::refuted(format!("an added record loses {worst_added}, not {for_added}"));
    }
    if !is_exactly(for_replaced, worst_replaced) {
        return Finding::refuted(format!("a replaced record loses {worst_replaced}, not {for_replaced}"));
    }
    Finding::holds(format!(
        "three parts with ε = ln 2, ln 5, ln 3: the exact loss is {worst_added:.4} under add/remove; under replace-one a record moves from \
         part to part and loses {worst_replaced:.4}, more than any part alone"
    ))
    .with_figure(
        growing("Three parts, two of them with ε = ln 2 and ln 3, under add/remove", |part| {
            let parts = [Response { odds: 2 }, part, Response { odds: 3 }];
            (stated(&under_add_remove, parts), parts_lose(parts).0)
        }),
    )
    .with_figure(growing("The same under replace-one", |part| {
        let parts = [Response { odds: 2 }, part, Response { odds: 3 }];
        (stated(&under_replace_one, parts), parts_lose(parts).1)
    }))
}

/// What a rule says of three parts; nothing is promised where it refuses them.
fn stated(rule: impl Fn(Vec<Pure>) -> Result<Pure, Error>, parts: [Response; 3]) -> Pure {
    rule(parts.map(Response::cost).to_vec()).unwrap_or(Epsilon::INFINITE.into())
}

/// The exact loss on two positions, the first bit being published twice and the second once. All
/// neighbours under replace-one.
fn positions_lose([a, b, c]: [Response; 3]) -> f64 {
    let release = |data: [bool; 2]| vec![a.weights(data[0]), b.weights(data[0]), c.weights(data[1])];
    let mut neighbours = vec![];
    for [first, second] in [[false, false], [false, true], [true, false], [true, true]] {
        neighbours.push((release([first, second]), release([!first, second])));
        neighbours.push((release([first, second]), release([first, !second])));
    }
    worst_loss(&neighbours)
}

fn example_8(cost: impl Fn(Response, Response, Response) -> Pure) -> Finding {
    for odds in [[2, 3, 5], [2, 2, 9]] {
        let [a, b, c] = odds.map(|odds| Response { odds });
        let (worst, claimed) = (positions_lose([a, b, c]), cost(a, b, c));
        if !is_exactly(claimed, worst) {
            return Finding::refuted(format!("with odds {odds:?} the loss is {worst}, not {claimed}"));
        }
    }
    let two = Response { odds: 2 };
    let title = "Two releases with ε = ln 2 of the first position, one of the second";
    Finding::holds("the exact loss over all neighbours on two positions, with either side the larger")
        .with_figure(growing(title, |c| (cost(two, two, c), positions_lose([two, two, c]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Guarantee;

    #[test]
    fn broken_variants_are_noticed() {
        let largest = |parts: Vec<Pure>| AddRemove::parallel(parts);
        assert_eq!(sequential(|a, b| a.cost().join(&b.cost())).verdict, Verdict::Refuted);
        assert_eq!(sequential(|a, b| a.cost().compose(&b.cost()).times(2)).verdict, Verdict::Refuted);
        assert_eq!(sequential(|_, _| Pure::from(Epsilon::INFINITE)).verdict, Verdict::Refuted);
        // The lemma as it is printed, without a word on neighbours: refuted by the record that
        // moves.
        assert_eq!(parallel(AddRemove::parallel, largest).verdict, Verdict::Refuted);
        assert_eq!(parallel(ReplaceOne::parallel, ReplaceOne::parallel).verdict, Verdict::Refuted);
        assert_eq!(example_8(|a, b, c| a.cost().join(&b.cost()).join(&c.cost())).verdict, Verdict::Refuted);
        assert_eq!(example_8(|a, b, c| a.and(b).and(c).guarantee()).verdict, Verdict::Refuted);
    }
}
