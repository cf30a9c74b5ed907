//! Laplace draws, beside the generator that feeds them and the float sampler that they replace.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dp_core::{Mechanism, Scale};
use dp_mechanisms::Laplace;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

const MANY: usize = 1_000_000;

/// What must never be released, as the floor: −b·ln U in floats, from bits in bulk.
fn float_laplace(answers: &[f64], released: &mut [f64], rng: &mut ChaCha20Rng) {
    let mut bytes = [0; 2048];
    for (answers, released) in answers.chunks(256).zip(released.chunks_mut(256)) {
        rng.fill_bytes(&mut bytes[..8 * answers.len()]);
        let (words, _) = bytes.as_chunks::<8>();
        for ((answer, released), word) in answers.iter().zip(released).zip(words) {
            let word = u64::from_le_bytes(*word);
            #[allow(clippy::cast_precision_loss)]
            let uniform = ((word >> 11) as f64 + 0.5) * f64::EPSILON / 2.0;
            let sign = if word & 1 == 1 { -1.0 } else { 1.0 };
            *released = answer - sign * uniform.ln();
        }
    }
}

fn noise(criterion: &mut Criterion) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let laplace = Laplace::with_scale(Scale::new(1.0).expect("one is a scale"));

    let mut group = criterion.benchmark_group("one value");
    group.bench_function("floor: ChaCha20 next_u64", |bencher| bencher.iter(|| rng.next_u64()));
    group.bench_function("Laplace, exact", |bencher| {
        bencher.iter(|| laplace.draw(black_box(&0.5), &mut rng));
    });
    group.finish();

    let answers = vec![0.5; MANY];
    let mut released = vec![0.0; MANY];
    let mut group = criterion.benchmark_group("10⁶ values");
    group.throughput(Throughput::Elements(MANY as u64)).sample_size(20);
    group.bench_function("floor: ChaCha20 bytes", |bencher| {
        let mut bytes = vec![0; 8 * MANY];
        bencher.iter(|| rng.fill_bytes(&mut bytes));
    });
    group.bench_function("floor: Laplace in floats", |bencher| {
        bencher.iter(|| float_laplace(&answers, &mut released, &mut rng));
    });
    group.bench_function("Laplace, exact", |bencher| {
        bencher.iter(|| laplace.draw_all(&answers, &mut released, &mut rng));
    });
    group.finish();
}

criterion_group!(benches, noise);
criterion_main!(benches);
