//! What `{:?}` prints of mechanisms, samplers and what holds them is for a person to read: their
//! parameters, and no tables.

use std::fmt::Debug;

use dp_accounting::{Budget, Composition, Event};
use dp_core::pairs::{DiscreteGaussianPair, GaussianPair};
use dp_core::{
    AddRemove, AllAnswers, Bounds, Calibrate, Delta, Epsilon, Error, Interactive, L1, LInf, Pure, Query,
    ReplaceOne, Scale, Sensitivity,
};
use dp_mechanisms::local::{
    CountMeanSketch, HadamardResponse, KRandomizedResponse, RandomizedResponse, UnaryEncoding,
};
use dp_mechanisms::rng::OsSeeded;
use dp_mechanisms::sample::{self, Bernoulli, Binomial, Geometric, Ratio};
use dp_mechanisms::selection::{Exponential, LaplaceNoise, NoisyMax, PermuteAndFlip, TopK};
use dp_mechanisms::{
    AboveThreshold, BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Gaussian, HierarchicalCounts,
    Hierarchy, KeySelection, Laplace, MixedNoise, ReusableHoldout, SparseHistogram, StabilityHistogram,
    TruncatedHistogram, Vector, Watch,
};
use dp_ml::model::Linear;
use dp_ml::training::{Privacy, Settings, Training};
use dp_ml::{Csv, Idx, OnBadCell};
use dp_sensitivity::smooth::{self, ArsinhNormal, PolyPlace, PolynomialTail, SmoothStudentT, Smoothly};
use dp_sensitivity::{Mean, PeopleByKey, PrivateBounds, Quantile, TailBounds};

/// The longest mechanism that is still read.
const MOST: usize = 300;
/// As much for a query, its noise and the guarantee together, and for mechanisms that hold two
/// others.
const MOST_OF_SEVERAL: usize = 500;

fn assert_short<T: Debug>(value: &T) {
    assert_below(MOST, value);
}

fn assert_below<T: Debug>(most: usize, value: &T) {
    let printed = format!("{value:?}");
    let length = printed.chars().count();
    assert!(length < most, "{length} characters: {}…", printed.chars().take(most).collect::<String>());
}

#[test]
fn mechanisms() -> Result<(), Error> {
    let (scale, one) = (Scale::new(1.0 / 3.0)?, Sensitivity::<LInf, AddRemove>::new(1.0)?);
    assert_short(&Laplace::with_scale(scale));
    assert_short(&Gaussian::with_scale(scale));
    assert_short(&DiscreteLaplace::with_scale(scale));
    assert_short(&DiscreteGaussian::with_scale(scale));
    assert_short(&DiscreteGaussian::with_scale(Scale::new(1e9)?));
    assert_short(&Vector::new(Laplace::with_scale(scale)));
    assert_short(&Vector::new(Gaussian::with_scale(scale)));
    assert_short(&Vector::new(DiscreteGaussian::with_scale(scale)));
    assert_short(&Gaussian::epsilon_delta(1.0, 1e-6)?);
    assert_short(&DiscreteGaussian::epsilon_delta(1.0, 1e-6)?);
    let near = Sensitivity::<L1, AddRemove>::new(1.0)?;
    assert_short(&BoundedLaplace::epsilon(1.0, Bounds::new(0.0, 1.0)?)?.calibrate(near)?.0);
    assert_short(&MixedNoise::epsilon_delta(1.0, 1e-6)?);
    assert_short(&Exponential::with_scale(scale));
    assert_short(&PermuteAndFlip::with_scale(scale));
    assert_short(&NoisyMax::<LaplaceNoise>::with_scale(scale));
    assert_short(&TopK::with_scale(scale, 5)?);
    let above = AboveThreshold::epsilon(1.0, 10.0, 3)?.calibrate(one)?.0;
    assert_short(&above);
    let watch = Watch::new(above, AllAnswers::asserting(one))?;
    assert_below(MOST_OF_SEVERAL, &watch);
    assert_short(&watch.open(OsSeeded::new().expect("the system has random bits")));
    assert_short(&StabilityHistogram::<String>::new(scale, 100)?);
    assert_short(&TruncatedHistogram::<String>::new(scale, 100)?);
    assert_short(&KeySelection::<String>::new(Epsilon::new(0.1)?, Delta::new(1e-6)?)?);
    let people = PeopleByKey::new(3, |keys: &Vec<String>| keys.clone())?;
    assert_short(&people.epsilon_delta(1.0, 1e-6)?);
    assert_short(&PrivateBounds::rho(0.1)?);
    assert_short(&TailBounds::rho(0.1)?);
    assert_below(MOST_OF_SEVERAL, &Mean::bounds_privately(0.25)?.epsilon(1.0)?);
    let ages = (0..=120).map(f64::from);
    assert_short(&Quantile::median(Bounds::new(0.0, 120.0)?).among(ages)?.epsilon(1.0)?);
    assert_short(&SparseHistogram::new(scale, 1 << 40, 100)?);
    assert_below(MOST_OF_SEVERAL, &ReusableHoldout::epsilon(1.0, 1000, 0.1, 3)?);
    let country = Hierarchy::uniform(&[50, 100, 10])?;
    assert_short(&country);
    assert_short(&HierarchicalCounts::with_scale(scale, country));
    assert_short(&RandomizedResponse::epsilon(1.0)?);
    assert_short(&KRandomizedResponse::epsilon(1.0, 100)?);
    assert_short(&HadamardResponse::epsilon(1.0, 100)?);
    assert_short(&UnaryEncoding::epsilon(1.0, 100)?);
    assert_short(&CountMeanSketch::epsilon(4.0, 100_000, 64, 7, 1)?);
    Ok(())
}

#[test]
fn samplers() -> Result<(), Error> {
    let third = Ratio::positive(1, 3)?;
    assert_short(&sample::DiscreteGaussianSampler::new(third));
    assert_short(&sample::DiscreteGaussianSampler::new(Scale::new(1e100)?));
    assert_short(&sample::DiscreteLaplaceSampler::new(Scale::new(10.0)?));
    assert_short(&Geometric::new(Scale::new(10.0)?));
    assert_short(&Bernoulli::new(0.3)?);
    assert_short(&Binomial::new(1000, 0.3)?);
    Ok(())
}

#[test]
fn measurements_and_smooth_noise() -> Result<(), Error> {
    let bounds = Bounds::new(0.0, 110.0)?;
    let mean = Mean::new(bounds).under_replace_one(500)?;
    assert_below(MOST_OF_SEVERAL, &mean.with(Gaussian::epsilon_delta(1.0, 1e-6)?)?);
    let median = Quantile::new(bounds, 0.5)?;
    assert_below(MOST_OF_SEVERAL, &median.smoothly(PolyPlace::epsilon(1.0)?)?);
    assert_short(&SmoothStudentT::epsilon(1.0)?);
    assert_short(&PolynomialTail::epsilon(1.0)?);
    assert_short(&ArsinhNormal::rho(0.5)?);
    assert_short(&smooth::SmoothGaussian::epsilon_delta(1.0, 1e-6)?);
    assert_short(&smooth::SmoothLaplace::epsilon_delta(1.0, 1e-6)?);
    assert_short(&Budget::<Pure, AddRemove>::new(Pure::new(1.0)?));
    Ok(())
}

#[test]
fn compositions() -> Result<(), Error> {
    let step = Event::poisson(0.01, GaussianPair::with_noise_multiplier(1.0)?)?;
    assert_short(&Composition::<AddRemove>::new().with(step, 10_000));
    let noise = DiscreteGaussianPair::new(Scale::new(300.0)?, 7)?;
    assert_short(&Composition::<ReplaceOne>::new().with(noise, 10));
    Ok(())
}

#[test]
fn learning() -> Result<(), Error> {
    let settings = Settings::new(1000, 100.0, Privacy::Noise { multiplier: 1.0, delta: 1e-5 }).steps(10);
    let training = Training::new(Linear::new(3)?, settings)?;
    // Settings have many fields, each of which is a parameter.
    assert_below(4 * MOST, &training);
    let table = Csv::parse(format!("x,y\n{}", "1,2\n".repeat(1000)), OnBadCell::Refuse).expect("a table");
    assert_short(&table);
    assert_short(&Idx::parse(&[&[0, 0, 8, 1, 0, 0, 2, 0][..], &[7; 512]].concat()).expect("labels"));
    Ok(())
}
