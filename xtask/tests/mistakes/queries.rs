//! Queries that cannot be asked, and mechanisms that cannot be built.

use anyhow::Result;
use dp_core::measurement::SplitAt;
use dp_core::{
    AddRemove, AllAnswers, Approx, Bounds, Calibrate, ErrorBound, Interactive, L1, LInf, Measurement,
    Mechanism, Query, Scale, Sensitivity,
};
use dp_mechanisms::local::{FrequencyOracle, KRandomizedResponse};
use dp_mechanisms::rng::OsSeeded;
use dp_mechanisms::selection::{Exponential, TopK};
use dp_mechanisms::{AboveThreshold, DiscreteLaplace, Laplace, StabilityHistogram, SyntheticData, Watch};
use dp_sensitivity::smooth::{ArsinhNormal, PolyPlace};
use dp_sensitivity::{
    Additive, Histogram, Mean, ProposeTestRelease, Quantile, Quantiles, TrimmedMean, Variance,
};

use crate::{Mistake, refused};

pub(crate) fn mistakes() -> Result<Vec<Mistake>> {
    Ok([sizes()?, sensitivities()?, selections()?, others()?].into_iter().flatten().collect())
}

fn sizes() -> Result<Vec<Mistake>> {
    let (ages, mut rng) = (Bounds::new(0.0, 110.0)?, OsSeeded::new()?);
    let school = Bounds::new(11.0, 19.0)?;
    let mean = Mean::new(ages).under_replace_one(4)?.with(Laplace::epsilon(0.5)?)?;
    Ok(vec![
        refused!("A mean of no records.", Mean::new(ages).under_replace_one(0)),
        refused!("A variance of one record.", Variance::new(ages).under_replace_one(1)),
        refused!("Data of another size than was declared.", mean.release(&[23.0, 35.0, 61.0], &mut rng)),
        refused!("Everything is trimmed away.", TrimmedMean::new(ages, 10, 5)),
        refused!("A quantile in percent.", Quantile::new(ages, 95.0)),
        refused!("Levels that do not rise.", Quantiles::new(ages, &[0.5, 0.25])),
        refused!(
            "A step that skips the bounds.",
            Quantile::median(school).epsilon(1.0)?.on_multiples_of(10.0)
        ),
        refused!("Groups without keys.", Mean::new(ages).by(|age| *age > 65.0, [])),
        refused!("A group that is asked for twice.", Mean::new(ages).by(|age| *age > 65.0, [true, true])),
        refused!("A histogram without bins.", Histogram::new(0, |age: &usize| age / 10)),
        refused!("A histogram with the same edge twice.", Histogram::between([0.0, 18.0, 18.0, 65.0])),
        refused!("A histogram with one edge.", Histogram::between([18.0])),
        refused!(
            "Data that are split beyond their end.",
            SplitAt::new(10, &mean, &mean).release(&[23.0, 35.0], &mut rng)
        ),
    ])
}

fn sensitivities() -> Result<Vec<Mistake>> {
    let ages = Bounds::new(0.0, 110.0)?;
    Ok(vec![
        refused!(
            "Noise for a sensitivity of zero.",
            Laplace::epsilon(0.5)?.calibrate(Sensitivity::<L1, AddRemove>::new(0.0)?)
        ),
        refused!(
            "Integers that move by less than one.",
            DiscreteLaplace::epsilon(0.5)?.calibrate(Sensitivity::<L1, AddRemove>::new(0.5)?)
        ),
        refused!(
            "A proposal of zero.",
            ProposeTestRelease::new(Quantile::median(ages), 0.0, Approx::new(1.0, 1e-6)?)
        ),
        refused!("Smooth noise for a ρ beyond its tables.", ArsinhNormal::rho(5.0)),
        refused!("Smooth noise for an ε of zero.", PolyPlace::epsilon(0.0)),
    ])
}

fn selections() -> Result<Vec<Mistake>> {
    let (scale, mut rng) = (Scale::new(2.0)?, OsSeeded::new()?);
    let one = Sensitivity::<LInf, AddRemove>::new(1.0)?;
    let watch = Watch::new(AboveThreshold::epsilon(1.0, -1e9, 1)?, AllAnswers::asserting(one))?;
    let mut interaction = watch.open(OsSeeded::new()?);
    interaction.ask(1e9)?;
    Ok(vec![
        refused!("A selection from no candidates.", Exponential::with_scale(scale).draw(&[], &mut rng)),
        refused!("The best five of three.", TopK::with_scale(scale, 5)?.draw(&[3.0, 1.0, 2.0], &mut rng)),
        refused!("The best zero.", TopK::epsilon(1.0, 0)),
        refused!("A threshold that no answer may pass.", AboveThreshold::epsilon(1.0, 50.0, 0)),
        refused!("A question after the last answer that was paid for.", interaction.ask(7.0)),
    ])
}

fn others() -> Result<Vec<Mistake>> {
    let votes = KRandomizedResponse::epsilon(1.0, 3)?;
    let synthetic = SyntheticData::clamped(&[3.2, 0.4]);
    Ok(vec![
        refused!(
            "Keys that nobody declared, without a δ.",
            StabilityHistogram::<String>::epsilon_delta(1.0, 0.0)
        )
        .advice("Over declared keys take a `Histogram`, or a `SparseHistogram` for very many."),
        refused!(
            "A randomised response to a question with one answer.",
            KRandomizedResponse::epsilon(1.0, 1)
        ),
        refused!("An estimate from no reports.", votes.estimate(&[])),
        refused!("Synthetic records of another universe.", synthetic.records(&["a", "b", "c"])),
        refused!("A failure probability of zero.", Laplace::with_scale(Scale::new(2.0)?).error_bound(0.0)),
    ])
}
