//! Exact samplers, one draw at a time, beside random words and float samplers.

use core::hint::black_box;
use core::num::NonZero;

use dp_mechanisms::sample::{
    Bernoulli, Binomial, DiscreteGaussianSampler, DiscreteLaplaceSampler, ExponentialLaw, Geometric,
    GumbelLaw, Law, Rounded, StudentTLaw, below,
};
use rand_distr::{Distribution, Normal};

use super::scale;
use crate::{Area, Row, Work, floors};

const PARAMETERS: &str = "the parameters are good";

pub(super) fn rows() -> Vec<Row> {
    let row = |name: &str, ours: fn() -> Work| Row::new(Area::Samplers, name, "draw", ours);
    vec![
        row("random word", floors::random_words),
        row("uniform integer below 10", || {
            let ten = NonZero::new(10).expect("ten is not zero");
            Work::one_by_one(move |rng| below(black_box(ten), rng))
        })
        .floor("a random word", floors::random_words),
        row("coin with p = 0.3", || {
            let coin = Bernoulli::new(0.3).expect(PARAMETERS);
            Work::one_by_one(move |rng| coin.draw(rng))
        })
        .floor("a random word", floors::random_words),
        row("geometric, scale 10", || {
            let law = Geometric::new(scale(10.0));
            Work::one_by_one(move |rng| law.draw(rng))
        })
        .floor("rand_distr, floats", || sampling(geometric())),
        row("binomial, n = 1000, p = 0.3", || {
            let law = Binomial::new(1000, 0.3).expect(PARAMETERS);
            Work::one_by_one(move |rng| law.draw(rng))
        })
        .floor("rand_distr, floats", || sampling(rand_distr::Binomial::new(1000, 0.3).expect(PARAMETERS))),
        row("discrete Laplace, scale 10, one by one", || {
            let law = DiscreteLaplaceSampler::new(scale(10.0));
            Work::one_by_one(move |rng| law.draw(black_box(5), rng))
        })
        .floor("two float geometrics", || {
            let law = geometric();
            Work::one_by_one(move |rng| law.sample(rng).abs_diff(law.sample(rng)))
        }),
        row("discrete Gaussian, σ = 10, one by one", || {
            let law = DiscreteGaussianSampler::new(scale(10.0));
            Work::one_by_one(move |rng| law.draw(black_box(5), rng))
        })
        .floor("a float normal, rounded", || {
            let law: Normal<f64> = Normal::new(0.0, 10.0).expect(PARAMETERS);
            Work::one_by_one(move |rng| law.sample(rng).round())
        }),
        row("exponential", || rounded(|| ExponentialLaw))
            .floor("rand_distr, floats", || sampling::<f64>(rand_distr::Exp1)),
        row("Gumbel", || rounded(|| GumbelLaw))
            .floor("rand_distr, floats", || sampling(rand_distr::Gumbel::new(0.0, 1.0).expect(PARAMETERS))),
        row("Student t, 3 degrees", || rounded(|| StudentTLaw::new(3.0).expect(PARAMETERS)))
            .floor("rand_distr, floats", || sampling(rand_distr::StudentT::new(3.0).expect(PARAMETERS))),
    ]
}

fn geometric() -> rand_distr::Geometric {
    rand_distr::Geometric::new(1.0 - (-0.1_f64).exp()).expect(PARAMETERS)
}

fn rounded<L: Law + 'static>(law: impl Fn() -> L) -> Work {
    let noise = Rounded::new(law(), scale(1.0));
    Work::one_by_one(move |rng| noise.draw(rng))
}

fn sampling<T: 'static>(law: impl Distribution<T> + 'static) -> Work {
    Work::one_by_one(move |rng| law.sample(rng))
}
