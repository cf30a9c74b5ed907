//! Losses with finitely many values, and what sampling makes of them.

use dp_core::Approx;
use dp_core::pairs::{DiscreteGaussianPair, FinitePair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;

/// A pair (P, Q) on finitely many outcomes, by losses.
#[derive(Clone, Debug)]
pub(crate) struct FiniteLaw {
    /// Losses that are finite, each with its mass under P.
    pub(crate) atoms: Vec<(Enclosure, Enclosure)>,
    /// What P gives to outcomes that Q does not have.
    pub(crate) only_p: Enclosure,
    /// What Q gives to outcomes that P does not have.
    pub(crate) only_q: Enclosure,
}

impl FiniteLaw {
    /// The law with these finite losses and nothing else.
    pub(crate) fn new(atoms: impl IntoIterator<Item = (Enclosure, Enclosure)>) -> Self {
        Self { atoms: atoms.into_iter().collect(), only_p: Enclosure::ZERO, only_q: Enclosure::ZERO }
    }

    /// Infinite loss: P and Q have no outcome in common.
    pub(crate) fn infinite() -> Self {
        Self { atoms: Vec::new(), only_p: Enclosure::ONE, only_q: Enclosure::ONE }
    }

    /// Two discrete Gaussians: the loss Δ(2x+Δ)/2σ² at x has the mass e^(−x²/2σ²)/Z under P.
    /// Nothing where there are too many of them, or where they are so far apart that one does not
    /// reach the other in floats.
    ///
    /// P is positive up to 38σ at least. What it has beyond, and what Q has there, at least 38σ − Δ
    /// ≥ 28σ from its own centre, is below e^(−28²/2)·(2 + σ) < 1e-165.
    pub(crate) fn discrete_gaussian(pair: DiscreteGaussianPair) -> Option<Self> {
        let point = Enclosure::point;
        let (width, shift) = (pair.sigma().get(), f64::from(pair.shift()));
        if !Self::has_discrete_gaussian(&pair) {
            return None;
        }
        let (sigma, reach) = (point(width), libm::ceil(38.0 * width));
        let (mut weights, mut x) = (Vec::new(), -reach);
        while x <= reach {
            let loss = point(shift) * point(2.0 * x + shift) / (sigma.square() * point(2.0));
            weights.push((loss, (-((point(x) / sigma).square() * point(0.5))).exp()));
            x += 1.0;
        }
        let rest = Enclosure::new(0.0, 1e-165);
        let total = weights.iter().fold(rest, |sum, (_, weight)| sum + *weight);
        let atoms = weights.into_iter().map(|(loss, weight)| (loss, weight / total)).collect();
        Some(Self { atoms, only_p: rest, only_q: rest })
    }

    /// Whether that is few losses, and one Gaussian reaches the other.
    pub(crate) fn has_discrete_gaussian(pair: &DiscreteGaussianPair) -> bool {
        let (width, shift) = (pair.sigma().get(), f64::from(pair.shift()));
        width <= 100.0 && shift <= 10.0 * width
    }

    /// The worst (ε,δ)-private pair (Kairouz, Oh and Viswanath 2015): with probability δ the loss
    /// is infinite, otherwise that of ε-randomised response.
    pub(crate) fn approx(guarantee: &Approx) -> Self {
        let infinite = Enclosure::point(guarantee.delta().get());
        let kept = Enclosure::ONE - infinite;
        let response = RandomizedResponsePair::binary(guarantee.epsilon()).losses();
        let atoms = response.into_iter().map(|(loss, mass)| (loss, mass * kept)).collect();
        Self { atoms, only_p: infinite, only_q: infinite }
    }

    /// The law of an explicit pair.
    pub(crate) fn of(pair: &FinitePair) -> Self {
        let mut law = Self::new([]);
        for &(p, q) in pair.outcomes() {
            if q.hi() == 0.0 {
                law.only_p = law.only_p + p;
            } else if p.hi() == 0.0 {
                law.only_q = law.only_q + q;
            } else if p.lo() > 0.0 && q.lo() > 0.0 {
                law.atoms.push(((p / q).ln(), p));
            } else {
                // A probability lost to underflow: all of it may have an infinite loss, or none.
                law.only_p = law.only_p + Enclosure::new(0.0, p.hi());
                law.only_q = law.only_q + Enclosure::new(0.0, q.hi());
            }
        }
        law
    }

    /// Q against P.
    pub(crate) fn reversed(&self) -> Self {
        let atoms = self.atoms.iter().map(|&(loss, mass)| (-loss, mass * (-loss).exp())).collect();
        Self { atoms, only_p: self.only_q, only_q: self.only_p }
    }

    /// (1−q)Q + qP against Q: with r = e^ℓ the ratio is 1 − q + qr, and Q has the mass p/r.
    pub(crate) fn mixed(&self, rate: Enclosure) -> Self {
        let unsampled = Enclosure::ONE - rate;
        let mut atoms: Vec<(Enclosure, Enclosure)> = self.atoms.iter().map(|&atom| mix(atom, rate)).collect();
        if self.only_q.hi() > 0.0 && unsampled.lo() > 0.0 {
            atoms.push((unsampled.ln(), unsampled * self.only_q));
        }
        let only_q = if unsampled.lo() > 0.0 { Enclosure::ZERO } else { self.only_q };
        Self { atoms, only_p: rate * self.only_p, only_q }
    }

    /// The pair of sampling without replacement under replace-one: above a loss of zero ((1−γ)Q +
    /// γP, Q), below it (P, (1−γ)P + γQ), and what is left of either at a loss of zero. See
    /// [`WithoutReplacement`](crate::sampling::WithoutReplacement).
    pub(crate) fn without_replacement(&self, rate: Enclosure) -> Self {
        let of_sign = |above: bool| Self {
            atoms: self
                .atoms
                .iter()
                .copied()
                .filter(|(loss, _)| if above { loss.lo() > 0.0 } else { loss.hi() < 0.0 })
                .collect(),
            only_p: if above { self.only_p } else { Enclosure::ZERO },
            only_q: if above { Enclosure::ZERO } else { self.only_q },
        };
        let above = of_sign(true).mixed(rate);
        let below = of_sign(false).reversed().mixed(rate).reversed();
        let mut law = Self { only_p: above.only_p, only_q: below.only_q, atoms: above.atoms };
        law.atoms.extend(below.atoms);
        let placed = law.atoms.iter().fold(law.only_p, |sum, (_, mass)| sum + *mass);
        let left = (Enclosure::ONE - placed).probability();
        law.atoms.push((Enclosure::ZERO, left));
        law
    }
}

/// An outcome of loss ℓ and mass p under sampling: its loss ln(1 − q + qe^ℓ) and its mass p·(q +
/// (1−q)e^−ℓ).
///
/// Three forms of the loss, each narrow where another is not: near zero, for losses that overflow,
/// and for rates near one. All of them hold, and so does what they have in common.
fn mix((loss, mass): (Enclosure, Enclosure), rate: Enclosure) -> (Enclosure, Enclosure) {
    let unsampled = Enclosure::ONE - rate;
    let share = rate + unsampled * (-loss).exp();
    let forms = [(rate * loss.exp_m1()).ln_1p(), loss + share.ln(), (unsampled + rate * loss.exp()).ln()];
    let lo = forms.iter().map(|form| form.lo()).fold(f64::NEG_INFINITY, f64::max);
    let hi = forms.iter().map(|form| form.hi()).fold(f64::INFINITY, f64::min);
    (Enclosure::new(lo, hi), mass * share)
}
