//! Every draw that has a limit.

use core::hint::black_box;

use dp_core::{Mechanism, Scale};
use dp_mechanisms::selection::{ExponentialNoise, GumbelNoise, NoisyMax};
use dp_mechanisms::{DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace};
use rand_distr::{Distribution, Normal};

use crate::{Peer, Row, Scores, Work, floors};

/// The rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = vec![
        Row::new("Laplace, at once", laplaces(), 1.5, float_laplaces()).beside(300.0, Peer::Laplaces(None)),
        Row::new("Laplace, one by one", laplace(), 2.0, float_laplace()).beside(200.0, Peer::Laplace),
        Row::new("Gaussian, at once", gaussians(), 2.0, normals(1.0)).beside(500.0, Peer::Gaussians(None)),
        Row::new("Gaussian, f32, σ·2⁻¹², at once", single_gaussians(), 1.2, single_normals()),
        Row::new("the same, beside its random words", single_gaussians(), 4.0, words()),
        Row::new("Gaussian, one by one", gaussian(), 2.0, normal()).beside(200.0, Peer::Gaussian),
    ];
    if cfg!(feature = "peers") {
        let row = Row::new("Laplace, at once; opendp on our grid", laplaces(), 1.5, float_laplaces());
        rows.push(row.beside(300.0, Peer::Laplaces(Some(-30))));
        let row = Row::new("Gaussian, at once; opendp on our grid", gaussians(), 2.0, normals(1.0));
        rows.push(row.beside(500.0, Peer::Gaussians(Some(-30))));
    }
    for b in [1.0, 10.0, 1e6] {
        let row =
            Row::new(format!("discrete Laplace, scale {b}, at once"), discrete_laplaces(b), 2.0, laplaces());
        rows.push(row.beside(200.0, Peer::DiscreteLaplaces(b)));
    }
    for s in [1.0, 10.0, 1e6] {
        let row =
            Row::new(format!("discrete Gaussian, σ {s}, at once"), discrete_gaussians(s), 4.0, normals(s));
        rows.push(row.beside(300.0, Peer::DiscreteGaussians(s)));
    }
    for (scores, name, limit) in
        [(Scores::Spread, "spread scores", 3.0), (Scores::OneWinner, "one clear winner", 100.0)]
    {
        let row =
            Row::new(format!("noisy max of 10⁵, {name}"), gumbel_max(scores), 1.5, float_gumbel_max(scores));
        rows.push(row.beside(limit, Peer::Exponential(scores)));
        let row = Row::new(
            format!("noisy max of 10⁵, exponential noise, {name}"),
            exponential_max(scores),
            1.5,
            float_gumbel_max(scores),
        );
        rows.push(row.beside(limit, Peer::PermuteAndFlip(scores)));
    }
    rows
}

const DRAWN: &str = "a draw for a number, into a list of the right length, does not fail";

fn scale(value: f64) -> Scale {
    Scale::new(value).expect("benches use positive scales")
}

fn laplaces() -> Work {
    let noise = Laplace::with_scale(scale(1.0));
    Work::at_once(0.5, move |answers, released, rng| noise.draw_all(answers, released, rng).expect(DRAWN))
}

fn laplace() -> Work {
    let noise = Laplace::with_scale(scale(1.0));
    Work::one_by_one(move |rng| black_box(&noise).draw(black_box(&0.5), rng).expect(DRAWN))
}

fn gaussians() -> Work {
    let noise = Gaussian::with_scale(scale(1.0));
    Work::at_once(0.5, move |answers, released, rng| noise.draw_all(answers, released, rng).expect(DRAWN))
}

fn single_gaussians() -> Work {
    let noise = Gaussian::with_scale(scale(1.0)).on_grid(-12).expect("2⁻¹² is a float");
    Work::at_once(0.5, move |answers, released, rng| noise.draw_all_f32(answers, released, rng).expect(DRAWN))
}

fn gaussian() -> Work {
    let noise = Gaussian::with_scale(scale(1.0));
    Work::one_by_one(move |rng| black_box(&noise).draw(black_box(&0.5), rng).expect(DRAWN))
}

fn discrete_laplaces(b: f64) -> Work {
    let noise = DiscreteLaplace::with_scale(scale(b));
    Work::at_once(5, move |answers, released, rng| noise.draw_all(answers, released, rng).expect(DRAWN))
}

fn discrete_gaussians(sigma: f64) -> Work {
    let noise = DiscreteGaussian::with_scale(scale(sigma));
    Work::at_once(5, move |answers, released, rng| noise.draw_all(answers, released, rng).expect(DRAWN))
}

fn gumbel_max(scores: Scores) -> Work {
    let noisy_max = NoisyMax::<GumbelNoise>::with_scale(scale(1.0));
    Work::selection(scores, move |scores, rng| noisy_max.draw(scores, rng).expect(DRAWN))
}

fn exponential_max(scores: Scores) -> Work {
    let noisy_max = NoisyMax::<ExponentialNoise>::with_scale(scale(1.0));
    Work::selection(scores, move |scores, rng| noisy_max.draw(scores, rng).expect(DRAWN))
}

fn float_gumbel_max(scores: Scores) -> Work {
    Work::selection(scores, |scores, rng| floors::gumbel_max(black_box(1.0), scores, rng))
}

fn float_laplaces() -> Work {
    Work::at_once(0.5, |answers, released, rng| {
        floors::laplace_at_once(black_box(1.0), answers, released, rng);
    })
}

fn float_laplace() -> Work {
    Work::one_by_one(|rng| floors::laplace_one(black_box(1.0), black_box(0.5), rng))
}

fn float_normal(sigma: f64) -> Normal<f64> {
    Normal::new(0.0, sigma).expect("benches use positive scales")
}

fn normals(sigma: f64) -> Work {
    let normal = float_normal(sigma);
    Work::at_once(0.5, move |answers, released, rng| {
        floors::normal_at_once(black_box(normal), answers, released, rng);
    })
}

fn single_normals() -> Work {
    let normal: Normal<f32> = Normal::new(0.0, 1.0).expect("one is a positive scale");
    Work::at_once(0.5, move |answers, released, rng| {
        floors::normal_at_once(black_box(normal), answers, released, rng);
    })
}

fn words() -> Work {
    Work::at_once(0.5, |_, released, rng| floors::words_at_once(released, rng))
}

fn normal() -> Work {
    let normal = float_normal(1.0);
    Work::one_by_one(move |rng| black_box(0.5) + black_box(&normal).sample(rng))
}
