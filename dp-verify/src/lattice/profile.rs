//! The whole profile of a composition.

use dp_core::rounding::Enclosure;

use super::{Bounds, Parts, Query, bounds, float, invert, largest_loss};

/// What the profile is tilted for: its bulk, and levels of δ.
const QUERIES: [Query; 4] =
    [Query::Delta(0.0), Query::Epsilon(1e-6), Query::Epsilon(1e-15), Query::Epsilon(1e-30)];

/// A privacy profile as a curve: what an adversary can do at every ε, enclosed.
///
/// For the composition of pairs (Pᵢ, Qᵢ), P and Q being the products, it holds
///
/// - δ(ε) = sup_S P(S) − e^ε Q(S), for each real ε ([`delta`](Self::delta));
/// - the least ε ≥ 0 with δ(ε) ≤ δ ([`epsilon`](Self::epsilon));
/// - the trade-off f(α): the least probability of missing P among the tests that raise a false
///   alarm under Q with probability at most α ([`trade_off`](Self::trade_off));
/// - the advantage sup_S P(S) − Q(S) = δ(0), the total variation ([`advantage`](Self::advantage)).
///
/// **Theorem** (Zhu, Dong and Wang 2022). If each pair dominates a mechanism, these bound what is
/// learned from all of them together, chosen adaptively. Where neighbours may be exchanged the
/// worse of (P, Q) and (Q, P) counts.
///
/// ```
/// use dp_core::Epsilon;
/// use dp_core::pairs::LaplacePair;
/// use dp_verify::lattice::profile;
///
/// let release = LaplacePair::new(Epsilon::new(0.5)?);
/// let profile = profile(&[(&release, 4)], 1e-4);
/// let epsilon = profile.epsilon(1e-6);
/// assert!(epsilon.hi() < 2.0 && epsilon.relative_width() < 1e-4); // basic composition says 2
/// assert!(profile.delta(epsilon.hi()).hi() <= 1e-6);
/// assert!(profile.trade_off(0.05).lo() > 0.2); // power at most 0.8 at level 0.05
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    curves: Vec<Bounds>,
    largest: f64,
}

/// The profile of a composition of pairs, each as often as its count says.
///
/// `accuracy` is the relative width of ε that is aimed at; one that is not positive stands for
/// 1e-4. A composition that is too large for the lattice comes with wider bounds. An empty one
/// releases nothing: its profile is (1 − e^ε)₊.
#[must_use]
pub fn profile(parts: &Parts, accuracy: f64) -> Profile {
    let curves = QUERIES.iter().map(|&query| bounds(parts, query, accuracy, None)).collect();
    Profile { curves, largest: largest_loss(parts) }
}

impl Profile {
    /// Encloses δ(ε), for any real ε.
    #[must_use]
    pub fn delta(&self, epsilon: f64) -> Enclosure {
        if epsilon.is_nan() {
            return Enclosure::new(0.0, 1.0);
        }
        if epsilon >= self.largest {
            return Enclosure::ZERO;
        }
        let (mut lo, mut hi) = (0.0f64, 1.0f64);
        for bounds in &self.curves {
            let found = bounds.delta(epsilon);
            (lo, hi) = (lo.max(found.lo()), hi.min(found.hi()));
        }
        Enclosure::new(lo, hi)
    }

    /// Encloses the least ε ≥ 0 with δ(ε) ≤ `delta`; infinite where there is none.
    #[must_use]
    pub fn epsilon(&self, delta: f64) -> Enclosure {
        if delta >= 1.0 {
            return Enclosure::ZERO;
        }
        invert(|epsilon| self.delta(epsilon), delta.max(0.0), self.largest)
    }

    /// Encloses f(α) = sup_ε 1 − δ(ε) − e^ε α, the least probability of a miss at a probability
    /// `level` of a false alarm.
    ///
    /// The curve from below is piecewise linear in e^ε, so its supremum is at a lattice point, or
    /// outside of the window: there δ is not below its value at the end.
    #[must_use]
    pub fn trade_off(&self, level: f64) -> Enclosure {
        if level.is_nan() {
            return Enclosure::new(0.0, 1.0);
        }
        let level = Enclosure::point(level.clamp(0.0, 1.0));
        let miss =
            |delta: f64, loss: Enclosure| Enclosure::ONE - Enclosure::point(delta) - loss.exp() * level;
        let Some(Bounds { lower, .. }) = self.curves.first() else { return Enclosure::new(0.0, 1.0) };
        let mut hi = 0.0f64;
        for place in (0..lower.len()).map(float::<usize>) {
            let loss = lower.loss(place);
            hi = hi.max(miss(lower.delta(loss.hi()), loss).hi());
        }
        let last = lower.loss(float(lower.len()) - 1.0);
        hi = hi.max((Enclosure::ONE - Enclosure::point(lower.delta(last.hi()))).hi());
        hi = hi.max(miss(lower.delta(f64::INFINITY), lower.loss(0.0)).hi());
        // Each ε gives a lower bound. In e^ε it is concave: a ternary search finds a good one.
        let at = |epsilon: f64| miss(self.delta(epsilon).hi(), Enclosure::point(epsilon)).lo();
        let reach = if self.largest.is_finite() {
            self.largest
        } else {
            self.curves.iter().fold(1.0, |reach, it| it.upper.loss(0.0).hi().max(reach))
        };
        let (mut left, mut right) = (last.lo().min(-reach), reach);
        let mut lo = at(right).max(0.0);
        for _ in 0..100 {
            let (a, b) = (left + (right - left) / 3.0, right - (right - left) / 3.0);
            let (at_a, at_b) = (at(a), at(b));
            lo = lo.max(at_a).max(at_b);
            if at_a < at_b { left = a } else { right = b }
        }
        // Guessing has 1 − α.
        Enclosure::new(lo, hi.min((Enclosure::ONE - level).hi())).probability()
    }

    /// Encloses sup_S P(S) − Q(S), the most by which a guess of P against Q is right more often
    /// than by tossing a coin.
    #[must_use]
    pub fn advantage(&self) -> Enclosure {
        self.delta(0.0)
    }
}
