//! The privacy loss of one run of a mechanism: where the accountant is extended.
//!
//! Each loss is one file with one type that implements [`PrivacyLoss`]; nothing else in this crate
//! lists them. Subsampling is an adaptor that holds another loss ([`Poisson`],
//! [`WithoutReplacement`]), and so is [discretisation](discretised).
//!
//! # What a new loss must provide
//!
//! A file for a new dominating pair (random allocation, shuffling, a mixture of Gaussians, …) has:
//!
//! 1. **The pair** (P, Q), a [`TwoSided`](crate::sampling::TwoSided) type with the four views δ(ε),
//!    tail, Rényi divergence and largest loss, each a proven enclosure, and the reverse (Q, P).
//!    Where (P, Q) and (Q, P) have different profiles `is_symmetric` must say so: then a
//!    composition is answered in both directions.
//! 2. [`parameters`](PrivacyLoss::parameters): all that distinguishes two losses of the type, bit
//!    by bit. Equal ones are merged and counted.
//! 3. [`form`](PrivacyLoss::form), where the law of the loss is known in closed form; the better
//!    the form, the faster and tighter the answer:
//!    - [`Form::Gaussian`] by μ, which composes by adding μ²;
//!    - [`Form::Finite`], which follows from [`finite_law`](PrivacyLoss::finite_law) alone and
//!      which subsampling keeps finite;
//!    - [`Form::Density`] with a [moment function](crate::contour::MomentFunction): ln M(c) at real
//!      c with mean and variance, the tilted law along c + iy with a bound on every error, a bound
//!      on its decay (from lower bounds on the density:
//!      [`Components`](crate::contour::Components)), and what all that takes.
//!      [`Cloud`](crate::contour::Cloud) does the rest for a law that is given by weighted points,
//!      as those of a quadrature are;
//!    - otherwise [`Form::Unknown`], the default: the loss is discretised, from above and from
//!      below, by the views of the pair.
//! 4. [`member`](PrivacyLoss::member), where parameters order the losses of the type by domination:
//!    hundreds of different ones are then put into a few buckets.
//! 5. [`work`](PrivacyLoss::work), where the views take longer or shorter than usual.
//!
//! A `From` of the pair in `event.rs`, or a constructor of [`Event`](crate::Event), makes it
//! public. The test `loss::tests` holds the form of each loss against the views of its pair: a new
//! loss joins its list.

mod approx;
mod bounded_range;
mod discrete_gaussian;
mod discrete_laplace;
pub(crate) mod discretised;
mod exponential_density;
mod finite;
mod gaussian;
mod laplace;
mod member;
mod poisson;
mod randomized_response;
#[cfg(test)]
pub(crate) mod tests;
mod unknown;
mod without_replacement;

use core::any::{Any, TypeId};
use core::fmt;

use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Mu};

pub(crate) use finite::EitherWay;
pub(crate) use member::{Family, Member};
pub(crate) use poisson::Poisson;
pub(crate) use unknown::Unknown;
pub(crate) use without_replacement::WithoutReplacement;

use crate::contour::{Loss, Side};
use crate::finite_law::FiniteLaw;
use crate::sampling::{AnyPair, Direction, TwoSided};

/// The privacy loss of one run of a mechanism, in both directions.
///
/// # Contract
/// All methods speak of one dominating pair (P, Q), which [`pair`](Self::pair) is; the direction
/// *remove* is (P, Q) and *add* is (Q, P).
pub(crate) trait PrivacyLoss: Any + fmt::Debug + Send + Sync {
    /// The parameters, bit by bit: losses of one type with equal parameters and equal
    /// [bases](Self::base) are equal.
    fn parameters(&self) -> Vec<u64>;

    /// The loss that this one adapts.
    fn base(&self) -> Option<&dyn PrivacyLoss> {
        None
    }

    /// The pair (P, Q), which subsampling mixes.
    fn pair(&self) -> AnyPair;

    /// The same pair, for adaptors that evaluate it thousands of times: a table where a formula
    /// takes long.
    fn tabulated(&self) -> AnyPair {
        self.pair()
    }

    /// The pair in one direction.
    fn view(&self, direction: Direction) -> AnyPair {
        directed(self.pair(), direction)
    }

    /// As [`view`](Self::view), made to be evaluated thousands of times.
    fn tabulated_view(&self, direction: Direction) -> AnyPair {
        self.view(direction)
    }

    /// Whether both directions have the same losses.
    fn is_symmetric(&self) -> bool {
        self.view(Direction::Remove).is_symmetric()
    }

    /// μ, where the loss is that of a Gaussian mechanism itself: compositions of these are known in
    /// closed form.
    fn gaussian_mu(&self) -> Option<Mu> {
        None
    }

    /// The law of the loss of (P, Q), where there are few losses.
    fn finite_law(&self) -> Option<FiniteLaw> {
        None
    }

    /// Whether there are few losses: quicker than making their law.
    fn has_finite_law(&self) -> bool {
        self.finite_law().is_some()
    }

    /// The law of the loss in one direction, as far as it is known in closed form.
    fn form(&self, direction: Direction) -> Form {
        self.finite_law().map_or(Form::Unknown, |law| Form::finite(law, direction))
    }

    /// Whether the form is not [`Form::Unknown`]: quicker than making it.
    fn has_form(&self) -> bool {
        self.has_finite_law() || !matches!(self.form(Direction::Remove), Form::Unknown)
    }

    /// Where the loss stands among others of its family, of which some dominate others. Nothing
    /// where no order is known.
    fn member(&self) -> Option<Member> {
        None
    }

    /// About what evaluations of the pair take.
    fn work(&self) -> Work {
        Work::USUAL
    }

    /// About what the divergence of an order takes, in nanoseconds.
    fn divergence_work(&self, _order: Alpha) -> f64 {
        self.work().divergence
    }

    /// An upper bound on the divergence that takes little.
    fn quick_divergence(&self, direction: Direction, order: Alpha) -> f64 {
        self.view(direction).renyi(order).hi()
    }
}

/// What identifies a loss: the types and parameters of it and of what it adapts.
pub(crate) type Key = Vec<(TypeId, Vec<u64>)>;

/// The key of a loss: equal keys mean equal losses.
pub(crate) fn key(loss: &dyn PrivacyLoss) -> Key {
    let any: &dyn Any = loss;
    let own = (any.type_id(), loss.parameters());
    core::iter::once(own).chain(loss.base().into_iter().flat_map(key)).collect()
}

/// Parameters that are floats, bit by bit.
fn bits(parameters: impl IntoIterator<Item = f64>) -> Vec<u64> {
    parameters.into_iter().map(f64::to_bits).collect()
}

/// A pair seen in one direction.
fn directed(pair: AnyPair, direction: Direction) -> AnyPair {
    match direction {
        Direction::Remove => pair,
        Direction::Add => pair.reversed(),
    }
}

/// The law of the loss of one run in one direction, as far as it is known in closed form.
pub(crate) enum Form {
    /// The loss is zero.
    Zero,
    /// The loss is normal with mean μ²/2 and variance μ²; by μ, positive and finite.
    Gaussian(f64),
    /// Finitely many losses.
    Finite(FiniteLaw),
    /// A law whose moment function is known off the real line.
    Density {
        /// The law.
        loss: Loss,
        /// Encloses its largest loss.
        largest: Enclosure,
    },
    /// Known by the views of its pair only.
    Unknown,
}

/// The largest loss where there is none.
pub(crate) const UNBOUNDED: Enclosure = Enclosure::point(f64::INFINITY);

impl Form {
    /// Finitely many losses, given for (P, Q).
    fn finite(law: FiniteLaw, direction: Direction) -> Self {
        Self::Finite(if direction == Direction::Remove { law } else { law.reversed() })
    }

    /// The form of a family with one parameter, at whose ends nothing and everything is released.
    fn scaled(parameter: f64, of: impl FnOnce(f64) -> Self) -> Self {
        match parameter {
            0.0 => Self::Zero,
            f64::INFINITY => Self::Finite(FiniteLaw::infinite()),
            _ => of(parameter),
        }
    }

    /// Adds `count` runs to the losses of a direction. Without a discretisation, an unknown loss
    /// counts as infinite: no answer is too small then.
    pub(crate) fn add_to(&self, side: &mut Side, count: u64) {
        match self {
            Self::Zero => {}
            Self::Gaussian(mu) => side.add_gaussian(*mu, count),
            Self::Finite(law) => side.add_law(law, count),
            Self::Density { loss, largest } => side.add(loss.clone(), *largest, count),
            Self::Unknown => side.add_law(&FiniteLaw::infinite(), count),
        }
    }
}

/// About what evaluations of a pair take, in nanoseconds of an ordinary processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// To make the pair.
    pub(crate) table: f64,
    /// Each point of a grid from above.
    pub(crate) above: f64,
    /// Each point of a grid from below.
    pub(crate) below: f64,
    /// The Rényi divergence of one order.
    pub(crate) divergence: f64,
    /// To make the form.
    pub(crate) form: f64,
    /// To make the form of the subsampled loss.
    pub(crate) subsampled_form: f64,
}

impl Work {
    /// What formulas with a few exponentials and logarithms take.
    const USUAL: Self = Self {
        table: 0.0,
        above: 800.0,
        below: 3200.0,
        divergence: 5_000.0,
        form: 500.0,
        subsampled_form: 1000.0,
    };

    /// What the pair of the subsampled mechanism takes.
    fn subsampled(self) -> Self {
        Self { form: self.subsampled_form, ..self }
    }
}
