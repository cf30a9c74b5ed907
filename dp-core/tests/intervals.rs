//! Intervals of measurements that are made of others, by noise that is known outcome by outcome.

use dp_core::interval::{Confidence, ConfidenceInterval};
use dp_core::measurement::{ByKey, SplitAt};
use dp_core::{
    AddRemove, Delta, Epsilon, Error, Finite, L1, MeasuredIn, Measurement, Mechanism, Pure, Query,
    ReplaceOne, Sensitivity, SensitivityIn, WithInterval, Zcdp,
};
use rand_core::Rng;

/// Adds −1, 0 or 1 with probabilities ¼, ½ and ¼. At β ≥ ½ the interval is the release itself. (Its
/// guarantee is not what is tested.)
struct Step;

impl Mechanism for Step {
    type Input = f64;
    type Output = f64;
    type Norm = L1;
    type Guarantee = Pure;
    fn guarantee(&self, _: impl MeasuredIn<L1>) -> Pure {
        Pure::from(Epsilon::INFINITE)
    }
    fn draw<R: Rng + ?Sized>(&self, answer: &f64, rng: &mut R) -> Result<f64, Error> {
        Ok(answer + [-1.0, 0.0, 0.0, 1.0][(rng.next_u32() >> 30) as usize])
    }
}

impl WithInterval for Step {
    type Released = f64;
    type Interval = ConfidenceInterval;
    fn interval_at(&self, released: &f64, confidence: Confidence) -> Result<ConfidenceInterval, Error> {
        Ok(ConfidenceInterval::around(*released, if confidence.beta() >= 0.5 { 0.0 } else { 1.0 }))
    }
}

#[derive(Clone, Copy)]
struct Count<A>(std::marker::PhantomData<fn() -> A>);

impl<A: dp_core::Adjacency> Query for Count<A> {
    type Data = [u8];
    type Answer = Finite;
    type Adjacency = A;
    fn answer(&self, data: &[u8]) -> Result<Finite, Error> {
        Ok(Finite::count(data.len()))
    }
}

impl<A: dp_core::Adjacency> SensitivityIn<L1> for Count<A> {
    fn sensitivity(&self) -> Sensitivity<L1, A> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

fn count<A: dp_core::Adjacency>()
-> impl Measurement<Data = [u8], Output = f64, Guarantee = Pure, Adjacency = A>
+ WithInterval<Released = f64, Interval = ConfidenceInterval>
+ Send
+ Sync
+ 'static {
    Count::<A>(std::marker::PhantomData).with(Step).expect("the noise is given")
}

fn near(x: f64, by: f64) -> ConfidenceInterval {
    ConfidenceInterval::around(x, by)
}

#[test]
fn what_does_not_touch_the_release_does_not_touch_the_interval() {
    let narrow = Confidence::all_but(0.5).unwrap();
    let same = |interval: Result<ConfidenceInterval, Error>| assert_eq!(interval.unwrap(), near(7.0, 0.0));
    same(count::<AddRemove>().interval_at(&7.0, narrow));
    let by_reference = &count::<AddRemove>();
    same(WithInterval::interval_at(&by_reference, &7.0, narrow));
    same(count::<AddRemove>().at_delta(Delta::new(1e-6).unwrap()).interval_at(&7.0, narrow));
    same(count::<AddRemove>().relax::<Zcdp>().interval_at(&7.0, narrow));
    same(count::<AddRemove>().replace_one_as_two_steps().interval_at(&7.0, narrow));
    same(count::<AddRemove>().boxed_with_interval().interval_at(&7.0, narrow));
    count::<AddRemove>().boxed().interval_at(&7.0, narrow).unwrap();
}

/// Two intervals that must hold together get (1−β)^(1/2) each: ½ is enough for each at β = ¾, and
/// not a little below.
#[test]
fn several_intervals_share_the_confidence() {
    let (enough, less) = (Confidence::all_but(0.7501).unwrap(), Confidence::all_but(0.7499).unwrap());
    let both = count::<AddRemove>().and(count::<AddRemove>());
    assert_eq!(both.interval_at(&(3.0, 4.0), enough).unwrap(), (near(3.0, 0.0), near(4.0, 0.0)));
    assert_eq!(both.interval_at(&(3.0, 4.0), less).unwrap(), (near(3.0, 1.0), near(4.0, 1.0)));

    let chosen = count::<AddRemove>().then(Pure::from(Epsilon::INFINITE), |_| Ok(count::<AddRemove>()));
    assert_eq!(chosen.interval_at(&(3.0, 4.0), enough).unwrap(), (near(3.0, 0.0), near(4.0, 0.0)));
    assert_eq!(chosen.interval_at(&(3.0, 4.0), less).unwrap(), (near(3.0, 1.0), near(4.0, 1.0)));

    let split = SplitAt::new(1, count::<ReplaceOne>(), count::<ReplaceOne>());
    assert_eq!(split.interval_at(&(3.0, 4.0), enough).unwrap(), (near(3.0, 0.0), near(4.0, 0.0)));
    assert_eq!(split.interval_at(&(3.0, 4.0), less).unwrap(), (near(3.0, 1.0), near(4.0, 1.0)));

    let parts =
        ByKey::new(vec![count::<AddRemove>(), count::<AddRemove>()], |record: &u8| *record as usize).unwrap();
    assert_eq!(parts.interval_at(&vec![3.0, 4.0], enough).unwrap(), [near(3.0, 0.0), near(4.0, 0.0)]);
    assert_eq!(parts.interval_at(&vec![3.0, 4.0], less).unwrap(), [near(3.0, 1.0), near(4.0, 1.0)]);
    assert!(parts.interval_at(&vec![3.0], less).is_err());
}
