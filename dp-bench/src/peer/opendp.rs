//! Opendp's constructors, called as its documentation shows.

use core::hint::black_box;

use opendp::core::{Domain, Measure, Measurement, Metric};
use opendp::domains::{AtomDomain, VectorDomain};
use opendp::error::Fallible;
use opendp::measurements::{make_gaussian, make_laplace, make_noisy_max};
use opendp::measures::{MaxDivergence, ZeroConcentratedDivergence};
use opendp::metrics::{AbsoluteDistance, L1Distance, L2Distance, LInfDistance};

use super::{Peer, Scores};
use crate::Work;

/// Vectors are this long.
const VALUES: u32 = 2_000;
/// Scalars are drawn this often.
const CALLS: u32 = 1_000;

pub(super) fn work(peer: Peer) -> Work {
    let (pure, concentrated) = (MaxDivergence, ZeroConcentratedDivergence);
    match peer {
        Peer::Laplaces(k) => {
            vector(0.5, make_laplace(floats(VALUES), L1Distance::<f64>::default(), 1.0, k), pure)
        }
        Peer::Gaussians(k) => {
            vector(0.5, make_gaussian(floats(VALUES), L2Distance::<f64>::default(), 1.0, k), concentrated)
        }
        Peer::Laplace => scalar(make_laplace(float(), AbsoluteDistance::<f64>::default(), 1.0, None), pure),
        Peer::Gaussian => {
            scalar(make_gaussian(float(), AbsoluteDistance::<f64>::default(), 1.0, None), concentrated)
        }
        Peer::DiscreteLaplaces(scale) => {
            vector(5, make_laplace(integers(), L1Distance::<i64>::default(), scale, None), pure)
        }
        Peer::DiscreteGaussians(scale) => {
            vector(5, make_gaussian(integers(), L2Distance::<f64>::default(), scale, None), concentrated)
        }
        // For zCDP it draws from the exponential mechanism, for pure guarantees from
        // permute-and-flip.
        Peer::Exponential(scores) => selection(
            scores,
            make_noisy_max(floats(Scores::CANDIDATES), LInfDistance::default(), concentrated, 1.0, false),
        ),
        Peer::PermuteAndFlip(scores) => selection(
            scores,
            make_noisy_max(floats(Scores::CANDIDATES), LInfDistance::default(), pure, 1.0, false),
        ),
    }
}

fn float() -> AtomDomain<f64> {
    AtomDomain::new_non_nan()
}

fn floats(count: u32) -> VectorDomain<AtomDomain<f64>> {
    VectorDomain::new(float()).with_size(count as usize)
}

fn integers() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::default()).with_size(VALUES as usize)
}

fn vector<T: Clone + 'static, DI, MI, MO>(
    answer: T,
    noise: Fallible<Measurement<DI, MI, MO, Vec<T>>>,
    _: MO,
) -> Work
where
    DI: Domain<Carrier = Vec<T>> + 'static,
    MI: Metric + 'static,
    MO: Measure + 'static,
{
    calling(noise, vec![answer; VALUES as usize], 1, VALUES)
}

fn scalar<MO: Measure + 'static>(
    noise: Fallible<Measurement<AtomDomain<f64>, AbsoluteDistance<f64>, MO, f64>>,
    _: MO,
) -> Work {
    calling(noise, 0.5, CALLS, CALLS)
}

fn selection<MI: Metric + 'static, MO: Measure + 'static>(
    scores: Scores,
    max: Fallible<Measurement<VectorDomain<AtomDomain<f64>>, MI, MO, usize>>,
) -> Work {
    calling(max, scores.list(Scores::CANDIDATES), 1, Scores::CANDIDATES)
}

fn calling<DI, MI, MO, TO>(
    measurement: Fallible<Measurement<DI, MI, MO, TO>>,
    argument: DI::Carrier,
    calls: u32,
    values: u32,
) -> Work
where
    DI: Domain + 'static,
    MI: Metric + 'static,
    MO: Measure + 'static,
    TO: 'static,
{
    let measurement = measurement.expect("the parameters are valid");
    Work::new(values, move || {
        for _ in 0..calls {
            black_box(measurement.invoke(black_box(&argument)).expect("opendp draws"));
        }
    })
}
