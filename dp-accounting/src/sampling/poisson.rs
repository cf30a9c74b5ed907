//! Poisson sampling: each record is looked at with probability q, on its own.

use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Error};

use super::TwoSided;
use super::threshold::{base_loss, mixture_loss, profile, reference_tail, tail, within_profile_limits};

/// Which of two neighbours has one record more: whether it is removed or added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The first data set has it: what does its removal show?
    Remove,
    /// The second data set has it: what does its addition show?
    Add,
}

/// The pair of a mechanism on a Poisson sample, under add/remove.
///
/// **Theorem** (Zhu, Dong and Wang 2022, Theorem 11). Let (P, Q) dominate the mechanism for every
/// pair of data sets of which the first has one record more, and let each record be sampled with
/// probability q. Then the sampled mechanism is dominated by
///
/// > ((1−q)Q + qP, Q)  when a record is removed,  (Q, (1−q)Q + qP)  when one is added.
///
/// Both directions are needed, and the guarantee is the worse one. The base pair is that of the
/// *add/remove* sensitivity: a sum of vectors of norm at most C has μ = C/σ, although replacing a
/// record moves it by up to 2C.
///
/// With t(ε) = ln(1 + (e^ε − 1)/q), sup_S of (1−q)Q(S) + qP(S) − e^ε Q(S) = q·(P(S) − e^t(ε) Q(S))
/// and of Q(S) − e^ε((1−q)Q(S) + qP(S)) = c·(Q(S) − e^−t(−ε) P(S)), c = 1 − (1−q)e^ε, gives the
/// profiles
///
/// > remove: q·δ(t(ε)), and 1 − e^ε for ε ≤ ln(1−q);  add: c·δ'(−t(−ε)), and 0 for c ≤ 0,
///
/// δ being the profile of (P, Q) and δ' that of (Q, P). They are as accurate, relatively, as those
/// of the base pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson<P> {
    base: P,
    rate: f64,
    direction: Direction,
}

impl<P: TwoSided> Poisson<P> {
    /// The pair for a mechanism with the pair `base` on samples that contain each record with
    /// probability `rate`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the rate does not lie in [0, 1].
    pub fn new(base: P, rate: f64, direction: Direction) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&rate) {
            return Err(Error::OutOfRange { argument: "rate", allowed: "[0, 1]", found: rate });
        }
        Ok(Self { base, rate, direction })
    }

    /// The pair of the mechanism itself.
    #[must_use]
    pub const fn base(&self) -> &P {
        &self.base
    }

    /// The probability with which a record is sampled.
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// Which of the two pairs this is.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    fn q(&self) -> Enclosure {
        Enclosure::point(self.rate)
    }

    /// The pair that this is without any mixing: the trivial one, or the base in this direction.
    fn unmixed<T>(&self, trivial: T, of: impl Fn(&P) -> T) -> Option<T> {
        if self.rate == 0.0 {
            return Some(trivial);
        }
        (self.rate == 1.0).then(|| match self.direction {
            Direction::Remove => of(&self.base),
            Direction::Add => of(&self.base.reversed()),
        })
    }
}

impl<P: TwoSided> DominatingPair for Poisson<P> {
    fn delta(&self, epsilon: f64) -> Enclosure {
        if let Some(simple) = self.unmixed(Enclosure::ZERO, |base| base.delta(epsilon)) {
            return within_profile_limits(simple, epsilon);
        }
        let computed = match self.direction {
            Direction::Remove => self.q() * profile(&self.base, base_loss(epsilon, self.q())),
            Direction::Add => {
                if epsilon >= (-(-self.q()).ln_1p()).hi() {
                    return Enclosure::ZERO; // c ≤ 0
                }
                let point = Enclosure::point(epsilon);
                // c without cancellation: of two positive terms below zero, and above it the one
                // subtraction that makes c vanish where it must.
                let share = if epsilon < 0.0 {
                    self.q() * point.exp() - point.exp_m1()
                } else {
                    (self.q() + (-point).exp_m1()).max(Enclosure::ZERO) * point.exp()
                };
                share * profile(&self.base.reversed(), -base_loss(-epsilon, self.q()))
            }
        };
        within_profile_limits(computed, epsilon)
    }

    /// Removed: the loss passes t where that of the base pair passes t' = t(t), which has the
    /// probability (1−q)·Q + q·P of that event. Added: the loss under Q passes t where that of
    /// (Q, P) passes −t(−t).
    fn tail(&self, loss: f64) -> Enclosure {
        let trivial = if loss < 0.0 { Enclosure::ONE } else { Enclosure::ZERO };
        if let Some(simple) = self.unmixed(trivial, |base| base.tail(loss)) {
            return simple;
        }
        match self.direction {
            Direction::Remove => mixture_tail(&self.base, self.q(), loss),
            Direction::Add => {
                let there = base_loss(-loss, self.q());
                if there.hi() == f64::NEG_INFINITY {
                    return Enclosure::ZERO; // no ratio is below 1 − q
                }
                let computed = tail(&self.base.reversed(), -there);
                Enclosure::new(
                    if there.lo() == f64::NEG_INFINITY { 0.0 } else { computed.lo() },
                    computed.hi(),
                )
            }
        }
    }

    fn renyi(&self, order: Alpha) -> Enclosure {
        self.unmixed(Enclosure::ZERO, |base| base.renyi(order))
            .unwrap_or_else(|| self.base.mixture_renyi(self.q(), self.direction, order))
    }

    fn max_loss(&self) -> f64 {
        self.unmixed(0.0, DominatingPair::max_loss).unwrap_or_else(|| match self.direction {
            Direction::Remove => mixture_loss(Enclosure::point(self.base.max_loss()), self.q()).hi(),
            Direction::Add => {
                let lowest = -self.base.reversed().max_loss();
                (-(self.q() * Enclosure::point(lowest).exp_m1()).ln_1p()).hi()
            }
        })
    }
}

impl<P: TwoSided> TwoSided for Poisson<P> {
    fn is_symmetric(&self) -> bool {
        false
    }

    /// The other direction.
    fn reversed(&self) -> Self {
        let direction = match self.direction {
            Direction::Remove => Direction::Add,
            Direction::Add => Direction::Remove,
        };
        Self { base: self.base.clone(), rate: self.rate, direction }
    }
}

/// Encloses the tail of the loss of ((1−q)Q + qP, Q).
pub(super) fn mixture_tail<P: TwoSided>(base: &P, rate: Enclosure, loss: f64) -> Enclosure {
    let there = base_loss(loss, rate);
    if there.hi() == f64::NEG_INFINITY && Enclosure::point(loss).exp_m1().hi() < -rate.hi() {
        return Enclosure::ONE; // all ratios are at least 1 − q
    }
    let mixed = rate * tail(base, there) + (Enclosure::ONE - rate) * reference_tail(base, there);
    let computed = mixed.probability();
    Enclosure::new(computed.lo(), if there.lo() == f64::NEG_INFINITY { 1.0 } else { computed.hi() })
}
