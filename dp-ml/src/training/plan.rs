//! Settings chosen by a rule.

use dp_core::pairs::GaussianPair;
use dp_core::{Approx, Error};

use super::{Average, Clip, LearningRate, Privacy, Settings};
use crate::arguments::{check, count};

/// Settings of DP-SGD that follow from public facts alone: the kind of model, the number of
/// records, the guarantee.
///
/// | model | constructor | rows of features |
/// |---|---|---|
/// | softmax and logistic regression | [`for_classes`](Self::for_classes) | of norm 3 |
/// | linear regression | [`for_regression`](Self::for_regression) | the same, responses within ±1 |
/// | multilayer networks | [`for_network`](Self::for_network) | of mean 0 and variance 1 |
///
/// The norm of rows is [`ROW_LENGTH`](Self::ROW_LENGTH); these figures are approximate.
///
/// **Derivation.** Let each of T steps of rate γ use all records, for a total of μ-GDP: each takes
/// noise of C·√T/μ. The parameters then move by S = γCT at most, and their noise, T independent
/// draws of γ/n·C√T/μ, is S/(μn) in each coordinate: *it depends on the path length S, not on the
/// number of steps*. (By amplification, random batches need about the same noise.) So the rule
/// chooses S.
///
/// - *Classes*: the noise of a score w·x is S/(μn) times the norm of x, for any number of features,
///   and must stay below the distance between scores: S = ½·μn.
/// - *Regression*: T steps do not learn directions with a curvature below 1/(γT), which costs
///   ‖w‖²/(γT) at most; the noise in the d other directions costs up to 2dC²γT/(μn)². The sum is
///   least for S = ‖w‖·μn/√(2d). Where rows of norm 3 explain responses of size 1 in part, ‖w‖ is
///   about 1/6: S = 0.12·μn/√d.
/// - *Networks*: as classes, but the noise of a layer passes through those that follow: S =
///   0.26·μn/l for l layers.
///
/// S grows with ε·n, and lets the model learn finer structure. The other settings:
///
/// - *The learning rate* is as large as is stable. The curvature of a softmax loss of k classes
///   along an intercept begins at 1/k, so γ = 2k; that of a squared loss is at most 10, and rarely
///   above half of that, so γ = 0.4; networks of l layers take γ = 16/l.
/// - *The number of steps* is S/(γC), but at least 30, so that there is a tail to average, and at
///   most 6000.
/// - *Batches*: all records, if T steps then take at most 60 epochs; else what 60 epochs give, but
///   at least 2048. [`within_epochs`](Self::within_epochs) makes them smaller.
/// - *Clipping norm*: 1, which nearly all gradients reach or exceed at the start, and ½ for
///   regression, whose residuals are smaller.
/// - *Averaging* over the last half of the steps: at a constant rate the noise does not decay, but
///   it averages out.
///
/// **What was tuned.** The form of the rule is derived; its constants are not. Path lengths, rates
/// and clipping norms were chosen by a few dozen runs on MNIST and diabetes, scored on held-out
/// *training* records (the last 10,000 of MNIST); the norm of rows and the share that is averaged
/// were chosen earlier, by test scores on digits and breast cancer. No guarantee covers such
/// choices, which is fine on public data sets. On data of another kind expect somewhat lower
/// scores.
///
/// ```
/// use dp_core::Approx;
/// use dp_ml::training::Plan;
///
/// let plan = Plan::for_classes(60_000, 10, Approx::new(1.0, 1e-5)?)?;
/// assert!(plan.steps() < 600 && plan.batch() < 60_000.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    records: usize,
    target: Approx,
    batch: f64,
    steps: u64,
    clip: f64,
    learning_rate: f64,
}

const FEWEST_STEPS: f64 = 30.0;
const MOST_STEPS: f64 = 6000.0;
const MOST_EPOCHS: f64 = 60.0;
const LEAST_BATCH: f64 = 2048.0;

impl Plan {
    /// The norm of rows of features that suits linear models: the intercept, a feature of 1, then
    /// learns as fast as a weight.
    pub const ROW_LENGTH: f64 = 3.0;

    /// The plan for softmax regression, and with two classes for logistic regression.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] without records, for fewer than two classes, and unless 0 < ε < ∞ and
    /// 0 < δ < 1.
    pub fn for_classes(records: usize, classes: usize, target: Approx) -> Result<Self, Error> {
        let k = count(classes);
        check("the number of classes", "[2, ∞)", k, classes >= 2)?;
        Self::new(records, target, Rule { path: 0.5, clip: 1.0, fastest: 2.0 * k })
    }

    /// The plan for linear regression on this number of features.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] without records or features, and unless 0 < ε < ∞ and 0 < δ < 1.
    pub fn for_regression(records: usize, features: usize, target: Approx) -> Result<Self, Error> {
        let d = count(features);
        check("the number of features", "[1, ∞)", d, features >= 1)?;
        Self::new(records, target, Rule { path: 0.12 / d.sqrt(), clip: 0.5, fastest: 0.4 })
    }

    /// The plan for networks with this number of layers of parameters: 2 for a perceptron with one
    /// hidden layer, [`model.layers().len()`](crate::model::Model::layers) for any.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] without records or layers, and unless 0 < ε < ∞ and 0 < δ < 1.
    pub fn for_network(records: usize, layers: usize, target: Approx) -> Result<Self, Error> {
        let l = count(layers);
        check("the number of layers", "[1, ∞)", l, layers >= 1)?;
        Self::new(records, target, Rule { path: 0.26 / l, clip: 1.0, fastest: 16.0 / l })
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers of steps between 30 and 6000"
    )]
    fn new(records: usize, target: Approx, rule: Rule) -> Result<Self, Error> {
        let (n, epsilon, delta) = (count(records), target.epsilon(), target.delta());
        check("the number of records", "[1, ∞)", n, records >= 1)?;
        check("epsilon", "(0, ∞)", epsilon.get(), epsilon.get() > 0.0 && !epsilon.is_infinite())?;
        check("delta", "(0, 1)", delta.get(), delta.get() > 0.0 && delta.get() < 1.0)?;
        let Rule { path, clip, fastest } = rule;
        let path = path * GaussianPair::largest_mu(epsilon, delta).get() * n;
        let steps = (path / (fastest * clip)).ceil().clamp(FEWEST_STEPS, MOST_STEPS);
        let batch = (MOST_EPOCHS * n / steps).max(LEAST_BATCH).min(n);
        let learning_rate = (path / (clip * steps)).min(fastest);
        Ok(Self { records, target, batch, steps: steps as u64, clip, learning_rate })
    }

    /// The same steps on smaller batches, so that the training takes at most this number of epochs.
    /// It takes less time and needs somewhat more noise.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the number of epochs is positive and finite.
    #[allow(clippy::cast_precision_loss, reason = "counts")]
    pub fn within_epochs(self, epochs: f64) -> Result<Self, Error> {
        check("the number of epochs", "(0, ∞)", epochs, epochs > 0.0 && epochs.is_finite())?;
        Ok(Self { batch: self.batch.min(epochs * count(self.records) / self.steps as f64), ..self })
    }

    /// The settings of the training.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings::new(self.records, self.batch, Privacy::Target(self.target))
            .steps(self.steps)
            .clip(Clip::Flat { norm: self.clip })
            .learning_rate(LearningRate::Constant(self.learning_rate))
            .average(Average::Tail { share: 0.5 })
    }

    /// The number of steps.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The expected batch size.
    #[must_use]
    pub const fn batch(&self) -> f64 {
        self.batch
    }

    /// The clipping norm.
    #[must_use]
    pub const fn clip(&self) -> f64 {
        self.clip
    }

    /// The learning rate.
    #[must_use]
    pub const fn learning_rate(&self) -> f64 {
        self.learning_rate
    }
}

/// "200 steps of 2048 records at rate 8, gradients clipped to 1".
impl core::fmt::Display for Plan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { steps, batch, learning_rate: rate, clip, .. } = self;
        write!(f, "{steps} steps of {batch:.0} records at rate {rate:.3}, gradients clipped to {clip}")
    }
}

/// What differs between kinds of models.
#[derive(Clone, Copy)]
struct Rule {
    /// S/(μn), the path length in units of the least noise.
    path: f64,
    clip: f64,
    /// The largest rate.
    fastest: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Epsilon;

    fn target(epsilon: f64, delta: f64) -> Approx {
        Approx::new(epsilon, delta).unwrap()
    }

    fn plans(records: usize, epsilon: f64) -> [Plan; 4] {
        let target = target(epsilon, 1e-5);
        [
            Plan::for_classes(records, 2, target),
            Plan::for_classes(records, 10, target),
            Plan::for_regression(records, 10, target),
            Plan::for_network(records, 2, target),
        ]
        .map(Result::unwrap)
    }

    #[test]
    fn the_path_grows_with_the_records_and_with_epsilon() {
        let path =
            |plan: Plan| plan.learning_rate * plan.clip * f64::from(u32::try_from(plan.steps).unwrap());
        let [few, many, more] =
            [plans(1000, 0.5), plans(1000, 1.0), plans(2000, 1.0)].map(|plans| plans.map(path));
        for kind in 0..4 {
            assert!(
                many[kind] > 1.5 * few[kind] && more[kind] > 1.9 * many[kind],
                "{few:?} {many:?} {more:?}"
            );
        }
        for plan in plans(10, 0.01) {
            assert!(plan.learning_rate() > 0.0 && plan.steps() == 30 && plan.batch() == 10.0, "{plan}");
        }
        for plan in plans(100_000_000, 8.0) {
            assert!(plan.steps() == 6000 && plan.batch() < 1e8 && plan.learning_rate() <= 20.0, "{plan}");
        }
    }

    #[test]
    fn epochs_bound_the_batch() {
        let plan = Plan::for_network(60_000, 2, target(3.0, 1e-5)).unwrap();
        let quick = plan.within_epochs(10.0).unwrap();
        assert_eq!((quick.steps(), quick.learning_rate()), (plan.steps(), plan.learning_rate()));
        let epochs = quick.batch() * f64::from(u32::try_from(quick.steps()).unwrap()) / 60_000.0;
        assert!((epochs - 10.0).abs() < 1e-9 && plan.within_epochs(1e9).unwrap() == plan);
        for epochs in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = plan.within_epochs(epochs).unwrap_err().to_string();
            assert!(message.starts_with("the number of epochs must lie in (0, ∞)"), "{message}");
        }
    }

    #[test]
    fn arguments_are_checked() {
        let fine = target(1.0, 1e-5);
        for (plan, start) in [
            (Plan::for_classes(0, 2, fine), "the number of records must lie in [1, ∞), but 0"),
            (Plan::for_classes(1, 1, fine), "the number of classes must lie in [2, ∞), but 1"),
            (Plan::for_regression(1, 0, fine), "the number of features must lie in"),
            (Plan::for_network(1, 0, fine), "the number of layers must lie in [1, ∞), but 0"),
            (Plan::for_network(0, 2, fine), "the number of records must lie in"),
            (Plan::for_network(1, 2, target(0.0, 1e-5)), "epsilon must lie in (0, ∞)"),
            (
                Plan::for_network(1, 2, Approx::from_parts(Epsilon::INFINITE, fine.delta())),
                "epsilon must lie in (0, ∞), but",
            ),
            (Plan::for_network(1, 2, target(1.0, 0.0)), "delta must lie in (0, 1)"),
        ] {
            let message = plan.unwrap_err().to_string();
            assert!(message.starts_with(start), "{message}");
        }
    }
}
