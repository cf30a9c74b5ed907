//! Combinators of measurements, on randomised response: its output distribution can be listed
//! exactly by feeding every bit string.

use core::convert::Infallible;
use std::collections::BTreeMap;

use dp_core::measurement::{ByKey, SplitAt};
use dp_core::pairs::{DominatingPair, FinitePair};
use dp_core::rounding::ln_up;
use dp_core::{
    AddRemove, Adjacency, Approx, Delta, Epsilon, Error, Guarantee, Measurement, Metric, Pure, ReplaceOne,
    Zcdp,
};
use rand_core::{Rng, TryRng};

/// Publishes whether a record equals `wanted`, truthfully three times out of four.
#[derive(Clone)]
struct Seen<A> {
    wanted: u8,
    relation: A,
}

impl<A: Adjacency> Seen<A> {
    fn new(wanted: u8) -> Self {
        Self { wanted, relation: A::default() }
    }
}

fn ln3() -> Pure {
    Epsilon::saturating(ln_up(3.0)).into()
}

impl<A: Adjacency> Measurement for Seen<A> {
    type Data = [u8];
    type Output = bool;
    type Guarantee = Pure;
    type Adjacency = A;

    fn guarantee(&self) -> Pure {
        ln3()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &[u8], rng: &mut R) -> Result<bool, Error> {
        let _ = &self.relation;
        Ok(data.contains(&self.wanted) ^ rng.next_u32().is_multiple_of(4))
    }
}

/// Feeds given numbers, then insists that no more are asked for.
struct Replay(Vec<u32>);

impl TryRng for Replay {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.pop().expect("the measurement asks for as many numbers as were listed"))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("only 32-bit numbers are listed")
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        panic!("only 32-bit numbers are listed")
    }
}

/// The exact output distribution of a measurement that draws `draws` numbers and looks at them
/// modulo four.
fn distribution<M: Measurement<Data = [u8]>>(
    measurement: &M,
    data: &[u8],
    draws: u32,
) -> BTreeMap<String, f64>
where
    M::Output: core::fmt::Debug,
{
    let mut counts = BTreeMap::new();
    for code in 0..4u32.pow(draws) {
        let numbers = (0..draws).map(|i| code / 4u32.pow(i) % 4).collect();
        let output = measurement.draw(data, &mut Replay(numbers)).expect("the data have the right shape");
        *counts.entry(format!("{output:?}")).or_insert(0.0) += 1.0;
    }
    counts
}

/// The exact loss between two data sets.
fn loss<M: Measurement<Data = [u8]>>(measurement: &M, here: &[u8], there: &[u8], draws: u32) -> f64
where
    M::Output: core::fmt::Debug,
{
    let (p, q) = (distribution(measurement, here, draws), distribution(measurement, there, draws));
    let outcomes: Vec<&String> = p.keys().chain(q.keys()).collect();
    let weights = |d: &BTreeMap<String, f64>| {
        outcomes.iter().map(|o| d.get(*o).copied().unwrap_or(0.0)).collect::<Vec<_>>()
    };
    // Listing an outcome twice doubles both weights and changes no ratio.
    FinitePair::new(&weights(&p), &weights(&q)).expect("counts are weights").max_loss()
}

/// All data sets over {0, 1, 2} with at most three records.
fn data_sets() -> Vec<Vec<u8>> {
    let mut all = vec![vec![]];
    for _ in 0..3 {
        let longer: Vec<Vec<u8>> =
            all.iter().flat_map(|d| (0..3).map(move |r| [&d[..], &[r]].concat())).collect();
        all.extend(longer);
    }
    all.sort();
    all.dedup();
    all
}

/// The largest exact loss over all neighbours is within the guarantee, and at least `reached` of
/// it.
fn assert_private<M>(measurement: &M, draws: u32, reached: f64)
where
    M: Measurement<Data = [u8], Guarantee = Pure>,
    M::Output: core::fmt::Debug,
    M::Adjacency: Metric<[u8]>,
{
    let claimed = measurement.guarantee().epsilon().get();
    let mut worst = 0.0f64;
    for here in data_sets() {
        for there in data_sets() {
            let neighbours = <M::Adjacency as Metric<[u8]>>::distance(&here, &there) == Some(1);
            if neighbours && measurement.draw(&here, &mut Replay(vec![1; 16])).is_ok() {
                worst = worst.max(loss(measurement, &here, &there, draws));
            }
        }
    }
    assert!(worst <= claimed * (1.0 + 1e-12), "the exact loss {worst} exceeds the claim {claimed}");
    assert!(worst >= reached * claimed, "the exact loss {worst} is far below the claim {claimed}");
}

#[test]
fn one_release() {
    assert_private(&Seen::<AddRemove>::new(1), 1, 1.0);
    assert_private(&Seen::<ReplaceOne>::new(1), 1, 1.0);
}

#[test]
fn two_releases_add_up() {
    let both = Seen::<AddRemove>::new(1).and(Seen::<AddRemove>::new(1));
    assert_eq!(both.guarantee(), ln3().times(2));
    assert_private(&both, 2, 1.0);
}

#[test]
fn an_adaptive_choice_pays_what_was_reserved() {
    // Ask for 1, then for 1 again or for 2, by what the first answer was.
    let adaptive =
        Seen::<AddRemove>::new(1).then(ln3(), |seen| Ok(Seen::<AddRemove>::new(if *seen { 1 } else { 2 })));
    assert_eq!(adaptive.guarantee(), ln3().times(2));
    assert_private(&adaptive, 2, 1.0);

    let too_dear = Seen::<AddRemove>::new(1).then(Pure::new(1.0).unwrap(), |_| Ok(Seen::<AddRemove>::new(1)));
    assert_eq!(too_dear.draw(&[1], &mut Replay(vec![1, 1])), Err(Error::CostsMoreThanReserved));
}

#[test]
fn post_processing_costs_nothing() {
    let mapped = Seen::<AddRemove>::new(1).and(Seen::<AddRemove>::new(2)).map(|(one, two)| one && two);
    assert_eq!(mapped.guarantee(), ln3().times(2));
    assert_private(&mapped, 2, 0.0);
}

#[test]
fn parts_by_key_cost_the_worst_part_under_add_remove() {
    let parts =
        ByKey::new(vec![Seen::<AddRemove>::new(0), Seen::new(1), Seen::new(2)], |r: &u8| usize::from(*r))
            .unwrap();
    assert_eq!(parts.guarantee(), ln3());
    assert_private(&parts, 3, 1.0);
    // A replaced record moves between parts: twice the cost, and reached.
    assert_private(&parts.replace_one_as_two_steps(), 3, 1.0);
    assert!(ByKey::new(Vec::<Seen<AddRemove>>::new(), |r: &u8| usize::from(*r)).is_err());
}

#[test]
fn replaced_parts_cost_the_two_worst_together() {
    let twice = |wanted| Seen::<AddRemove>::new(wanted).and(Seen::<AddRemove>::new(wanted));
    let parts = || ByKey::new(vec![twice(0), twice(1)], |r: &u8| usize::from(*r)).unwrap();
    // Whether a record is there changes when it is replaced as when it comes or goes.
    let within = ln3().times(2);
    let replaced = parts().replace_one_asserting(&[within, within]).unwrap();
    assert_eq!(replaced.guarantee(), ln3().times(4));
    assert_private(&replaced, 4, 1.0);
    // One part alone: a record comes from nowhere, or changes within.
    let one = || ByKey::new(vec![Seen::<AddRemove>::new(0)], |r: &u8| usize::from(*r)).unwrap();
    let replaced = one().replace_one_asserting(&[ln3()]).unwrap();
    assert_eq!(replaced.guarantee(), ln3());
    assert_private(&replaced, 1, 1.0);
    assert_eq!(one().replace_one_asserting(&[ln3().times(2)]).unwrap().guarantee(), ln3().times(2));
    assert!(one().replace_one_asserting(&[]).is_err());
    // Two parts of different prices: their sum, not twice the larger.
    let boxed = |part: Seen<AddRemove>| part.map(|seen| vec![seen]).boxed();
    let both = twice(1).map(|(a, b)| vec![a, b]).boxed();
    let unequal = ByKey::new(vec![boxed(Seen::new(0)), both], |r: &u8| usize::from(*r)).unwrap();
    let replaced = unequal.replace_one_asserting(&[ln3(), ln3().times(2)]).unwrap();
    assert_eq!(replaced.guarantee(), ln3().times(3));
    assert_private(&replaced, 3, 1.0);
}

#[test]
fn parts_may_read_a_field() {
    let key = |r: &(usize, u8)| r.0;
    let parts = ByKey::of_field(vec![Seen::<AddRemove>::new(7), Seen::new(8)], key, |r| r.1).unwrap();
    assert_eq!(parts.draw(&[(0, 7), (1, 7), (5, 8)], &mut Replay(vec![1, 1])), Ok(vec![true, false]));
}

#[test]
fn records_without_a_part_are_left_out() {
    let parts = ByKey::new(vec![Seen::<AddRemove>::new(0)], |r: &u8| usize::from(*r)).unwrap();
    assert_eq!(parts.draw(&[5, 200], &mut Replay(vec![1])), Ok(vec![false]));
    assert_private(&parts, 1, 1.0);
}

#[test]
fn parts_by_position_cost_the_worst_part_under_replace_one() {
    let twice = Seen::<ReplaceOne>::new(1).and(Seen::<ReplaceOne>::new(1));
    let split = SplitAt::new(1, twice, Seen::<ReplaceOne>::new(2));
    assert_eq!(split.guarantee(), ln3().times(2)); // max(ε₁ + ε₂, ε₃)
    assert_private(&split, 3, 1.0);
    assert_eq!(split.draw(&[], &mut Replay(vec![])), Err(Error::TooShort { position: 1, found: 0 }));
}

#[test]
fn relaxing_changes_the_statement_and_nothing_else() {
    let relaxed = Seen::<AddRemove>::new(1).relax::<Zcdp>();
    assert_eq!(relaxed.guarantee(), ln3().relax());
    let approx: Approx = Seen::<AddRemove>::new(1).at_delta(Delta::new(1e-3).unwrap()).guarantee();
    assert_eq!(approx, ln3().at_delta(Delta::new(1e-3).unwrap()));
    for code in 0..4 {
        let same = Seen::<AddRemove>::new(1).draw(&[1], &mut Replay(vec![code]));
        assert_eq!(relaxed.draw(&[1], &mut Replay(vec![code])), same);
    }
}

/// The check itself must be able to fail: half of the true cost is noticed.
#[test]
#[should_panic(expected = "exceeds the claim")]
fn an_understated_guarantee_is_noticed() {
    struct Half(Seen<AddRemove>);
    impl Measurement for Half {
        type Data = [u8];
        type Output = bool;
        type Guarantee = Pure;
        type Adjacency = AddRemove;
        fn guarantee(&self) -> Pure {
            Pure::new(ln3().epsilon().get() / 2.0).unwrap()
        }
        fn draw<R: Rng + ?Sized>(&self, data: &[u8], rng: &mut R) -> Result<bool, Error> {
            self.0.draw(data, rng)
        }
    }
    assert_private(&Half(Seen::new(1)), 1, 0.0);
}
