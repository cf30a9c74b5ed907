//! Sampling without replacement: b of n records, all subsets alike.

use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Error};

use super::TwoSided;
use super::poisson::mixture_tail;
use super::threshold::{base_loss, mixture_loss, profile, reference_tail, within_profile_limits};

/// The pair of a mechanism on b of n records, under replace-one.
///
/// **Theorem** (Balle, Barthe and Gaboardi 2018; as a pair Zhu, Dong and Wang 2022). Let (P, Q)
/// dominate the mechanism on samples of b records of which one is *replaced*, and let the sample be
/// a uniform subset of b of the n records, γ = b/n. With h(k) the profile of (P, Q) at ε = ln k,
/// the sampled mechanism has at k ≥ 1
///
/// > δ(ln k) ≤ γ·h(1 + (k−1)/γ),
///
/// which is the profile of ((1−γ)Q + γP, Q), and the reverse of it below: δ(−ε) ≤ 1 − e^−ε +
/// e^−ε·δ(ε).
///
/// *Proof.* Given that the replaced record is in the sample, call the outputs on the two data sets
/// A and A'; given that it is not, B for both. Then sup γA + (1−γ)B − k(γA' + (1−γ)B) = γ·sup
/// A − k'((1−β)B + βA') with k' = 1 + (k−1)/γ and β = k/k' ≤ 1, which is convex in the second
/// argument. A and A' are mixtures over the same other records, and A and B over the same b−1
/// others and one that takes the place of the record: each pair of samples has one record replaced,
/// so both are at most γ·h(k'). Neighbours are symmetric, which gives the part below k = 1. ∎
///
/// These bounds *are* a profile: convex on both sides of k = 1, and there the slope rises, from
/// −1 + γh(1) − h'(1) to h'(1), by at least (1−γ)·h(1): that is the mass at the loss 0, which
/// neither P nor Q has. The pair is its own reverse. The base pair is that of the *replace-one*
/// sensitivity: a sum of vectors of norm at most C has μ = 2C/σ. Where it is not symmetric, the
/// larger of its two profiles is taken for h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithoutReplacement<P> {
    base: P,
    size: u64,
    batch: u64,
    /// Encloses b/n.
    share: Enclosure,
}

impl<P: TwoSided> WithoutReplacement<P> {
    /// The pair for a mechanism with the pair `base` on samples of `batch` of `size` records.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when there are no records, [`Error::Above`] when there are fewer than
    /// are sampled.
    pub fn new(base: P, size: u64, batch: u64) -> Result<Self, Error> {
        if size == 0 {
            let argument = "the number of records";
            return Err(Error::OutOfRange { argument, allowed: "[1, ∞)", found: 0.0 });
        }
        if batch > size {
            let (argument, limit) = ("the number of sampled records", "the number of records");
            return Err(Error::Above { argument, found: count(batch).hi(), limit, most: count(size).hi() });
        }
        Ok(Self { base, size, batch, share: count(batch) / count(size) })
    }

    /// The pair of the mechanism itself.
    #[must_use]
    pub const fn base(&self) -> &P {
        &self.base
    }

    /// The number of records, and how many of them are sampled.
    #[must_use]
    pub const fn sizes(&self) -> (u64, u64) {
        (self.size, self.batch)
    }

    /// Encloses γ = b/n.
    #[must_use]
    pub const fn share(&self) -> Enclosure {
        self.share
    }

    /// The largest over the sides that the base pair has.
    fn worst(&self, of: impl Fn(&P) -> Enclosure) -> Enclosure {
        let own = of(&self.base);
        if self.base.is_symmetric() { own } else { own.max(of(&self.base.reversed())) }
    }

    /// Encloses what is true of one of the sides, it is not known of which.
    fn either(&self, of: impl Fn(&P) -> Enclosure) -> Enclosure {
        let own = of(&self.base);
        if self.base.is_symmetric() {
            return own;
        }
        let other = of(&self.base.reversed());
        Enclosure::new(own.lo().min(other.lo()), own.hi().max(other.hi()))
    }

    /// Encloses the profile at ε ≥ 0.
    fn upper_half(&self, epsilon: f64) -> Enclosure {
        if self.batch == 0 {
            return Enclosure::ZERO;
        }
        let there =
            if self.batch == self.size { Enclosure::point(epsilon) } else { base_loss(epsilon, self.share) };
        self.share * self.worst(|base| profile(base, there))
    }
}

/// Encloses a count, which may not be a float.
fn count(count: u64) -> Enclosure {
    #[allow(clippy::cast_precision_loss)] // a neighbour on either side is added where it matters
    let near = count as f64;
    if count < 1 << 53 { Enclosure::point(near) } else { Enclosure::new(near.next_down(), near.next_up()) }
}

impl<P: TwoSided> DominatingPair for WithoutReplacement<P> {
    fn delta(&self, epsilon: f64) -> Enclosure {
        if epsilon >= 0.0 {
            return within_profile_limits(self.upper_half(epsilon), epsilon);
        }
        let point = Enclosure::point(epsilon);
        within_profile_limits(point.exp() * self.upper_half(-epsilon) - point.exp_m1(), epsilon)
    }

    /// From 0 on, that of the mixture; below, where the loss under P is that of −L under Q, one
    /// minus Q(L ≥ −t).
    fn tail(&self, loss: f64) -> Enclosure {
        if self.batch == 0 {
            return if loss < 0.0 { Enclosure::ONE } else { Enclosure::ZERO };
        }
        if loss >= 0.0 {
            return self.either(|base| mixture_tail(base, self.share, loss));
        }
        let there = base_loss(-loss, self.share);
        let at_least = |base: &P| {
            let least = reference_tail(base, Enclosure::point(there.hi()));
            let most = reference_tail(base, Enclosure::point(there.lo().next_down()));
            Enclosure::new(least.lo(), most.hi())
        };
        let beyond = self.either(at_least);
        (Enclosure::ONE - beyond).probability()
    }

    fn renyi(&self, order: Alpha) -> Enclosure {
        if self.batch == 0 {
            return Enclosure::ZERO;
        }
        self.base.symmetrised_renyi(self.share, order).min(Enclosure::point(self.max_loss()))
    }

    fn max_loss(&self) -> f64 {
        if self.batch == 0 {
            return 0.0;
        }
        let most = self.worst(|base| Enclosure::point(base.max_loss())).hi();
        if self.batch == self.size { most } else { mixture_loss(Enclosure::point(most), self.share).hi() }
    }
}

impl<P: TwoSided> TwoSided for WithoutReplacement<P> {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        self.clone()
    }
}
