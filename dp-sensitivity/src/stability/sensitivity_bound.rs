//! Numbers that bound the local sensitivity of a query and can be asked for privately.

use dp_core::rounding::{add_up, exp_up, ln_up};
use dp_core::{Error, Finite, Query};

use crate::{KStars, LocalSensitivity, MaxDegree, Smoothness, Triangles};

/// A statistic that has a small sensitivity itself and bounds the local sensitivity of the query
/// `Q`.
///
/// # Contract
/// For all neighbours x and y, exactly as floats are computed, with t what
/// [`statistic`](Self::statistic) computes:
/// - |t(x) − t(y)| ≤ [`step`](Self::step), and t is finite;
/// - |f(x) − f(y)| ≤ [`bound`](Self::bound)(t(x)), and `bound` rises with its argument.
///
/// Errors depend on public facts only.
pub trait SensitivityBound<Q: Query<Answer = Finite>> {
    /// t(x). Not private.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn statistic(&self, query: &Q, data: &Q::Data) -> Result<f64, Error>;

    /// How far one step moves the statistic.
    fn step(&self) -> f64;

    /// How far one step from data with this statistic moves the answer of the query.
    fn bound(&self, query: &Q, statistic: f64) -> f64;
}

/// Two nodes have no more common neighbours than one of them has neighbours.
impl SensitivityBound<Triangles> for MaxDegree {
    fn statistic(&self, _: &Triangles, graph: &<Triangles as Query>::Data) -> Result<f64, Error> {
        self.answer(graph).map(Finite::get)
    }

    fn step(&self) -> f64 {
        1.0
    }

    fn bound(&self, _: &Triangles, statistic: f64) -> f64 {
        statistic
    }
}

/// g(u) + g(v) with u and v at most the largest degree; see [`KStars`].
impl SensitivityBound<KStars> for MaxDegree {
    fn statistic(&self, _: &KStars, graph: &<KStars as Query>::Data) -> Result<f64, Error> {
        self.answer(graph).map(Finite::get)
    }

    fn step(&self) -> f64 {
        1.0
    }

    fn bound(&self, query: &KStars, statistic: f64) -> f64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // `as` saturates, and a degree is whole
        let degree = statistic as u32;
        query.moved([degree.into(); 2])
    }
}

/// The logarithm of a β-smooth bound S, which one step moves by β at most. For queries that have no
/// better statistic.
///
/// The smooth bound is S(x) ≤ e^β·S(y) for neighbours, and each logarithm is rounded up by no more
/// than five floats, 2⁻⁴³ apart at most: so the step is β + 2⁻⁴⁰.
///
/// Noise of scale β/ε on the logarithm is a factor on the bound; a β of about ε/ln(1/δ) loses a
/// factor of about e.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogSmooth {
    beta: Smoothness,
}

impl LogSmooth {
    /// The logarithm of the β-smooth bound.
    #[must_use]
    pub const fn new(beta: Smoothness) -> Self {
        Self { beta }
    }
}

impl<Q: LocalSensitivity> SensitivityBound<Q> for LogSmooth {
    fn statistic(&self, query: &Q, data: &Q::Data) -> Result<f64, Error> {
        // Finite, because smooth bounds are neither 0 nor infinite.
        Ok(ln_up(query.smooth(data, self.beta)?))
    }

    fn step(&self) -> f64 {
        const ROUNDING: f64 = 9.094_947_017_729_282e-13; // 2⁻⁴⁰
        add_up(self.beta.get(), ROUNDING)
    }

    fn bound(&self, _: &Q, statistic: f64) -> f64 {
        exp_up(statistic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use crate::graphs::every;

    /// The contract, on all pairs of neighbours of five nodes.
    fn assert_bounds<Q: LocalSensitivity + Query<Data = Graph>>(query: &Q, bound: &impl SensitivityBound<Q>) {
        let graphs = every::graphs(5);
        let seen =
            |graph: &Graph| (query.answer(graph).unwrap().get(), bound.statistic(query, graph).unwrap());
        let seen: Vec<(f64, f64)> = graphs.iter().map(seen).collect();
        for (number, (answer, statistic)) in seen.iter().enumerate() {
            for bit in 0..10 {
                let (other, moved) = seen[number ^ 1 << bit];
                assert!((statistic - moved).abs() <= bound.step());
                assert!((answer - other).abs() <= bound.bound(query, *statistic));
            }
        }
    }

    #[test]
    fn statistics_bound_the_sensitivity_and_move_by_a_step() {
        let logarithm = |beta| LogSmooth::new(Smoothness::new(beta).unwrap());
        assert_bounds(&Triangles::new(5), &MaxDegree::new(5));
        assert_bounds(&Triangles::new(5), &logarithm(0.1));
        assert_bounds(&Triangles::new(5), &logarithm(3.0));
        for arms in 1..=4 {
            assert_bounds(&KStars::new(5, arms).unwrap(), &MaxDegree::new(5));
            assert_bounds(&KStars::new(5, arms).unwrap(), &logarithm(0.5));
        }
    }
}
