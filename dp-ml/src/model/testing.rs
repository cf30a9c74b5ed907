//! What every model must pass.

use dp_mechanisms::rng::Insecure;

use super::{Batch, Model, square_norm, uniform};
use crate::{Data, Matrix};

/// Random features, and a target for each row.
pub(crate) fn random_data<Y: Copy>(features: usize, rows: usize, target: impl Fn(u32) -> Y) -> Data<Y> {
    let mut rng = Insecure::seeded(7);
    let values = (0..rows * features).map(|_| uniform(&mut rng)).collect();
    let targets = (0..u32::try_from(rows).unwrap()).map(target).collect();
    Data::new(Matrix::new(rows, features, values).unwrap(), targets).unwrap()
}

/// The squares of all rows' norms.
pub(crate) fn norms_of<Y: Copy>(data: &Data<Y>) -> Vec<f64> {
    (0..data.len()).map(|i| square_norm(data.features().row(i))).collect()
}

/// Gradients agree with finite differences of the loss; norms with those of the gradients; weights
/// weigh; and no record matters to another.
pub(crate) fn assert_gradients<M: Model>(model: &M, data: &Data<M::Target>) {
    let mut rng = Insecure::seeded(3);
    let mut parameters = model.initial(&mut rng);
    for p in &mut parameters {
        *p += 0.5 * uniform(&mut rng);
    }
    let (layers, count) = (model.layers(), data.len());
    assert_eq!(layers.iter().fold(0, |end, l| if l.start == end { l.end } else { 0 }), parameters.len());
    let (square_norms, records) = (norms_of(data), (0..u32::try_from(count).unwrap()).collect::<Vec<_>>());
    let mut workspace = model.workspace(count);
    let mut norms = vec![0.0; count * layers.len()];
    let mut sum = vec![9.0; parameters.len()];
    let mut weighted = vec![0.0_f64; parameters.len()];
    let weight = |i: usize, l: usize| [0.25_f32, 1.0, 0.0, 0.5][(i + l) % 4];
    for i in 0..count {
        let alone = Batch::new(data, &square_norms, &records[i..=i]);
        let mut own = vec![0.0; layers.len()];
        model.backward(&parameters, alone, &mut workspace, Some(&mut own));
        model.sum_gradients(&vec![1.0; layers.len()], &mut workspace, &mut sum);
        for (l, layer) in layers.iter().enumerate() {
            let materialised = square_norm(&sum[layer.clone()]);
            assert!(
                (own[l] / materialised - 1.0).abs() < 1e-6 || (own[l] == 0.0 && materialised == 0.0),
                "{i} {l}: {own:?} {materialised}"
            );
            norms[i * layers.len() + l] = own[l];
            for p in layer.clone() {
                weighted[p] += f64::from(weight(i, l)) * f64::from(sum[p]);
            }
        }
        // Finite differences, of the loss in doubles.
        let (x, y) = (data.features().row(i), data.targets()[i]);
        for p in (0..parameters.len()).step_by(1 + parameters.len() / 60) {
            let (kept, h) = (parameters[p], 1.0 / 4096.0);
            let mut at = |value: f32| {
                parameters[p] = value;
                model.loss(&parameters, x, y)
            };
            let slope = (at(kept + h) - at(kept - h)) / f64::from(2.0 * h);
            // A kink between the two: one side is right.
            let sides = [(at(kept + h) - at(kept)) / f64::from(h), (at(kept) - at(kept - h)) / f64::from(h)];
            parameters[p] = kept;
            let found = f64::from(sum[p]);
            let close = |slope: f64, by: f64| (found - slope).abs() < by * (1.0 + slope.abs());
            assert!(
                close(slope, 2e-3) || sides.iter().any(|s| close(*s, 2e-3)),
                "record {i}, parameter {p}: {found} {slope}"
            );
        }
    }
    let mut together = vec![0.0; norms.len()];
    model.backward(
        &parameters,
        Batch::new(data, &square_norms, &records),
        &mut workspace,
        Some(&mut together),
    );
    assert_eq!(together, norms, "bit by bit");
    let weights: Vec<f32> = (0..count).flat_map(|i| (0..layers.len()).map(move |l| weight(i, l))).collect();
    model.sum_gradients(&weights, &mut workspace, &mut sum);
    for (found, exact) in sum.iter().zip(&weighted) {
        assert!((f64::from(*found) - exact).abs() < 1e-4 * (1.0 + exact.abs()), "{found} {exact}");
    }
}
