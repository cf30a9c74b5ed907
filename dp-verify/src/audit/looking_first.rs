//! Releases that look at the data first, privately.

use std::collections::BTreeSet;

use crate::approx;
use dp_core::Bounds;
use dp_sensitivity::{
    Bounded, LogSmooth, MaxDegree, Mode, MostFrequent, Outcome, PrivateSensitivityBound, ProposeTestRelease,
    Quantile, Smoothness, StableRelease, Triangles,
};

use super::Audit;
use super::queries::{BOOKS, books};
use super::subject::{Audits, View};

/// Refusals are outcomes, too.
fn outcome() -> View<Outcome<f64>> {
    View::number(|outcome| match outcome {
        Outcome::Released(value) => value,
        Outcome::Refused => f64::NAN,
    })
}

fn value() -> View<Outcome<u64>> {
    View::label(
        |outcome| match outcome {
            Outcome::Released(value) => value,
            Outcome::Refused => 0,
        },
        |label| if label == 0 { "refused".into() } else { format!("the value {label}") },
    )
}

pub(super) fn all() -> Audits {
    let unit = Bounds::new(0.0, 1.0)?;
    let delta = 0.05;
    let target = approx(2.0, delta)?;
    let split = |zeros: usize, ones: usize| [vec![0.0; zeros], vec![1.0; ones]].concat();
    let median = || Quantile::median(unit);
    let proposed = || ProposeTestRelease::new(median(), 0.01, target);
    Ok(vec![
        // At distance 0 from sensitive data the test must refuse all but a part δ of the time,
        // whatever the median is.
        Audit::of(
            "propose, test, release: torn",
            "the median with noise for a sensitivity of 0.01, if the data are far from more sensitive ones; the medians are 0 and 1",
            proposed()?,
            [split(5, 5), split(5, 6)],
            delta,
            outcome(),
        )?,
        Audit::of(
            "propose, test, release: far",
            "the median with noise for a sensitivity of 0.01, if the data are far from more sensitive ones",
            proposed()?,
            [split(9, 2), split(8, 2)],
            delta,
            outcome(),
        )?,
        Audit::of(
            "private bound on the sensitivity",
            "the median with noise for a bound on its sensitivity that was asked for privately",
            PrivateSensitivityBound::new(median(), LogSmooth::new(Smoothness::new(0.3)?), target)?,
            [split(4, 3), split(4, 4)],
            delta,
            View::number(|bounded: Bounded| bounded.value),
        )?,
        Audit::of(
            "private bound, as it is said",
            "the bound on the sensitivity of the median that was asked for privately",
            PrivateSensitivityBound::new(median(), LogSmooth::new(Smoothness::new(0.3)?), target)?,
            [split(4, 3), split(5, 3)],
            delta,
            View::number(|bounded: Bounded| bounded.bound),
        )?,
        Audit::of(
            "triangles by a private bound",
            "the number of triangles with noise for a private bound on the largest degree",
            PrivateSensitivityBound::new(Triangles::new(8), MaxDegree::new(8), target)?,
            books(),
            delta,
            View::number(|bounded: Bounded| bounded.value / bounded.bound),
        )?
        .between(BOOKS),
        Audit::of(
            "stable release, a tie",
            "the most frequent value itself, if a few records do not change it; here one record does",
            StableRelease::new(Mode::votes(|vote: &u64| Some(*vote)), target)?,
            [vec![1_u64, 1, 2], vec![1, 1, 2, 2]],
            delta,
            value(),
        )?,
        Audit::of(
            "stable release, far",
            "the most frequent value itself, if a few records do not change it",
            StableRelease::new(Mode::votes(|vote: &u64| Some(*vote)), target)?,
            [vec![1_u64; 4], vec![1; 5]],
            delta,
            value(),
        )?,
        Audit::of(
            "stable top k",
            "the two most frequent values, if a few records do not change them",
            StableRelease::new(MostFrequent::votes(2, |vote: &u64| Some(*vote))?, target)?,
            [vec![1_u64, 1, 1, 1, 2, 2, 2, 2, 3], vec![1, 1, 1, 1, 2, 2, 2, 2]],
            delta,
            View::label(
                |outcome: Outcome<BTreeSet<u64>>| match outcome {
                    Outcome::Released(values) => values.into_iter().fold(0, |bits, value| bits | 1 << value),
                    Outcome::Refused => 0,
                },
                |label| {
                    if label == 0 { "refused".into() } else { format!("the values of the bits {label:b}") }
                },
            ),
        )?,
    ])
}
