//! Measurements made of measurements, and a budget that pays for them.

use std::convert::Infallible;

use dp_accounting::{Account, Budget};
use dp_core::measurement::{ByKey, SplitAt};
use dp_core::{Measurement, Pure, Query, SecureRng};
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;
use dp_sensitivity::{Count, Sum};
use rand_core::{TryCryptoRng, TryRng};

use super::Audit;
use super::subject::{Audits, Claim, View};

/// Laplace noise of scale 1/ε on the number of records.
fn count(
    epsilon: f64,
) -> Result<
    impl Measurement<Data = [f64], Output = f64, Guarantee = Pure, Adjacency = dp_core::AddRemove>
    + Send
    + Sync
    + 'static,
    dp_core::Error,
> {
    Count::<f64, _, _>::all().with(Laplace::epsilon(epsilon)?)
}

/// Where both numbers follow the data, the likelihood ratio is largest.
fn lesser() -> View<(f64, f64)> {
    View::number(|(a, b): (f64, f64)| a.min(b))
}

pub(super) fn all() -> Audits {
    let [fewer, more] = [vec![1.0], vec![1.0, 1.0]];
    let pair = || [fewer.clone(), more.clone()];
    let half = Pure::new(0.5)?;

    // The second question depends on the first answer, and so does what it costs.
    let adaptive = count(0.5)?.then(half, |first| count(if *first > 1.5 { 0.5 } else { 0.25 }));
    // A choice that costs more than was reserved is refused, which says something about the first
    // answer only.
    let refused = count(0.5)?.then(half, |first| count(if *first > 1.5 { 0.75 } else { 0.5 }));

    let sign = |record: &f64| usize::from(*record > 0.0);
    let by_key = || ByKey::new(vec![count(1.0)?, count(1.0)?], sign);
    let replaced_sum = |epsilon: f64| -> Result<_, dp_core::Error> {
        Sum::new(dp_core::Bounds::new(0.0, 1.0)?).under_replace_one(1)?.with(Laplace::epsilon(epsilon)?)
    };
    Ok(vec![
        Audit::of(
            "and",
            "two counts, each with Laplace noise",
            count(0.5)?.and(count(0.5)?),
            pair(),
            0.0,
            lesser(),
        )?,
        Audit::of(
            "then",
            "a count, and a second one that is chosen by the first",
            adaptive,
            pair(),
            0.0,
            lesser(),
        )?,
        Audit::of(
            "then, refused",
            "a count, and a second one that costs too much where the first is large",
            refused,
            pair(),
            0.0,
            lesser(),
        )?,
        Audit::of(
            "by key",
            "a count of each of two parts, records choosing theirs",
            by_key()?,
            [vec![-1.0, 1.0], vec![-1.0, 1.0, 1.0]],
            0.0,
            View::number(|counts: Vec<f64>| counts[1]),
        )?,
        Audit::of(
            "by key, replace-one",
            "a count of each of two parts, where a replaced record changes its part",
            by_key()?.replace_one_as_two_steps(),
            [vec![-1.0, 1.0], vec![1.0, 1.0]],
            0.0,
            View::number(|counts: Vec<f64>| (1.0 - counts[0]).min(counts[1] - 1.0)),
        )?,
        Audit::of(
            "split at",
            "a sum of the first record and one of the second",
            SplitAt::new(1, replaced_sum(1.0)?, replaced_sum(0.5)?),
            [vec![0.0, 0.0], vec![1.0, 0.0]],
            0.0,
            View::number(|(first, _): (f64, f64)| first),
        )?,
        Audit::of(
            "under replace-one",
            "the sum of records in [-1, 1] for add-remove, stated for replace-one",
            Sum::new(dp_core::Bounds::new(-1.0, 1.0)?)
                .with(Laplace::epsilon(0.5)?)?
                .replace_one_as_two_steps(),
            [vec![-1.0], vec![1.0]],
            0.0,
            View::number(|sum: f64| sum),
        )?,
        budget()?,
    ])
}

/// Everything that a budget pays for until it is exhausted.
fn budget() -> Result<Audit, Box<dyn std::error::Error>> {
    let total = Pure::new(1.0)?;
    let question = count(0.3)?;
    let claim = Claim::of(&total, 0.0)?;
    let spend = move |first: bool, rng: &mut Insecure| {
        let data: &[f64] = if first { &[1.0] } else { &[1.0, 1.0] };
        let (mut budget, mut released, mut rng) = (Budget::new(total), vec![], Simulated(rng));
        while let Ok(answer) = budget.spend(&question, data, &mut rng) {
            released.push(answer);
        }
        // Three answers at 0.3 each; what is left does not pay for a fourth.
        Some(released.into_iter().fold(f64::INFINITY, f64::min))
    };
    Ok(Audit::sampled(
        "budget",
        "all counts at epsilon = 0.3 that a budget of 1 pays for",
        "add-remove",
        "[1.0] and [1.0, 1.0]".into(),
        claim,
        spend,
        View::number(|least| least),
    )
    .weighing(0.5))
}

/// A generator that passes for a secret one, so that a budget can be audited with a fixed seed:
/// nothing that it draws is published.
struct Simulated<'a>(&'a mut Insecure);

impl TryRng for Simulated<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for Simulated<'_> {}

impl SecureRng for Simulated<'_> {}
