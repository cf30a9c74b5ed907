//! Settings that are chosen by rule.

use dp_core::pairs::GaussianPair;
use dp_core::{Approx, Error};

use crate::training::{Privacy, Settings};
use crate::{Average, Clip, Rate};

/// Settings for a training by DP-SGD that follow from public facts alone: the kind of the model, the number of records, the guarantee.
///
/// | model | constructor | rows of features |
/// |---|---|---|
/// | softmax and logistic regression | [`for_classes`](Self::for_classes) | of a Euclidean length of about 3 ([`ROW_LENGTH`](Self::ROW_LENGTH)) |
/// | linear regression, responses within about ±1 | [`for_regression`](Self::for_regression) | the same |
/// | perceptrons and convolutional networks | [`for_network`](Self::for_network) | of mean 0 and variance 1, which their first weights are made for |
///
/// **Why these.** Let T steps of rate γ see everything, each noised for its part of a total of μ-GDP: they take noise of C·√T/μ each. The parameters then have moved by S = γCT at most, and their noise, T independent draws of
/// γ/n·C√T/μ, is S/(μn) for each coordinate: *the number of steps does not matter, the way S does*. (Batches at random need about the same noise, by amplification.) So S is what is to be chosen.
///
/// - *Classes*: the noise of a score w·x is S/(μn) times the length of x, however many features there are, and must stay below the distance between scores: S = ½·μn.
/// - *Regression*: T steps leave directions with a curvature below 1/(γT) unlearned, which costs ‖w‖²/(γT) at most, and the noise of the d others costs up to 2dC²γT/(μn)². The sum is least for S = ‖w‖·μn/√(2d), and ‖w‖ is
///   about 1/6 where rows of length 3 explain responses of 1 in part: S = 0.12·μn/√d.
/// - *Networks*: as classes, but the noise of a layer passes through those that follow, so with l layers S = 0.26·μn/l.
///
/// With ε·n grows the way, and the model learns finer things. Beside S:
///
/// - *The rate* is as large as it may be. The curvature of a softmax loss of k classes along an intercept begins at 1/k, so γ = 2k; a squared loss is curved by at most 10, and hardly by more than half of that, so γ = 0.4; networks of l layers take γ = 16/l.
/// - *The number of steps* follows, S/(γC), but is never below 30, so that a tail of steps can be averaged, and never beyond 6000.
/// - *Batches*: all records as long as that is affordable; then as many as 60 epochs give for T steps, but 2048 at least. [`within_epochs`](Self::within_epochs) makes them smaller.
/// - *Clipping* to 1, where nearly all gradients begin at that length or above, and to ½ for regression, whose residuals are smaller.
/// - *Averaging* over the last half: the noise of a constant rate never dies out, and averages away.
///
/// **What was tuned.** The form of the rule is derived; its constants are not. The ways, rates and clipping norms were chosen by a few dozen runs on MNIST and diabetes, scored on a part of the *training* records that the models had not seen
/// (of MNIST the last 10,000); the length of rows and the share of the average earlier, by test scores on digits and breast cancer. No guarantee covers such choices. They are fine on public data sets; on data of another kind, expect a little less.
///
/// ```
/// use dp_core::Approx;
/// use dp_ml::Plan;
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
    rate: f64,
}

const FEWEST_STEPS: f64 = 30.0;
const MOST_STEPS: f64 = 6000.0;
const MOST_EPOCHS: f64 = 60.0;
const LEAST_BATCH: f64 = 2048.0;

impl Plan {
    /// The length of rows of features that suits linear models: an intercept, a feature of 1, then learns as fast as a weight.
    pub const ROW_LENGTH: f64 = 3.0;

    /// The plan for softmax regression, and with two classes for logistic regression.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] without records, for fewer than two classes, and unless 0 < ε < ∞ and 0 < δ < 1.
    #[allow(clippy::cast_precision_loss, reason = "a number of classes")]
    pub fn for_classes(records: usize, classes: usize, target: Approx) -> Result<Self, Error> {
        let k = classes as f64;
        check("the number of classes", "[2, ∞)", k, classes >= 2)?;
        Self::new(records, target, Rule { way: 0.5, clip: 1.0, fastest: 2.0 * k })
    }

    /// The plan for linear regression on so many features.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] without records or features, and unless 0 < ε < ∞ and 0 < δ < 1.
    #[allow(clippy::cast_precision_loss, reason = "a number of features")]
    pub fn for_regression(records: usize, features: usize, target: Approx) -> Result<Self, Error> {
        let d = features as f64;
        check("the number of features", "[1, ∞)", d, features >= 1)?;
        Self::new(records, target, Rule { way: 0.12 / d.sqrt(), clip: 0.5, fastest: 0.4 })
    }

    /// The plan for networks with so many layers of parameters: 2 for a perceptron with one hidden layer, [`model.layers().len()`](crate::model::Model::layers) for any.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] without records or layers, and unless 0 < ε < ∞ and 0 < δ < 1.
    #[allow(clippy::cast_precision_loss, reason = "a number of layers")]
    pub fn for_network(records: usize, layers: usize, target: Approx) -> Result<Self, Error> {
        let l = layers as f64;
        check("the number of layers", "[1, ∞)", l, layers >= 1)?;
        Self::new(records, target, Rule { way: 0.26 / l, clip: 1.0, fastest: 16.0 / l })
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count, and numbers of steps between 30 and 6000"
    )]
    fn new(records: usize, target: Approx, rule: Rule) -> Result<Self, Error> {
        let (n, epsilon, delta) = (records as f64, target.epsilon(), target.delta());
        check("the number of records", "[1, ∞)", n, records >= 1)?;
        check("epsilon", "(0, ∞)", epsilon.get(), epsilon.get() > 0.0 && !epsilon.is_infinite())?;
        check("delta", "(0, 1)", delta.get(), delta.get() > 0.0 && delta.get() < 1.0)?;
        let Rule { way, clip, fastest } = rule;
        let way = way * GaussianPair::largest_mu(epsilon, delta).get() * n;
        let steps = (way / (fastest * clip)).ceil().clamp(FEWEST_STEPS, MOST_STEPS);
        let batch = (MOST_EPOCHS * n / steps).max(LEAST_BATCH).min(n);
        let rate = (way / (clip * steps)).min(fastest);
        Ok(Self { records, target, batch, steps: steps as u64, clip, rate })
    }

    /// The same steps on smaller batches, so that each record is seen so many times at most on average. It takes less time and somewhat more noise.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the number of epochs is positive and finite.
    #[allow(clippy::cast_precision_loss, reason = "counts")]
    pub fn within_epochs(self, epochs: f64) -> Result<Self, Error> {
        check("the number of epochs", "(0, ∞)", epochs, epochs > 0.0 && epochs.is_finite())?;
        Ok(Self { batch: self.batch.min(epochs * self.records as f64 / self.steps as f64), ..self })
    }

    /// The settings of the training.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings::new(self.records, self.batch, Privacy::Target(self.target))
            .steps(self.steps)
            .clip(Clip::Flat { norm: self.clip })
            .rate(Rate::Constant(self.rate))
            .average(Average::Tail { share: 0.5 })
    }

    /// The number of steps.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The number of records in a step, on average.
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
    pub const fn rate(&self) -> f64 {
        self.rate
    }
}

/// "200 steps of 2048 records at rate 8, gradients clipped to 1".
impl core::fmt::Display for Plan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { steps, batch, rate, clip, .. } = self;
        write!(f, "{steps} steps of {batch:.0} records at rate {rate:.3}, gradients clipped to {clip}")
    }
}

/// What differs between kinds of models.
#[derive(Clone, Copy)]
struct Rule {
    /// S/(μn).
    way: f64,
    clip: f64,
    /// The largest rate.
    fastest: f64,
}

fn check(argument: &'static str, allowed: &'static str, found: f64, fits: bool) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::OutOfRange { argument, allowed, found }) }
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
    fn the_way_grows_with_the_records_and_with_epsilon() {
        let way = |plan: Plan| plan.rate * plan.clip * f64::from(u32::try_from(plan.steps).unwrap());
        let [few, many, more] =
            [plans(1000, 0.5), plans(1000, 1.0), plans(2000, 1.0)].map(|plans| plans.map(way));
        for kind in 0..4 {
            assert!(
                many[kind] > 1.5 * few[kind] && more[kind] > 1.9 * many[kind],
                "{few:?} {many:?} {more:?}"
            );
        }
        for plan in plans(10, 0.01) {
            assert!(plan.rate() > 0.0 && plan.steps() == 30 && plan.batch() == 10.0, "{plan}");
        }
        for plan in plans(100_000_000, 8.0) {
            assert!(plan.steps() == 6000 && plan.batch() < 1e8 && plan.rate() <= 20.0, "{plan}");
        }
    }

    #[test]
    fn epochs_bound_the_batch() {
        let plan = Plan::for_network(60_000, 2, target(3.0, 1e-5)).unwrap();
        let quick = plan.within_epochs(10.0).unwrap();
        assert_eq!((quick.steps(), quick.rate()), (plan.steps(), plan.rate()));
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
