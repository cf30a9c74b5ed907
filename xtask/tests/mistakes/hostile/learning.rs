//! Accounts, models and trainings.

use dp_accounting::{AdvancedBudget, Event, theorems};
use dp_core::pairs::LaplacePair;
use dp_core::{AddRemove, Approx, Delta, Epsilon, ReplaceOne};
use dp_ml::model::{Activation, Linear, Logistic, Perceptron};
use dp_ml::training::{Average, Clip, LearningRate, Optimiser, Plan, Privacy, Settings, Training};
use dp_ml::{ConvexProblem, Data, HuberLoss, LinearRegression, LogisticLoss, Matrix, Scaling, scheduled};

use super::{COUNTS, NUMBERS, pairs};

#[test]
fn accounts() {
    for (x, y) in pairs(&NUMBERS) {
        let loss = LaplacePair::new(Epsilon::saturating(y));
        let _ = (
            Event::<AddRemove>::poisson(x, loss),
            AdvancedBudget::<AddRemove>::with_reserve(
                Approx::from_parts(Epsilon::saturating(x), Delta::saturating(y)),
                Delta::saturating(x),
            ),
        );
        let each = Approx::from_parts(Epsilon::saturating(x), Delta::saturating(y));
        for count in [0, 1, u64::MAX] {
            let _ = (
                theorems::advanced(each, count, Delta::saturating(y)),
                theorems::basic(&[(each, count)]),
                theorems::Optimal::new(&[(each, count)]),
            );
        }
    }
    for (a, b) in pairs(&[0, 1, 10, u64::MAX - 1, u64::MAX]) {
        let _ = Event::<ReplaceOne>::without_replacement(a, b, LaplacePair::new(Epsilon::saturating(1.0)));
    }
}

#[test]
fn models_and_trainings() {
    let noise = |multiplier, delta| Privacy::Noise { multiplier, delta };
    for (a, b) in pairs(&COUNTS) {
        let _ = (
            Linear::new(a),
            Logistic::new(a),
            Perceptron::softmax(a, b),
            Perceptron::new(a, &[b, a], b, Activation::Relu),
        );
        let _ = (
            Matrix::new(a, b, vec![1.0]),
            Plan::for_classes(a, b, Approx::from_parts(Epsilon::saturating(1.0), Delta::saturating(1e-6))),
        );
    }
    // Sizes that only fit into a number by accident of wrapping.
    assert!(Linear::new(usize::MAX).is_err() && Perceptron::softmax(usize::MAX / 2, 4).is_err());
    let training = |settings: Settings| Training::new(Linear::new(1)?, settings).map(drop);
    let settings = || Settings::new(100, 10.0, noise(1.0, 1e-6)).steps(3);
    for (x, y) in pairs(&NUMBERS) {
        let _ = (
            LinearRegression::new(3, x, y),
            ConvexProblem::new(LogisticLoss, 10, 2, x, y),
            HuberLoss::new(x),
        );
        let rows = || Data::new(Matrix::new(1, 2, vec![1.0, f32::NAN])?, vec![0.0f32]);
        let _ = (
            rows().and_then(|data| data.with_rows_up_to(x)),
            rows().and_then(|data| data.with_normalised_rows(x)),
            Scaling::standard(&[x], &[y]),
        );
    }
    for x in NUMBERS {
        let rates = [
            LearningRate::Power { initial: 1.0, rho: x },
            LearningRate::Cosine { initial: x, last: 1.0 },
            LearningRate::Linear { initial: 1.0, last: x },
        ];
        for rate in rates {
            let _ = training(settings().learning_rate(rate).steps(1 << 49));
        }
        let _ = (
            training(settings().clip(Clip::Normalised { norm: x, stability: x })),
            training(settings().learning_rate(LearningRate::Constant(x)).steps(1 << 49)),
        );
        let _ = (
            training(settings().average(Average::Tail { share: x })),
            training(settings().optimiser(Optimiser::Momentum { beta: x })),
        );
        let _ = (
            training(Settings::new(100, x, noise(1.0, 1e-6)).epochs(x)),
            training(Settings::new(100, 10.0, noise(x, x)).steps(3)),
        );
        let _ = (scheduled::Clipped::l1(x), scheduled::PoissonBatches::new(x, x));
    }
    for count in COUNTS {
        let _ = (
            training(Settings::new(count, 1.0, noise(1.0, 1e-6)).steps(u64::MAX)),
            training(settings().threads(count)),
        );
    }
}
