//! From events to the losses of one direction.

use core::cell::OnceCell;

use dp_core::pairs::{DiscreteGaussianPair, DominatingPair, GaussianPair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Approx, Mu};

use crate::contour::{Side, many};
use crate::dots::{self, Dots};
use crate::event::{AnyPair, Kind};
use crate::finite_law::FiniteLaw;
use crate::grid::{Fineness, grid};
use crate::sampling::{Direction, Poisson, Tabulated, TwoSided, WithoutReplacement};

/// A side from which to bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    Above,
    Below,
}

impl Bound {
    /// What bounds every pair whose losses are at most `largest`: all of them are that large; and from below, nothing is told.
    fn trivial(self, largest: f64) -> Dots {
        let (loss, infinite) = match self {
            Self::Above if largest.is_finite() => (Some(largest), 0.0),
            Self::Above => (None, 1.0),
            Self::Below => (Some(0.0), 0.0),
        };
        Dots { losses: loss.into_iter().collect(), masses: loss.map(|_| 1.0).into_iter().collect(), infinite }
    }
}

/// So many looks a grid takes before it is known how many points it has.
const LOOKS: f64 = 800.0;

/// The law of the loss of one run in one direction, as far as it is known in closed form.
pub(crate) enum Law {
    /// Nothing is told.
    Nothing,
    /// By μ.
    Gaussian(f64),
    /// By ε₀.
    Laplace(f64),
    /// By the range.
    BoundedRange(f64),
    /// By σ and the shift.
    DiscreteGaussian(f64, u32),
    /// By rate and μ, both of them positive and finite.
    SampledGaussian(f64, f64),
    Finite(FiniteLaw),
    /// Known by its views only.
    Unknown,
}

/// An event of a composition seen in one direction.
pub(crate) struct Part<'a> {
    kind: &'a Kind,
    law: Law,
    direction: Direction,
    count: u64,
    /// The pair for grids, once one was laid.
    pair: OnceCell<Box<dyn DominatingPair>>,
}

impl<'a> Part<'a> {
    pub(crate) fn new(kind: &'a Kind, count: u64, direction: Direction) -> Self {
        Self { kind, law: kind.law(direction), direction, count, pair: OnceCell::new() }
    }

    /// Whether a grid is needed, or (for sampled Gaussians) wanted.
    pub(crate) fn is_discretised(&self, gaussians_too: bool) -> bool {
        match self.law {
            Law::Unknown => true,
            Law::SampledGaussian(..) => gaussians_too,
            _ => false,
        }
    }

    /// What a rough grid takes, in nanoseconds.
    pub(crate) fn least_work(&self) -> f64 {
        let (table, [above, below]) = self.work();
        table + 2.0 * LOOKS * above + 200.0 * (above + below)
    }

    /// How often it runs.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The pair, to be looked at many times.
    pub(crate) fn pair(&self) -> &dyn DominatingPair {
        &**self.pair.get_or_init(|| self.kind.looked_up(self.direction))
    }

    /// What so many looks at its profile take, in nanoseconds.
    pub(crate) fn looks_work(&self, looks: f64) -> f64 {
        let (table, [look, _]) = self.work();
        table + looks * look
    }

    /// What a table takes that was not made yet, and each look at the pair.
    fn work(&self) -> (f64, [f64; 2]) {
        let (table, looks) = self.kind.work();
        (if self.pair.get().is_some() { 0.0 } else { table }, looks)
    }

    /// Adds all runs to the losses of the direction, from one side where they have to be discretised: on a grid, if one is given for that.
    pub(crate) fn add_to(&self, side: &mut Side, bound: Bound, fineness: Option<Fineness>) {
        let count = self.count;
        match (&self.law, fineness.filter(|fineness| self.is_discretised(fineness.gaussians_too))) {
            (_, Some(fineness)) => {
                // As many points as there is effort for, or all is told (and from below, nothing).
                let effort = side.effort().clone();
                let (table, [above, below]) = self.work();
                let look = if bound == Bound::Above { above } else { below };
                let affordable = (fineness.most_work - table - LOOKS * above) / look;
                if affordable < 100.0 || !effort.allows(table + LOOKS * above) {
                    let largest = self.kind.pair(self.direction).max_loss();
                    return side.add_dots(&bound.trivial(largest), count);
                }
                let pair = self.pair();
                let most_points = fineness.most_points.min(affordable);
                let losses = grid(pair, Fineness { most_points, ..fineness });
                #[allow(clippy::cast_precision_loss, reason = "some thousands")]
                if !effort.allows(look * losses.len() as f64) {
                    return side.add_dots(&bound.trivial(pair.max_loss()), count);
                }
                let dots = match bound {
                    Bound::Above => dots::above(pair, &losses),
                    Bound::Below => dots::below(pair, &losses),
                };
                side.add_dots(&dots, count);
            }
            (Law::Nothing, None) => {}
            (Law::Gaussian(mu), None) => side.add_gaussian(*mu, count),
            (Law::Laplace(limit), None) => side.add_laplace(*limit, count),
            (Law::BoundedRange(range), None) => side.add_bounded_range(*range, count),
            (Law::DiscreteGaussian(sigma, shift), None) => side.add_discrete_gaussian(*sigma, *shift, count),
            (Law::SampledGaussian(rate, mu), None) => {
                side.add_sampled_gaussian(*rate, *mu, self.direction, count);
            }
            (Law::Finite(law), None) => side.add_law(law, count),
            // Not asked for; and where all is told, no answer is too small.
            (Law::Unknown, None) => side.add_law(&FiniteLaw::told(), count),
        }
    }
}

impl Kind {
    /// Whether both directions have the same losses.
    pub(crate) fn is_symmetric(&self) -> bool {
        !matches!(self, Self::Finite(_) | Self::Poisson { .. })
    }

    /// About what it takes to make the pair, and for each point of a grid from above and from below, in nanoseconds.
    fn work(&self) -> (f64, [f64; 2]) {
        match self {
            Self::Poisson { of, .. } => of.work(),
            Self::WithoutReplacement { of, .. } => {
                let (table, looks) = of.work();
                (table, looks.map(|look| 1.3 * look))
            }
            Self::DiscreteGaussian(pair) if worth_a_table(*pair) => {
                (60.0 * Tabulated::size(*pair), [1800.0, 7500.0])
            }
            Self::DiscreteGaussian(_) => (0.0, [15_000.0, 80_000.0]),
            // Far out there is no table of the normal law.
            Self::Gaussian(pair) if pair.mu().get() > 8.0 => (0.0, [8000.0, 30_000.0]),
            Self::Gaussian(_) => (0.0, [2000.0, 9000.0]),
            #[allow(clippy::cast_precision_loss, reason = "fewer outcomes than bytes")]
            Self::Finite(pair) => {
                (0.0, [200.0, 1000.0].map(|each| each * (10.0 + pair.outcomes().len() as f64)))
            }
            _ => (0.0, [1200.0, 5000.0]),
        }
    }

    /// About what it takes to make the law, in nanoseconds: integers are many.
    pub(crate) fn law_work(&self) -> f64 {
        match self {
            Self::Poisson { of, .. } | Self::WithoutReplacement { of, .. } => match **of {
                Self::DiscreteGaussian(pair) if FiniteLaw::has_discrete_gaussian(pair) => {
                    // Twice: for the sampled law, and for what of it each bound takes.
                    60_000.0 * (pair.sigma().get() + 1.0)
                }
                Self::DiscreteLaplace(pair) => 1000.0 * f64::from(pair.shift().min(1 << 12)),
                _ => 1000.0,
            },
            _ => 500.0,
        }
    }

    /// Whether a grid is needed.
    pub(crate) fn is_discretised(&self) -> bool {
        match self {
            // Whether there is a law shows without making it.
            Self::Poisson { rate, of } if (0.0..1.0).contains(rate) && *rate > 0.0 => match **of {
                Self::DiscreteGaussian(pair) => !FiniteLaw::has_discrete_gaussian(pair),
                _ => matches!(self.law(Direction::Remove), Law::Unknown),
            },
            Self::WithoutReplacement { records, batch, of } if records != batch => match **of {
                Self::DiscreteGaussian(pair) => !FiniteLaw::has_discrete_gaussian(pair),
                _ => matches!(self.law(Direction::Remove), Law::Unknown),
            },
            Self::DiscreteGaussian(_) => false,
            _ => matches!(self.law(Direction::Remove), Law::Unknown),
        }
    }

    /// About what the divergence of one order takes, in nanoseconds.
    pub(crate) fn divergence_work(&self) -> f64 {
        match self {
            Self::Poisson { of, .. } => match **of {
                Self::Gaussian(_) => 30_000.0,
                _ => 150_000.0,
            },
            Self::WithoutReplacement { of, .. } => match **of {
                Self::Gaussian(_) => 300_000.0,
                _ => 700_000.0,
            },
            Self::Gaussian(_) | Self::DiscreteGaussian(_) | Self::Renyi(_) => 500.0,
            _ => 10_000.0,
        }
    }

    /// The law of the loss in one direction.
    fn law(&self, direction: Direction) -> Law {
        let finite =
            |law: FiniteLaw| Law::Finite(if direction == Direction::Remove { law } else { law.reversed() });
        let scaled = |parameter: f64, of: fn(f64) -> Law| match parameter {
            0.0 => Law::Nothing,
            f64::INFINITY => Law::Finite(FiniteLaw::told()),
            _ => of(parameter),
        };
        match self {
            Self::Gaussian(pair) => scaled(pair.mu().get(), Law::Gaussian),
            Self::Laplace(pair) => scaled(pair.shift().get(), Law::Laplace),
            Self::BoundedRange(pair) => scaled(pair.range().get(), Law::BoundedRange),
            Self::DiscreteGaussian(pair) => Law::DiscreteGaussian(pair.sigma().get(), pair.shift()),
            Self::Poisson { rate, .. } if *rate == 0.0 => Law::Nothing,
            Self::Poisson { rate, of } if *rate == 1.0 => of.law(direction),
            Self::Poisson { rate, of } => match of.law(Direction::Remove) {
                Law::Nothing => Law::Nothing,
                Law::Gaussian(mu) => Law::SampledGaussian(*rate, mu),
                _ => of.finite_law().map_or(Law::Unknown, |law| finite(law.mixed(Enclosure::point(*rate)))),
            },
            // Of an asymmetric pair the larger profile counts, which is no finite law; also if all records are taken.
            Self::WithoutReplacement { of, .. } if matches!(**of, Self::Finite(_) | Self::WorseWay(_)) => {
                Law::Unknown
            }
            Self::WithoutReplacement { records, batch, of } if records == batch => of.law(direction),
            Self::WithoutReplacement { records, batch, of } => {
                let rate = many(*batch) / many(*records);
                of.finite_law().map_or(Law::Unknown, |law| Law::Finite(law.without_replacement(rate)))
            }
            _ => self.finite_law().map_or(Law::Unknown, finite),
        }
    }

    /// P against Q, where there are few losses.
    fn finite_law(&self) -> Option<FiniteLaw> {
        match self {
            Self::RandomizedResponse(pair) if pair.max_loss().is_infinite() => Some(FiniteLaw::told()),
            Self::RandomizedResponse(pair) => Some(FiniteLaw::new(pair.losses())),
            Self::DiscreteLaplace(pair) if pair.shift() <= 1 << 12 && pair.max_loss() < 700.0 => {
                Some(FiniteLaw::new(pair.losses()))
            }
            Self::DiscreteGaussian(pair) => FiniteLaw::discrete_gaussian(*pair),
            Self::Finite(pair) => Some(FiniteLaw::of(pair)),
            Self::Approx(guarantee) => Some(FiniteLaw::approx(guarantee)),
            _ => None,
        }
    }
}

impl Kind {
    /// The pair of the event in one direction, known by its views.
    pub(crate) fn pair(&self, direction: Direction) -> Box<dyn DominatingPair> {
        let (of, sampling) = self.sampling(direction);
        of.sampled(sampling)
    }

    /// The same pair, to be looked at many times.
    pub(crate) fn looked_up(&self, direction: Direction) -> Box<dyn DominatingPair> {
        match self.sampling(direction) {
            (_, Sampling::None(_)) => self.pair(direction),
            (Self::DiscreteGaussian(pair), sampling) if worth_a_table(*pair) => {
                sampling.of(Tabulated::new(*pair))
            }
            (of, sampling) => of.sampled(sampling),
        }
    }

    /// What is run, on what part of the data.
    fn sampling(&self, direction: Direction) -> (&Self, Sampling) {
        match self {
            Self::Poisson { rate, of } => (of, Sampling::Poisson(*rate, direction)),
            Self::WithoutReplacement { records, batch, of } => {
                (of, Sampling::WithoutReplacement(*records, *batch))
            }
            // All records are taken, and the worse direction counts.
            Self::WorseWay(_) => (self, Sampling::WithoutReplacement(1, 1)),
            _ => (self, Sampling::None(direction)),
        }
    }

    fn sampled(&self, sampling: Sampling) -> Box<dyn DominatingPair> {
        match self {
            Self::Gaussian(pair) => sampling.of(*pair),
            Self::Laplace(pair) => sampling.of(*pair),
            Self::RandomizedResponse(pair) => sampling.of(*pair),
            Self::DiscreteLaplace(pair) => sampling.of(*pair),
            Self::DiscreteGaussian(pair) => sampling.of(*pair),
            Self::BoundedRange(pair) => sampling.of(*pair),
            Self::Finite(pair) | Self::WorseWay(pair) => sampling.of(pair.clone()),
            Self::Other(pair) => sampling.of(Symmetric(pair.clone())),
            Self::Approx(guarantee) => sampling.of(WorstApprox(*guarantee)),
            // A sample of a sample and a sampled curve are refused where events are made: nobody asks, and all would be told.
            Self::Poisson { .. } | Self::WithoutReplacement { .. } | Self::Renyi(_) => {
                sampling.of(GaussianPair::new(Mu::saturating(f64::INFINITY)))
            }
        }
    }
}

/// Whether sums over the integers are so long that a table is made instead. At larger scales integrals are accurate.
fn worth_a_table(pair: DiscreteGaussianPair) -> bool {
    (2.0..4096.0).contains(&pair.sigma().get())
}

/// What is done to the data before a mechanism sees them.
#[derive(Clone, Copy)]
enum Sampling {
    None(Direction),
    Poisson(f64, Direction),
    WithoutReplacement(u64, u64),
}

impl Sampling {
    fn of<P: TwoSided + 'static>(self, base: P) -> Box<dyn DominatingPair> {
        const CHECKED: &str = "the sizes were checked when the event was made";
        match self {
            Self::None(Direction::Remove) => Box::new(base),
            Self::None(Direction::Add) => Box::new(base.reversed()),
            Self::Poisson(rate, direction) => Box::new(Poisson::new(base, rate, direction).expect(CHECKED)),
            Self::WithoutReplacement(records, batch) => {
                Box::new(WithoutReplacement::new(base, records, batch).expect(CHECKED))
            }
        }
    }
}

/// The pair of the worst (ε,δ)-private mechanism: with probability δ all is told, otherwise randomised response (Kairouz, Oh and Viswanath 2015).
#[derive(Clone, Copy)]
struct WorstApprox(Approx);

impl WorstApprox {
    fn told(self) -> Enclosure {
        Enclosure::point(self.0.delta().get())
    }

    /// What holds when not all is told.
    fn response(self) -> RandomizedResponsePair {
        RandomizedResponsePair::binary(self.0.epsilon())
    }
}

impl DominatingPair for WorstApprox {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let rest = self.response().delta(epsilon);
        // Also where nothing is left but δ the sum is exact.
        if rest == Enclosure::ZERO {
            self.told()
        } else {
            (self.told() + (Enclosure::ONE - self.told()) * rest).probability()
        }
    }
    fn tail(&self, loss: f64) -> Enclosure {
        (self.told() + (Enclosure::ONE - self.told()) * self.response().tail(loss)).probability()
    }
    fn renyi(&self, order: Alpha) -> Enclosure {
        if self.told().hi() > 0.0 { Enclosure::point(f64::INFINITY) } else { self.response().renyi(order) }
    }
    fn max_loss(&self) -> f64 {
        if self.told().hi() > 0.0 { f64::INFINITY } else { self.response().max_loss() }
    }
}

impl TwoSided for WorstApprox {
    const SYMMETRIC: bool = true;
    fn reversed(&self) -> Self {
        *self
    }
}

/// A pair that is declared to be symmetric.
#[derive(Clone)]
struct Symmetric(AnyPair);

impl DominatingPair for Symmetric {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.0.delta(epsilon)
    }
    fn tail(&self, loss: f64) -> Enclosure {
        self.0.tail(loss)
    }
    fn renyi(&self, order: Alpha) -> Enclosure {
        self.0.renyi(order)
    }
    fn max_loss(&self) -> f64 {
        self.0.max_loss()
    }
}

impl TwoSided for Symmetric {
    const SYMMETRIC: bool = true;
    fn reversed(&self) -> Self {
        self.clone()
    }
}
