//! A number that was computed elsewhere.

use core::marker::PhantomData;

use dp_core::{Adjacency, Bounds, Error, Finite, Query, Sensitivity, SensitivityIn, Subadditive};

use crate::arguments::positive;

/// A number that another program computed from the records, such as a sum in a database: a query
/// whose data are that number.
///
/// Nobody here has seen the records, so you assert three things: that the number is clamped into
/// the declared bounds or lies within them, that one step of the neighbour relation `A` moves it by
/// at most the stated sensitivity, *as the other program computes it*, with its rounding, and that
/// neighbours do not differ in whether there is a number at all: `NaN` counts as the middle of the
/// bounds. The sensitivity that counts is never above their width.
///
/// ```
/// use dp_core::{AddRemove, Bounds, Measurement, Query, WithInterval};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_sensitivity::Aggregate;
///
/// // SELECT SUM(GREATEST(0, LEAST(hours, 80))) FROM week, of at most 10⁶ people.
/// let sum = 71_234.5;
/// let hours = Aggregate::<AddRemove>::asserting(Bounds::new(0.0, 8e7)?, 80.0)?;
/// let hours = hours.with(Laplace::epsilon(0.5)?)?;
/// let released = hours.release(&sum, &mut OsSeeded::new()?)?;
/// let interval = hours.interval(&released, 0.95)?;
/// assert!(interval.width() < 960.0);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aggregate<A> {
    bounds: Bounds,
    sensitivity: f64,
    relation: PhantomData<fn(A) -> A>,
}

impl<A: Adjacency> Aggregate<A> {
    /// A number within bounds that one step moves by at most `sensitivity`. Both are your
    /// assertion.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the sensitivity is positive and finite.
    pub fn asserting(bounds: Bounds, sensitivity: f64) -> Result<Self, Error> {
        let sensitivity = positive("sensitivity", sensitivity)?.min(bounds.width());
        Ok(Self { bounds, sensitivity, relation: PhantomData })
    }

    /// The declared bounds.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }
}

impl<A: Adjacency> Query for Aggregate<A> {
    type Data = f64;
    type Answer = Finite;
    type Adjacency = A;

    fn answer(&self, number: &f64) -> Result<Finite, Error> {
        Ok(Finite::clamped(*number, self.bounds))
    }
}

impl<A: Adjacency, N: Subadditive> SensitivityIn<N> for Aggregate<A> {
    fn sensitivity(&self) -> Sensitivity<N, A> {
        Sensitivity::new(self.sensitivity).expect("it was checked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{AddRemove, L1};

    #[test]
    fn whatever_was_computed_lies_within_the_bounds() {
        let query = Aggregate::<AddRemove>::asserting(Bounds::new(0.0, 10.0).unwrap(), 80.0).unwrap();
        let answers = [3.0, -1.0, f64::INFINITY, f64::NAN].map(|number| query.answer(&number).unwrap().get());
        assert_eq!(answers, [3.0, 0.0, 10.0, 5.0]);
        assert_eq!(SensitivityIn::<L1>::sensitivity(&query).value(), 10.0);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Aggregate::<AddRemove>::asserting(query.bounds(), bad).is_err());
        }
    }
}
