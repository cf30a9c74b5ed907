//! Noise on answers: one by one, a thousand and a million at once, on one thread and on two.

use core::hint::black_box;

use dp_core::Mechanism;
use dp_mechanisms::{DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rand_distr::{Distribution, Normal};

use super::{DRAWN, scale};
use crate::{Area, Peer, Row, Work, floors};

const MILLION: u32 = 1_000_000;
const THOUSAND: u32 = 1_000;
const LOGARITHMS: &str = "−b·ln U in floats";
const NORMALS: &str = "rand_distr, floats";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("Laplace, 10⁶ at once", || laplaces(MILLION))
            .floor(LOGARITHMS, || float_laplaces(MILLION))
            .at_most(1.5)
            .beside(300.0, Peer::Laplaces(None)),
        row("Laplace, 10³ at once", || laplaces(THOUSAND)).floor(LOGARITHMS, || float_laplaces(THOUSAND)),
        row("Laplace, one by one", laplace)
            .floor(LOGARITHMS, float_laplace)
            .at_most(2.0)
            .beside(200.0, Peer::Laplace),
        row("Gaussian, 10⁶ at once", || gaussians(MILLION))
            .floor(NORMALS, || normals(MILLION, 1.0))
            .at_most(2.0)
            .beside(500.0, Peer::Gaussians(None)),
        row("Gaussian, 10³ at once", || gaussians(THOUSAND)).floor(NORMALS, || normals(THOUSAND, 1.0)),
        row("Gaussian, one by one", gaussian)
            .floor(NORMALS, normal)
            .at_most(2.0)
            .beside(200.0, Peer::Gaussian),
        row("Gaussian, f32 on steps of σ·2⁻¹², 10⁶ at once", single_gaussians)
            .floor(NORMALS, single_normals)
            .at_most(1.2),
        row("the same, beside its random bits", single_gaussians)
            .floor("32 random bits each", words)
            .at_most(4.0),
        row("Gaussian, 10⁶ at once, beside a copy", || gaussians(MILLION))
            .floor("a copy", || floors::copy(MILLION)),
        row("Laplace, 10⁶ on two threads", || {
            on_two_threads(|answers, released, rng| {
                released.copy_from_slice(answers);
                Laplace::with_scale(scale(1.0)).draw_into(released, rng);
            })
        })
        .floor("one thread", || laplaces(MILLION).by_the_wall()),
        row("Gaussian, 10⁶ on two threads", || {
            on_two_threads(|answers, released, rng| {
                released.copy_from_slice(answers);
                Gaussian::with_scale(scale(1.0)).draw_into(released, rng);
            })
        })
        .floor("one thread", || gaussians(MILLION).by_the_wall()),
    ];
    if cfg!(feature = "peers") {
        // By default opendp releases floats on the finest lattice there is: here it has ours.
        let ours = row("Laplace, 10⁶ at once; opendp on our grid", || laplaces(MILLION));
        rows.push(ours.beside(300.0, Peer::Laplaces(Some(-30))));
        let ours = row("Gaussian, 10⁶ at once; opendp on our grid", || gaussians(MILLION));
        rows.push(ours.beside(500.0, Peer::Gaussians(Some(-30))));
    }
    for b in [1.0, 10.0, 1e6] {
        let ours = row(&format!("discrete Laplace, scale {b}, 10⁶ at once"), move || discrete_laplaces(b));
        let ours = ours.floor("our Laplace at once", || laplaces(MILLION)).at_most(2.0);
        rows.push(ours.beside(200.0, Peer::DiscreteLaplaces(b)));
    }
    for sigma in [1.0, 10.0, 1e6] {
        let ours =
            row(&format!("discrete Gaussian, σ {sigma}, 10⁶ at once"), move || discrete_gaussians(sigma));
        let ours = ours.floor(NORMALS, move || normals(MILLION, sigma)).at_most(4.0);
        rows.push(ours.beside(300.0, Peer::DiscreteGaussians(sigma)));
    }
    rows
}

fn row(name: &str, ours: impl Fn() -> Work + 'static) -> Row {
    Row::new(Area::Mechanisms, name, "value", ours)
}

fn laplaces(values: u32) -> Work {
    let noise = Laplace::with_scale(scale(1.0));
    Work::at_once(values, 0.5, move |answers, released, rng| {
        released.copy_from_slice(answers);
        noise.draw_into(released, rng);
    })
}

fn laplace() -> Work {
    let noise = Laplace::with_scale(scale(1.0));
    Work::one_by_one(move |rng| black_box(&noise).draw(black_box(&0.5), rng).expect(DRAWN))
}

fn gaussians(values: u32) -> Work {
    let noise = Gaussian::with_scale(scale(1.0));
    Work::at_once(values, 0.5, move |answers, released, rng| {
        released.copy_from_slice(answers);
        noise.draw_into(released, rng);
    })
}

fn single_gaussians() -> Work {
    let noise = Gaussian::with_scale(scale(1.0)).on_grid(-12).expect("2⁻¹² is a float");
    Work::at_once(MILLION, 0.5_f32, move |answers, released, rng| {
        released.copy_from_slice(answers);
        noise.draw_into(released, rng);
    })
}

fn gaussian() -> Work {
    let noise = Gaussian::with_scale(scale(1.0));
    Work::one_by_one(move |rng| black_box(&noise).draw(black_box(&0.5), rng).expect(DRAWN))
}

/// A million releases in two halves, each with a generator of its own.
fn on_two_threads(draw: impl Fn(&[f64], &mut [f64], &mut ChaCha20Rng) + Sync + 'static) -> Work {
    let mut rngs = [1, 2].map(ChaCha20Rng::seed_from_u64);
    let work = Work::at_once(MILLION, 0.5, move |answers, released, _| {
        let half = answers.len().div_ceil(2);
        let parts = answers.chunks(half).zip(released.chunks_mut(half)).zip(&mut rngs);
        std::thread::scope(|scope| {
            for ((answers, released), rng) in parts {
                let draw = &draw;
                scope.spawn(move || draw(answers, released, rng));
            }
        });
    });
    work.by_the_wall()
}

fn discrete_laplaces(b: f64) -> Work {
    let noise = DiscreteLaplace::with_scale(scale(b));
    Work::at_once(MILLION, 5, move |answers, released, rng| {
        released.copy_from_slice(answers);
        noise.draw_into(released, rng);
    })
}

fn discrete_gaussians(sigma: f64) -> Work {
    let noise = DiscreteGaussian::with_scale(scale(sigma));
    Work::at_once(MILLION, 5, move |answers, released, rng| {
        released.copy_from_slice(answers);
        noise.draw_into(released, rng);
    })
}

fn float_laplaces(values: u32) -> Work {
    Work::at_once(values, 0.5, |answers, released, rng| {
        floors::noise::laplace_at_once(black_box(1.0), answers, released, rng);
    })
}

fn float_laplace() -> Work {
    Work::one_by_one(|rng| floors::noise::laplace_one(black_box(1.0), black_box(0.5), rng))
}

fn float_normal(sigma: f64) -> Normal<f64> {
    Normal::new(0.0, sigma).expect("benches use positive scales")
}

fn normals(values: u32, sigma: f64) -> Work {
    let normal = float_normal(sigma);
    Work::at_once(values, 0.5, move |answers, released, rng| {
        floors::noise::normal_at_once(black_box(normal), answers, released, rng);
    })
}

fn single_normals() -> Work {
    let normal: Normal<f32> = Normal::new(0.0, 1.0).expect("one is a positive scale");
    Work::at_once(MILLION, 0.5, move |answers, released, rng| {
        floors::noise::normal_at_once(black_box(normal), answers, released, rng);
    })
}

fn words() -> Work {
    Work::at_once(MILLION, 0.5, |_, released, rng| floors::noise::words_at_once(released, rng))
}

fn normal() -> Work {
    let normal = float_normal(1.0);
    Work::one_by_one(move |rng| black_box(0.5) + black_box(&normal).sample(rng))
}
