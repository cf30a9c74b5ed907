//! What the picture shows: claims, and the truth about them. No ratio is written down here; each is
//! computed by the libraries.

use anyhow::{Context, Result};
use dp_accounting::theorems::advanced_printed;
use dp_accounting::{Composition, Event};
use dp_core::pairs::{DominatingPair, GaussianPair, LaplacePair};
use dp_core::{
    AddRemove, Approx, Bounds, Calibrate, Delta, Epsilon, L1, L2, Mechanism, Mu, Query, Scale, Sensitivity,
    SensitivityIn,
};
use dp_mechanisms::{Formula, Gaussian, Laplace, Vector};
use dp_sensitivity::{Count, Histogram, LocalSensitivity, Quantile, StandardDeviation};

/// Rows under one heading.
pub(super) struct Group {
    pub(super) heading: &'static str,
    pub(super) rows: Vec<Row>,
}

/// A claimed ε and the true one.
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) claimed: f64,
    pub(super) truth: f64,
    /// Whether the truth is that, or more.
    pub(super) at_least: bool,
}

/// The δ of all rows that have one.
const DELTA: f64 = 1e-5;

/// All rows, the best first.
pub(super) fn groups() -> Result<Vec<Group>> {
    let row = |what, (claimed, truth)| Row { what, claimed, truth, at_least: false };
    let at_least = |what, pair| Row { at_least: true, ..row(what, pair) };
    Ok(vec![
        Group {
            heading: "What this library adds: as much noise as it takes",
            rows: vec![
                row("Laplace noise on a count", laplace()?),
                row("Gaussian noise, exact calibration", analytic()?),
            ],
        },
        Group {
            heading: "Bounds in print that hold: more noise than it takes",
            rows: vec![
                row("Gaussian noise, textbook formula", textbook()?),
                row("100 Laplace releases, advanced composition", advanced()?),
                row("10,000 steps of DP-SGD, by Rényi divergences", renyi()?),
            ],
        },
        Group {
            heading: "Claims that are false: less privacy than they say",
            rows: vec![
                row("histogram under replace-one, noise for add/remove", histogram()?),
                row("Gaussian noise, formula without its squares", misprint()?),
                at_least("sparse vector that never stops (6 of 12 yes)", sparse_vector()?),
                row("standard deviation of 1000, noise as for a mean", deviation()?),
                row("median, noise for the sensitivity at hand", local_noise()?),
            ],
        },
    ])
}

fn one_apart() -> Result<Sensitivity<L2, AddRemove>> {
    Ok(Sensitivity::new(1.0)?)
}

/// The ε of Gaussian noise on answers that are 1 apart, at the δ of all rows.
fn of_gaussian(sigma: f64) -> Result<f64> {
    Ok(GaussianPair::new(Mu::new(1.0 / sigma)?).epsilon(Delta::new(DELTA)?).get())
}

fn laplace() -> Result<(f64, f64)> {
    let (claimed, count) = (1.0, Count::<u8, _, _>::all());
    let apart = SensitivityIn::<L1>::sensitivity(&count).value();
    let scale = count.with(Laplace::epsilon(claimed)?)?.mechanism().scale().get();
    Ok((claimed, LaplacePair::new(Epsilon::new(apart / scale)?).max_loss()))
}

fn analytic() -> Result<(f64, f64)> {
    let claimed = 0.5;
    let (noise, _) = Gaussian::epsilon_delta(claimed, DELTA)?.calibrate(one_apart()?)?;
    Ok((claimed, of_gaussian(noise.scale().get())?))
}

/// Claim M3.
fn textbook() -> Result<(f64, f64)> {
    let claimed = 0.5;
    let (noise, _) = Gaussian::printed(claimed, DELTA, Formula::Classic)?.calibrate(one_apart()?)?;
    Ok((claimed, of_gaussian(noise.scale().get())?))
}

/// Claim A5.
fn advanced() -> Result<(f64, f64)> {
    let (each, count, delta) = (0.1, 100, Delta::new(DELTA)?);
    let claimed = advanced_printed(Approx::new(each, 0.0)?, count, delta)?;
    let releases = Composition::<AddRemove>::new().with(LaplacePair::new(Epsilon::new(each)?), count);
    Ok((claimed.epsilon().get(), releases.epsilon(delta).hi()))
}

fn renyi() -> Result<(f64, f64)> {
    let (step, delta) =
        (Event::poisson(0.01, GaussianPair::with_noise_multiplier(1.0)?)?, Delta::new(DELTA)?);
    let training = Composition::<AddRemove>::new().with(step, 10_000);
    Ok((training.renyi_epsilon(delta).get(), training.epsilon(delta).hi()))
}

/// Claim M15: noise for one count that moves, where two do.
fn histogram() -> Result<(f64, f64)> {
    let (claimed, bins) = (1.0, Histogram::new(10, |bin: &usize| *bin)?);
    let noise = Vector::new(Laplace::with_scale(Scale::new(1.0 / claimed)?));
    let truth = noise.guarantee(SensitivityIn::<L1>::sensitivity(&bins.under_replace_one()));
    Ok((claimed, truth.epsilon().get()))
}

/// Claim M5: 2·ln(1.25/δ)/ε, which is ε times the variance of the textbook.
fn misprint() -> Result<(f64, f64)> {
    let claimed = 0.1_f64;
    let (noise, _) = Gaussian::printed(claimed, DELTA, Formula::Classic)?.calibrate(one_apart()?)?;
    Ok((claimed, of_gaussian(noise.scale().get() * claimed.sqrt())?))
}

/// Claim SV6, whose check computes the loss of one outcome on one pair of twelve answers.
fn sparse_vector() -> Result<(f64, f64)> {
    let claims = dp_verify::claims::all();
    let claim = claims.iter().find(|claim| claim.id == "SV6").context("the ledger has no claim SV6")?;
    let slack = (claim.check)().slack.context("the check of SV6 found no ratio")?;
    Ok((1.0, 1.0 / slack.least))
}

/// Claim M10: ε is the sensitivity over the scale, and the scale was chosen for the claimed
/// sensitivity.
fn deviation() -> Result<(f64, f64)> {
    let (claimed, size) = (1.0, 1000_u16);
    let query = StandardDeviation::new(Bounds::new(0.0, 1.0)?).under_replace_one(size.into())?;
    let noise = Laplace::with_scale(Scale::new(1.0 / f64::from(size) / claimed)?);
    Ok((claimed, noise.guarantee(SensitivityIn::<L1>::sensitivity(&query)).epsilon().get()))
}

/// Claim S1: two neighbours with the same median, noise on one of them and none on the other.
fn local_noise() -> Result<(f64, f64)> {
    let median = Quantile::median(Bounds::new(0.0, 1.0)?).under_replace_one(5)?;
    let (x, y) = ([0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 1.0]);
    let told_apart = median.answer(&x)?.get() == median.answer(&y)?.get()
        && median.local(&x)? > 0.0
        && median.local(&y)? == 0.0;
    Ok((1.0, if told_apart { f64::INFINITY } else { 1.0 }))
}
