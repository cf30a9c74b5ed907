//! One Laplace draw, beside the generator that feeds it.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

use core::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_core::{Mechanism, Scale};
use dp_mechanisms::Laplace;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

fn noise(criterion: &mut Criterion) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let mut group = criterion.benchmark_group("noise");
    group.bench_function("floor: ChaCha20 next_u64", |bencher| bencher.iter(|| rng.next_u64()));
    let laplace = Laplace::with_scale(Scale::new(1.0).expect("one is a scale"));
    group.bench_function("Laplace f64, scalar", |bencher| {
        bencher.iter(|| laplace.draw(black_box(&0.5), &mut rng));
    });
    group.finish();
}

criterion_group!(benches, noise);
criterion_main!(benches);
