//! Rényi differential privacy: a bound on the divergence of every order.

mod curve;
mod points;

pub use curve::Curve;
pub use points::Points;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::renyi::{delta_bound, delta_from_renyi, epsilon_bound, epsilon_from_renyi};
use super::{Guarantee, Pure, Zcdp, at_least};
use crate::rounding::{add_up, mul_up};
use crate::{Alpha, Delta, Epsilon, Rho};

/// A Rényi curve: D_α(M(x)‖M(y)) ≤ ε(α) for all neighbours and every order α > 1 (Mironov 2017).
///
/// The curve is a sum of closed forms, one for each mechanism that was composed, and is evaluated
/// at any real order; it is not a table on a grid of orders, though a table may be one of its
/// terms.
///
/// ```
/// use dp_core::{Alpha, Curve, Delta, Epsilon, Guarantee, Rdp};
///
/// let laplace = Rdp::from(Curve::Laplace { shift: Epsilon::new(0.1)? });
/// let hundred = laplace.times(100);
/// assert!(hundred.divergence(Alpha::new(8.0)?) < 4.0);
/// assert!(hundred.epsilon_at(Delta::new(1e-6)?).get() < 5.3); // 10 by adding up
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Vec<Term>", into = "Vec<Term>"))]
pub struct Rdp {
    /// The curve is Σ count·ε(α) over the terms. Lines are kept in one term, and equal curves too.
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Term {
    count: u64,
    curve: Curve,
}

impl Rdp {
    /// An upper bound on D_α.
    #[must_use]
    pub fn divergence(&self, order: Alpha) -> f64 {
        self.terms.iter().fold(0.0, |sum, term| {
            let once = term.curve.divergence(order.get());
            add_up(sum, if once == 0.0 { 0.0 } else { mul_up(at_least(term.count), once) })
        })
    }

    /// A ρ for which ρα lies below the curve at every order α: the sum of the lines among its
    /// terms. Every ρ-zCDP mechanism satisfies the curve.
    #[must_use]
    pub fn concentrated_part(&self) -> Rho {
        // Lines are in one term, whose count is one.
        let lines = self.terms.iter().filter_map(|term| match &term.curve {
            Curve::Line(line) => Some(line.rho()),
            _ => None,
        });
        lines.max_by(|a, b| a.get().total_cmp(&b.get())).unwrap_or(Rho::ZERO)
    }

    /// A line above the curve, if one is known.
    fn line(&self) -> Option<Zcdp> {
        self.terms
            .iter()
            .try_fold(Zcdp::perfect(), |sum, term| Some(sum.compose(&term.curve.line()?.times(term.count))))
    }

    /// An upper bound on D_∞, the largest loss.
    fn max_loss(&self) -> f64 {
        self.terms
            .iter()
            .fold(0.0, |sum, term| add_up(sum, mul_up(at_least(term.count), term.curve.max_loss())))
    }

    /// The orders at which tables have entries: the best order is often one of them.
    fn tabulated(&self) -> Vec<Alpha> {
        let mut orders = Vec::new();
        for term in &self.terms {
            match &term.curve {
                Curve::Points(points) => orders.extend(points.as_slice().iter().map(|(order, _)| *order)),
                Curve::Worst(a, b) => orders.extend(a.tabulated().into_iter().chain(b.tabulated())),
                _ => {}
            }
        }
        orders
    }

    /// Adds a term, merging it with one of the same kind.
    fn add(&mut self, added: Term) {
        if added.count == 0 {
            return;
        }
        if let Curve::Line(line) = &added.curve {
            let line = line.times(added.count);
            if line == Zcdp::perfect() {
                return;
            }
            for term in &mut self.terms {
                if let Curve::Line(sum) = &mut term.curve {
                    *sum = sum.compose(&line);
                    return;
                }
            }
            self.terms.push(Term { count: 1, curve: Curve::Line(line) });
            return;
        }
        match self.terms.iter_mut().find(|term| term.curve == added.curve) {
            // A count that does not fit is more than any budget: nothing is guaranteed then.
            Some(term) => match term.count.checked_add(added.count) {
                Some(count) => term.count = count,
                None => term.curve = Curve::Line(Zcdp::from_parts(Epsilon::INFINITE, Rho::ZERO)),
            },
            None => self.terms.push(added),
        }
    }
}

/// Adds the terms one by one, so that what comes from a file keeps the invariant too.
impl From<Vec<Term>> for Rdp {
    fn from(terms: Vec<Term>) -> Self {
        let mut sum = Self::perfect();
        for term in terms {
            sum.add(term);
        }
        sum
    }
}

impl From<Rdp> for Vec<Term> {
    fn from(rdp: Rdp) -> Self {
        rdp.terms
    }
}

impl From<Curve> for Rdp {
    fn from(curve: Curve) -> Self {
        let mut sum = Self::perfect();
        sum.add(Term { count: 1, curve });
        sum
    }
}

impl fmt::Display for Rdp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rényi DP with ")?;
        for (k, order) in [2.0, 8.0, 64.0].into_iter().enumerate() {
            let separator = if k == 0 { "" } else { ", " };
            let bound = Epsilon::saturating(self.divergence(Alpha::saturating(order)));
            write!(f, "{separator}ε({order}) = {bound}")?;
        }
        Ok(())
    }
}

impl Guarantee for Rdp {
    fn perfect() -> Self {
        Self { terms: vec![] }
    }

    fn compose(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for term in &other.terms {
            sum.add(term.clone());
        }
        sum
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_at_most(other) {
            other.clone()
        } else if other.is_at_most(self) {
            self.clone()
        } else {
            Curve::Worst(Box::new(self.clone()), Box::new(other.clone())).into()
        }
    }

    /// Proves that one curve lies below the other: term by term; below a line by lines; below a
    /// table at its orders, which are all that it states.
    fn is_at_most(&self, other: &Self) -> bool {
        // Each term below one of the other side, no two below the same; equal ones first, or a
        // smaller term could take the place of a larger one.
        let mut free: Vec<&Term> = other.terms.iter().collect();
        let mut open: Vec<&Term> = Vec::new();
        for term in &self.terms {
            match free.iter().position(|t| t.curve == term.curve && term.count <= t.count) {
                Some(index) => drop(free.swap_remove(index)),
                None => open.push(term),
            }
        }
        let covered = open.iter().all(|term| {
            let fits = |t: &&Term| term.count <= t.count && term.curve.is_at_most(&t.curve);
            let found = free.iter().position(fits);
            found.map(|index| free.swap_remove(index)).is_some()
        });
        if covered {
            return true;
        }
        match &other.terms[..] {
            [Term { count: 1, curve: Curve::Line(line) }] => {
                let as_pure = line.as_pure().is_some_and(|pure| self.max_loss() <= pure.epsilon().get());
                as_pure || self.line().is_some_and(|own| own.is_at_most(line))
            }
            [Term { count: 1, curve: Curve::Points(points) }] => {
                points.as_slice().iter().all(|&(order, bound)| self.divergence(order) <= bound.get())
            }
            [Term { count: 1, curve: Curve::Worst(a, b) }] => self.is_at_most(a) || self.is_at_most(b),
            _ => false,
        }
    }

    fn for_group(&self, size: u32) -> Self {
        let mut sum = Self::perfect();
        if size > 0 {
            for term in &self.terms {
                sum.add(Term { count: term.count, curve: term.curve.for_group(size) });
            }
        }
        sum
    }

    fn delta_at(&self, epsilon: Epsilon) -> Delta {
        let searched = delta_from_renyi(|order| self.divergence(Alpha::saturating(order)), epsilon.get());
        let tabulated = self
            .tabulated()
            .into_iter()
            .map(|order| delta_bound(self.divergence(order), order.get(), epsilon.get()));
        let pure = Pure::from(Epsilon::saturating(self.max_loss())).delta_at(epsilon).get();
        Delta::saturating(tabulated.fold(searched.min(pure), f64::min))
    }

    fn epsilon_at(&self, delta: Delta) -> Epsilon {
        let searched = epsilon_from_renyi(|order| self.divergence(Alpha::saturating(order)), delta.get());
        let tabulated = self
            .tabulated()
            .into_iter()
            .map(|order| epsilon_bound(self.divergence(order), order.get(), delta.get()));
        let pure = Pure::from(Epsilon::saturating(self.max_loss())).epsilon_at(delta).get();
        Epsilon::saturating(tabulated.fold(searched.min(pure), f64::min))
    }

    fn times(&self, count: u64) -> Self {
        let mut sum = Self::perfect();
        for term in &self.terms {
            match term.count.checked_mul(count) {
                Some(count) => sum.add(Term { count, curve: term.curve.clone() }),
                None => sum.add(Term {
                    count: 1,
                    curve: Curve::Line(Zcdp::from_parts(Epsilon::INFINITE, Rho::ZERO)),
                }),
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{DominatingPair, FinitePair};

    fn order(alpha: f64) -> Alpha {
        Alpha::new(alpha).unwrap()
    }

    fn line(rho: f64) -> Rdp {
        Curve::Line(Zcdp::new(rho).unwrap()).into()
    }

    fn table(points: &[(f64, f64)]) -> Points {
        Points::new(points.iter().map(|&(a, e)| (order(a), Epsilon::new(e).unwrap())).collect()).unwrap()
    }

    #[test]
    fn lines_merge_and_curves_add() {
        let laplace = Rdp::from(Curve::Laplace { shift: Epsilon::new(1.0).unwrap() });
        let sum = line(0.5).compose(&laplace).compose(&line(0.25)).compose(&laplace);
        assert_eq!(sum.terms.len(), 2);
        let expected = 0.75 * 3.0 + 2.0 * laplace.divergence(order(3.0));
        assert!((sum.divergence(order(3.0)) - expected).abs() < 1e-14);
        assert_eq!(line(0.5).times(4), line(2.0));
        assert_eq!(laplace.times(u64::MAX).times(2).divergence(order(2.0)), f64::INFINITY);
    }

    /// The best order of a table is one of its entries, and so is that of the worse of two tables.
    #[test]
    fn the_worse_of_two_tables_is_read_at_their_entries() {
        let lists = [[(2.0, 0.3), (9.7, 0.5), (41.3, 4.0)], [(3.1, 0.2), (17.9, 0.7), (41.3, 3.0)]];
        let [one, other] = lists.map(|entries| Rdp::from(Curve::Points(table(&entries))));
        let join = one.join(&other);
        let alone = |at: f64| Rdp::from(Curve::Points(table(&[(at, join.divergence(order(at)))])));
        let entries = || lists.iter().flatten().map(|(at, _)| alone(*at)).collect::<Vec<_>>();
        for delta in [1e-3, 1e-6] {
            let delta = Delta::new(delta).unwrap();
            let best =
                entries().iter().map(|entry| entry.epsilon_at(delta).get()).fold(f64::INFINITY, f64::min);
            assert!(join.epsilon_at(delta).get() <= best);
        }
        assert_eq!(join.tabulated().len(), 6);
    }

    #[test]
    fn group_privacy_of_a_table_matches_that_of_a_line() {
        let entries: Vec<(f64, f64)> =
            (1..4000).map(|k| (1.0 + f64::from(k) / 50.0, 0.3 * (1.0 + f64::from(k) / 50.0))).collect();
        let group = Rdp::from(Curve::Points(table(&entries))).for_group(3);
        for alpha in [1.5, 2.0, 7.0] {
            let (ours, exact) = (group.divergence(order(alpha)), 9.0 * 0.3 * alpha);
            assert!(ours >= exact * (1.0 - 1e-12) && ours <= exact * 1.001, "{alpha}: {ours} {exact}");
        }
        assert_eq!(line(0.3).for_group(3), Curve::Line(Zcdp::new(0.3).unwrap().for_group(3)).into());
    }

    #[test]
    fn the_group_of_an_unknown_one_of_two_guarantees_covers_mixed_chains() {
        // A chain whose steps have D_α ≤ max(2, α) each, and whose ends have D_1.01 = 5.0456.
        let flat = Rdp::from(Curve::Line(Zcdp::with_offset(2.0, 0.0).unwrap()));
        let worst = flat.join(&line(1.0));
        let chain = [[1023.0, 8889.0, 88.0], [8153.0, 1113.0, 734.0], [8992.0, 24.0, 984.0]];
        let pair = |i: usize, j: usize| FinitePair::new(&chain[i], &chain[j]).unwrap();
        for alpha in [1.01, 1.1, 2.0, 10.0] {
            for (i, j) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
                assert!(pair(i, j).renyi(order(alpha)).hi() <= worst.divergence(order(alpha)));
            }
            assert!(pair(0, 2).renyi(order(alpha)).lo() <= worst.for_group(2).divergence(order(alpha)));
        }
        assert_eq!(worst.for_group(1), worst);
        assert_eq!(worst.for_group(0), Rdp::perfect());
    }

    #[test]
    fn order_is_proved_or_denied() {
        let laplace = Rdp::from(Curve::Laplace { shift: Epsilon::new(0.1).unwrap() });
        assert!(laplace.is_at_most(&laplace.times(2)) && !laplace.times(2).is_at_most(&laplace));
        assert!(laplace.is_at_most(&line(0.005)) && !laplace.is_at_most(&line(0.004)));
        let budget = Rdp::from(Curve::Points(table(&[(2.0, 0.02)])));
        assert!(laplace.is_at_most(&budget) && !laplace.times(3).is_at_most(&budget));
        let worst = laplace.join(&budget);
        assert!(laplace.is_at_most(&worst) && budget.is_at_most(&worst));
        let pure = |epsilon: f64| Rdp::from(Curve::Pure(Pure::new(epsilon).unwrap()));
        assert!(pure(1.0).is_at_most(&pure(2.0)) && !pure(2.0).is_at_most(&pure(1.0)));
        // Two terms do not fit below one, though each of them does.
        assert!(!pure(1.0).compose(&pure(2.0)).is_at_most(&pure(2.5)));
        assert!(laplace.is_at_most(&pure(0.1)) && !pure(0.1).is_at_most(&laplace));
        assert!(pure(1.0).is_at_most(&Curve::Line(Zcdp::with_offset(1.0, 0.0).unwrap()).into()));
        let two = line(0.001).join(&Rdp::from(Curve::BoundedRange { range: Epsilon::new(3.0).unwrap() }));
        assert!(line(0.001).is_at_most(&two));
    }

    #[test]
    fn pure_terms_keep_their_limit() {
        let laplace = Rdp::from(Curve::Laplace { shift: Epsilon::new(1.0).unwrap() });
        assert_eq!(laplace.times(3).epsilon_at(Delta::ZERO).get(), 3.0);
        assert_eq!(Rdp::perfect().epsilon_at(Delta::ZERO), Epsilon::ZERO);
        assert_eq!(line(1.0).epsilon_at(Delta::ZERO), Epsilon::INFINITE);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn curves_survive_the_disk() {
        let curve = line(0.5)
            .compose(&Curve::Laplace { shift: Epsilon::new(1.0).unwrap() }.into())
            .compose(&Rdp::from(Curve::Points(table(&[(2.0, 1.0), (3.0, 4.0)]))).for_group(2));
        let text = serde_json::to_string(&curve).unwrap();
        assert_eq!(serde_json::from_str::<Rdp>(&text).unwrap(), curve);
        assert!(serde_json::from_str::<Rdp>(r#"[{"count":1,"curve":{"points":[[3,1],[2,1]]}}]"#).is_err());
        assert!(serde_json::from_str::<Rdp>(r#"[{"count":1,"curve":{"laplace":{"shift":-1}}}]"#).is_err());
        assert!(serde_json::from_str::<Rdp>(r#"[{"count":-1,"curve":{"pure":{"epsilon":1}}}]"#).is_err());
    }

    /// A smaller term must not take the place of a larger one.
    #[test]
    fn a_sum_is_at_most_itself() {
        let pure = |epsilon: f64| {
            Rdp::from(Curve::Line(Zcdp::from_parts(Epsilon::new(epsilon).unwrap(), Rho::ZERO)))
        };
        let laplace = |shift: f64| Rdp::from(Curve::Laplace { shift: Epsilon::new(shift).unwrap() });
        let sums = [
            laplace(1.0).compose(&laplace(8.0)),
            laplace(8.0).compose(&laplace(1.0)).compose(&pure(2.0)),
            pure(2.0).compose(&laplace(1.0)).compose(&laplace(3.0).times(4)),
        ];
        for sum in &sums {
            assert!(sum.is_at_most(sum) && sum.is_at_most(&sum.join(sum)), "{sum:?}");
            assert!(sum.is_at_most(&sum.compose(&laplace(0.5))), "{sum:?}");
        }
    }
}
