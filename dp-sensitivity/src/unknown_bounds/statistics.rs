//! Which statistics can be asked between bounds that were found privately, and with which noise.

use dp_core::measurement::Noisy;
use dp_core::{
    AddRemove, Adjacency, Bounds, Error, Guarantee, Measurement, Pure, Query, ReplaceOne, Target, Zcdp,
};
use dp_mechanisms::{Gaussian, Laplace};

use super::noise::StepOfBounds;
use super::privately::BoundsPrivately;
use crate::{Estimated, Estimator, ExponentialQuantile, Mean, Quantile, StandardDeviation, Sum, Variance};

/// A statistic that can be released between any bounds for any guarantee in the notion `G`.
///
/// Sealed: sums, means, variances, standard deviations and quantiles.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked between bounds that are found privately, in the notion `{G}`",
    label = "no statistic for `bounds_privately`",
    note = "sums, means, variances and quantiles can under both relations, standard deviations under add/remove: \
            elsewhere release the variance, and take the root of it by `map`"
)]
pub trait Between<G: Guarantee>: Rebounded {
    /// The statistic with noise.
    type Measurement: Measurement<Data = [f64], Guarantee = G, Adjacency = Self::Relation>;

    /// The statistic between these bounds with as little noise as meets the guarantee.
    ///
    /// # Errors
    /// By public facts, of which the bounds are some.
    fn between(&self, bounds: Bounds, guarantee: &G) -> Result<Self::Measurement, Error>;
}

/// Closes [`Between`].
pub trait Rebounded: Sized {
    /// The neighbour relation.
    type Relation: Adjacency + StepOfBounds;

    /// The same statistic between other bounds.
    fn rebounded(&self, bounds: Bounds) -> Result<Self, Error>;
}

/// Stands for bounds that are not known yet.
fn unknown() -> Bounds {
    Bounds::new(0.0, 1.0).expect("an interval")
}

impl Sum<AddRemove> {
    /// The sum of records of which nobody knows how large they are: this share of the budget finds
    /// bounds. See [`BoundsPrivately`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < share < 1.
    pub fn bounds_privately(share: f64) -> Result<BoundsPrivately<Self>, Error> {
        BoundsPrivately::new(Self::new(unknown()), share)
    }
}

impl Mean<AddRemove> {
    /// The mean of records of which nobody knows how large they are: this share of the budget finds
    /// bounds. See [`BoundsPrivately`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < share < 1.
    pub fn bounds_privately(share: f64) -> Result<BoundsPrivately<Self>, Error> {
        BoundsPrivately::new(Self::new(unknown()), share)
    }
}

impl Variance<AddRemove> {
    /// The sample variance of records of which nobody knows how large they are: this share of the
    /// budget finds bounds. See [`BoundsPrivately`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < share < 1.
    pub fn bounds_privately(share: f64) -> Result<BoundsPrivately<Self>, Error> {
        BoundsPrivately::new(Self::new(unknown()), share)
    }
}

impl StandardDeviation<AddRemove> {
    /// The standard deviation of a sample of records of which nobody knows how large they are: this
    /// share of the budget finds bounds. See [`BoundsPrivately`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < share < 1.
    pub fn bounds_privately(share: f64) -> Result<BoundsPrivately<Self>, Error> {
        BoundsPrivately::new(Self::new(unknown()), share)
    }
}

impl Quantile<AddRemove> {
    /// The quantile of level q of records of which nobody knows how large they are: this share of
    /// the budget finds bounds. See [`BoundsPrivately`].
    ///
    /// A quantile hardly suffers from wide bounds, and declared ones are usually better.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ q ≤ 1 and 0 < share < 1.
    pub fn bounds_privately(level: f64, share: f64) -> Result<BoundsPrivately<Self>, Error> {
        BoundsPrivately::new(Self::new(unknown(), level)?, share)
    }
}

/// The same under replace-one, of a declared number of records.
macro_rules! under_replace_one {
    ($($statistic:ident),*) => { $(
        impl BoundsPrivately<$statistic<AddRemove>> {
            /// The same under replace-one neighbours, of exactly `size` records.
            ///
            /// # Errors
            /// [`Error::OutOfRange`] for a size that the statistic refuses.
            pub fn under_replace_one(self, size: usize) -> Result<BoundsPrivately<$statistic<ReplaceOne>>, Error> {
                let statistic = self.statistic.clone().under_replace_one(size)?;
                Ok(self.with(statistic))
            }
        }
    )* };
}

under_replace_one!(Sum, Mean, Variance, Quantile);

impl BoundsPrivately<Variance<AddRemove>> {
    /// The variance of the population instead, divided by n.
    #[must_use]
    pub fn population(self) -> Self {
        self.with(Variance::population(unknown()))
    }
}

impl BoundsPrivately<StandardDeviation<AddRemove>> {
    /// The root of the variance of the population instead, which is divided by n.
    #[must_use]
    pub fn population(self) -> Self {
        self.with(StandardDeviation::population(unknown()))
    }
}

/// How a statistic is made anew: under add/remove, and under replace-one, of as many records.
macro_rules! rebounded {
    ($($statistic:ident: |$this:ident, $bounds:ident| $made:expr),*) => { $(
        impl Rebounded for $statistic<AddRemove> {
            type Relation = AddRemove;
            fn rebounded(&self, $bounds: Bounds) -> Result<Self, Error> {
                let $this = self;
                $made
            }
        }

        impl Rebounded for $statistic<ReplaceOne> {
            type Relation = ReplaceOne;
            fn rebounded(&self, $bounds: Bounds) -> Result<Self, Error> {
                let $this = self;
                let made: Result<$statistic<AddRemove>, Error> = $made;
                made?.under_replace_one(self.size().unwrap_or(0))
            }
        }
    )* };
}

rebounded!(
    Sum: |_this, bounds| Ok(Sum::new(bounds)),
    Mean: |_this, bounds| Ok(Mean::new(bounds)),
    Variance: |this, bounds| {
        Ok(if this.is_of_a_sample() { Variance::new(bounds) } else { Variance::population(bounds) })
    },
    Quantile: |this, bounds| Quantile::new(bounds, this.level())
);

impl Rebounded for StandardDeviation<AddRemove> {
    type Relation = AddRemove;

    fn rebounded(&self, bounds: Bounds) -> Result<Self, Error> {
        Ok(if self.variance().is_of_a_sample() { Self::new(bounds) } else { Self::population(bounds) })
    }
}

/// Laplace noise for ε, Gaussian noise for ρ.
macro_rules! with_noise {
    ($made:ident of $($statistic:ty),*) => { $(
        impl Between<Pure> for $statistic {
            type Measurement = $made<Self, Laplace, Pure>;
            fn between(&self, bounds: Bounds, guarantee: &Pure) -> Result<Self::Measurement, Error> {
                self.rebounded(bounds)?.with(Target::<Laplace, Pure>::new(*guarantee))
            }
        }

        impl Between<Zcdp> for $statistic {
            type Measurement = $made<Self, Gaussian, Zcdp>;
            fn between(&self, bounds: Bounds, guarantee: &Zcdp) -> Result<Self::Measurement, Error> {
                self.rebounded(bounds)?.with(Target::<Gaussian, Zcdp>::new(*guarantee))
            }
        }
    )* };
}

with_noise!(Noisy of Sum<AddRemove>, Sum<ReplaceOne>, Mean<ReplaceOne>, Variance<ReplaceOne>);
with_noise!(Estimated of Mean<AddRemove>, Variance<AddRemove>, StandardDeviation<AddRemove>);

impl<A: Adjacency> Between<Pure> for Quantile<A>
where
    Self: Rebounded<Relation = A>,
{
    type Measurement = ExponentialQuantile<A, Pure>;

    fn between(&self, bounds: Bounds, guarantee: &Pure) -> Result<Self::Measurement, Error> {
        self.rebounded(bounds)?.epsilon(guarantee.epsilon().get())
    }
}

impl<A: Adjacency> Between<Zcdp> for Quantile<A>
where
    Self: Rebounded<Relation = A>,
{
    type Measurement = ExponentialQuantile<A, Zcdp>;

    fn between(&self, bounds: Bounds, guarantee: &Zcdp) -> Result<Self::Measurement, Error> {
        self.rebounded(bounds)?.rho(guarantee.rho().get())
    }
}
