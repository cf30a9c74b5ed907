//! Releases of many answers by one scheme: a hold-out set that is asked again and again, and the
//! counts of a tree.

use dp_core::{Interactive, Query};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{HierarchicalCounts, Hierarchy, ReusableHoldout};

use super::Audit;
use super::mechanisms::DELTA;
use super::subject::{Audits, Claim, View, given};

pub(super) fn all() -> Audits {
    Ok([holdout()?, tree()?].into_iter().flatten().collect())
}

/// Three questions to one record, which is 0 or 1; after a first answer from the record the others
/// ask where it hurts.
fn holdout() -> Audits {
    let scheme = ReusableHoldout::epsilon(2.0, 1, 0.5, 2)?;
    let claim = Claim::of(&scheme.guarantee(), 0.0)?;
    let asked = move |first: bool, rng: &mut Insecure| {
        let data = [if first { 0.0 } else { 1.0 }];
        let mut session = scheme.over(&data).ok()?.simulate(rng);
        let mut seen = [3; 3];
        let mut training = 0.0;
        for seen in &mut seen {
            let Ok(answer) = session.ask(training, |x: &f64| *x) else { break };
            *seen = if answer.from_holdout { 1 + u64::from(answer.value > 0.5) } else { 0 };
            training = if answer.from_holdout { 0.5 } else { 0.0 };
        }
        Some(seen)
    };
    Ok(vec![Audit::sampled(
        "reusable hold-out set",
        "three questions to a hold-out set that answers twice, the next chosen by the last answer",
        "replace-one",
        "one record, 0 or 1".into(),
        claim,
        asked,
        View::digits(|seen: [u64; 3]| seen, 4),
    )])
}

/// One person more in the first town: the counts of the country, its region and the town move.
fn tree() -> Audits {
    let shape = Hierarchy::uniform(&[2, 2])?;
    let census = given::<Vec<i64>>(1.0).with(HierarchicalCounts::rho(0.2, shape)?)?;
    Ok(vec![Audit::of(
        "counts of a tree",
        "the counts of a country, its regions and its towns",
        census,
        [vec![5_i64, 0, 7, 1], vec![6, 0, 7, 1]],
        DELTA,
        // The best that can be seen: the three counts that move, together.
        View::integer(|levels: Vec<Vec<i64>>| levels.iter().map(|level| level[0]).sum()),
    )?])
}
