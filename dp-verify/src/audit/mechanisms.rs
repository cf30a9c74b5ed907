//! Noise on numbers.

use dp_core::{Bounds, Query, Scale};
use dp_mechanisms::{
    BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Formula, Gaussian, Laplace, MixedNoise, Vector,
};

use super::Audit;
use super::labels::lowest_bit;
use super::subject::{Audits, View, given};

/// δ at which guarantees that have none of their own are audited: large enough for events that a
/// million draws can see.
pub(super) const DELTA: f64 = 1e-3;

pub(super) fn all() -> Audits {
    Ok([continuous()?, discrete()?, bounded()?, mixed()?, vectors()?].into_iter().flatten().collect())
}

fn number() -> View<f64> {
    View::number(|output| output)
}

/// The lowest bit that an output has: floats that were made of a larger answer lack the low ones.
fn bits() -> View<f64> {
    View::label(lowest_bit, |label| match i64::try_from(label) {
        Ok(place) => format!("a multiple of 2^{} and no more", place - 1100),
        Err(_) => "zero or no number".into(),
    })
}

fn continuous() -> Audits {
    let one = || given::<f64>(1.0);
    let coarse = Laplace::with_scale(Scale::new(1.0)?).on_grid(0)?;
    Ok(vec![
        Audit::of(
            "Laplace",
            "Laplace noise on one number",
            one().with(Laplace::epsilon(1.0)?)?,
            [0.0, 1.0],
            0.0,
            number(),
        )?,
        Audit::of(
            "Laplace, coarse grid",
            "Laplace noise of scale 1, rounded to whole numbers",
            one().with(coarse)?,
            [0.3, 1.3],
            0.0,
            View::integer(nearest),
        )?,
        Audit::of(
            "Laplace, low bits",
            "Laplace noise on one number, seen by the lowest bit of the float",
            one().with(Laplace::epsilon(1.0)?)?,
            [0.0, 1.0],
            0.0,
            bits(),
        )?,
        Audit::of(
            "Gaussian, exact",
            "Gaussian noise on one number, calibrated exactly",
            one().with(Gaussian::epsilon_delta(1.0, DELTA)?)?,
            [0.0, 1.0],
            DELTA,
            number(),
        )?,
        Audit::of(
            "Gaussian, textbook",
            "Gaussian noise on one number by the textbook's formula for epsilon < 1",
            one().with(Gaussian::printed(0.9, DELTA, Formula::Classic)?)?,
            [0.0, 1.0],
            DELTA,
            number(),
        )?,
        Audit::of(
            "Gaussian, second textbook",
            "Gaussian noise on one number by the textbook's formula for any epsilon",
            one().with(Gaussian::printed(1.0, DELTA, Formula::Lecture)?)?,
            [0.0, 1.0],
            DELTA,
            number(),
        )?,
        Audit::of(
            "Gaussian, zCDP",
            "Gaussian noise on one number, calibrated to zCDP",
            one().with(Gaussian::rho(0.5)?)?,
            [0.0, 1.0],
            DELTA,
            number(),
        )?,
        Audit::of(
            "Gaussian, GDP",
            "Gaussian noise on one number, calibrated to GDP",
            one().with(Gaussian::mu(1.0)?)?,
            [0.0, 1.0],
            DELTA,
            number(),
        )?,
        Audit::of(
            "Gaussian, low bits",
            "Gaussian noise on one number, seen by the lowest bit of the float",
            one().with(Gaussian::epsilon_delta(1.0, DELTA)?)?,
            [0.0, 1.0],
            DELTA,
            bits(),
        )?,
    ])
}

#[allow(clippy::cast_possible_truncation, reason = "whole numbers that are small")]
fn nearest(output: f64) -> i64 {
    output as i64
}

fn discrete() -> Audits {
    let one = || given::<i64>(1.0);
    let integer = || View::integer(|output: i64| output);
    Ok(vec![
        Audit::of(
            "discrete Laplace",
            "discrete Laplace noise on one integer",
            one().with(DiscreteLaplace::epsilon(1.0)?)?,
            [0_i64, 1],
            0.0,
            integer(),
        )?,
        Audit::of(
            "discrete Gaussian, zCDP",
            "discrete Gaussian noise on one integer, calibrated to zCDP",
            one().with(DiscreteGaussian::rho(0.5)?)?,
            [0_i64, 1],
            DELTA,
            integer(),
        )?,
        Audit::of(
            "discrete Gaussian, exact",
            "discrete Gaussian noise on one integer, calibrated exactly",
            one().with(DiscreteGaussian::epsilon_delta(1.0, DELTA)?)?,
            [0_i64, 1],
            DELTA,
            integer(),
        )?,
    ])
}

/// The worst neighbours have one answer at a bound.
fn bounded() -> Audits {
    let half = || given::<f64>(0.5);
    let unit = Bounds::new(0.0, 1.0)?;
    Ok(vec![
        Audit::of(
            "bounded Laplace",
            "Laplace noise confined to [0_i64, 1], pure",
            half().with(BoundedLaplace::epsilon(1.0, unit)?)?,
            [0.0, 0.5],
            0.0,
            number(),
        )?,
        Audit::of(
            "bounded Laplace, tight",
            "Laplace noise confined to [0_i64, 1], by its exact profile",
            half().with(BoundedLaplace::epsilon_delta(1.0, 0.05, unit)?)?,
            [0.0, 0.5],
            0.05,
            number(),
        )?,
        Audit::of(
            "bounded Laplace, theorem",
            "Laplace noise confined to [0_i64, 1], by the printed theorem",
            half().with(BoundedLaplace::printed(1.0, 0.05, unit)?)?,
            [0.0, 0.5],
            0.05,
            number(),
        )?,
    ])
}

fn mixed() -> Audits {
    let one = || given::<f64>(1.0);
    Ok(vec![
        Audit::of(
            "mixed noise, Laplace branch",
            "Laplace or Gaussian noise, whichever has less variance: Laplace here",
            one().with(MixedNoise::epsilon_delta(1.0, 1e-6)?)?,
            [0.0, 1.0],
            1e-6,
            number(),
        )?,
        Audit::of(
            "mixed noise, Gaussian branch",
            "Laplace or Gaussian noise, whichever has less variance: Gaussian here",
            one().with(MixedNoise::epsilon_delta(0.5, 0.1)?)?,
            [0.0, 1.0],
            0.1,
            number(),
        )?,
        Audit::of(
            "mixed noise, least error",
            "Laplace or Gaussian noise, whichever errs less nine times out of ten",
            one().with(MixedNoise::least_error(1.0, 0.01, 0.1)?)?,
            [0.0, 1.0],
            0.01,
            number(),
        )?,
    ])
}

/// All coordinates move, each by as little as the norm leaves to it; where all of them follow, the
/// likelihood ratio is largest.
fn vectors() -> Audits {
    let apart = 0.5_f64.sqrt();
    Ok(vec![
        Audit::of(
            "Laplace, vector",
            "Laplace noise on two numbers, by the l1 sensitivity",
            given::<Vec<f64>>(1.0).with(Vector::new(Laplace::epsilon(1.0)?))?,
            [vec![0.0, 0.0], vec![0.5, 0.5]],
            0.0,
            View::number(|v: Vec<f64>| v[0].min(v[1])),
        )?,
        Audit::of(
            "Gaussian, vector",
            "Gaussian noise on two numbers, by the l2 sensitivity",
            given::<Vec<f64>>(1.0).with(Vector::new(Gaussian::epsilon_delta(1.0, DELTA)?))?,
            [vec![0.0, 0.0], vec![apart, apart]],
            DELTA,
            View::number(|v: Vec<f64>| v[0] + v[1]),
        )?,
        Audit::of(
            "discrete Laplace, vector",
            "discrete Laplace noise on two integers, by the l1 sensitivity",
            given::<Vec<i64>>(2.0).with(Vector::new(DiscreteLaplace::epsilon(1.0)?))?,
            [vec![0_i64, 0], vec![1, -1]],
            0.0,
            View::integer(|v: Vec<i64>| v[0].min(-v[1])),
        )?,
        Audit::of(
            "discrete Gaussian, vector",
            "discrete Gaussian noise on two integers, by the l2 sensitivity",
            given::<Vec<i64>>(2.0_f64.sqrt().next_up()).with(Vector::new(DiscreteGaussian::rho(0.5)?))?,
            [vec![0_i64, 0], vec![1, 1]],
            DELTA,
            View::integer(|v: Vec<i64>| v[0] + v[1]),
        )?,
    ])
}
