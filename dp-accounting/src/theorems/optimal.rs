//! The best that can be said about releases of which only ε and δ are known.

use dp_core::pairs::{DominatingPair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Approx, Error};

use super::atoms::{Atoms, count};

/// How many losses are listed at most.
const MOST_ATOMS: u64 = 1 << 22;
/// Beyond this many releases of a kind the list of their losses would be too long.
const MOST_RELEASES: u64 = 1 << 40;

/// The worst pair for releases that are (εᵢ,δᵢ)-private, each made kᵢ times, adaptively: optimal
/// composition.
///
/// **Theorem** (Kairouz, Oh and Viswanath 2015; Murtagh and Vadhan 2016 for different εᵢ). Every
/// (ε,δ)-private mechanism is a function of the response that releases the record with probability
/// δ and is an ε-private randomised response otherwise. Hence no composition of k of them is worse
/// than that of k such responses, whose loss is (k−2j)ε with the mass C(k,j)·e^((k−j)ε)/(1+e^ε)^k,
/// and
///
/// > δ(ε) = 1 − Π(1−δᵢ)^kᵢ · (1 − E(1 − e^(ε−L))₊),  L the sum of the losses.
///
/// It is exact, at every real ε. The time is √k for equal releases (a million takes milliseconds),
/// and the product of these for different ones: use it for few kinds, and the general accountant
/// for many.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimal {
    releases: Vec<(Approx, u64)>,
    atoms: Atoms,
    /// Encloses 1 − Π(1−δᵢ)^kᵢ.
    failure: Enclosure,
}

impl Optimal {
    /// The worst pair for these releases, each with how often it is made.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when the list of their losses would be too long: too many kinds, or
    /// more than 2⁴⁰ releases of a kind.
    pub fn new(releases: &[(Approx, u64)]) -> Result<Self, Error> {
        let too_long = Error::Unreachable {
            request: "the optimal composition of this many different releases",
            instead: "compose fewer kinds, round the ε of some of them up so that they become equal, or use the general accountant",
        };
        let mut atoms = Atoms::nothing();
        let mut log_success = Enclosure::ZERO;
        for &(each, times) in releases {
            if times == 0 {
                continue;
            }
            log_success = log_success + count(times) * (-Enclosure::point(each.delta().get())).ln_1p();
            if each.epsilon().get() == 0.0 {
                continue;
            }
            if each.epsilon().is_infinite() {
                log_success = Enclosure::point(f64::NEG_INFINITY);
                break;
            }
            if times > MOST_RELEASES {
                return Err(too_long);
            }
            let more = Atoms::responses(each.epsilon().get(), times);
            let size = |atoms: &Atoms| u64::try_from(atoms.list.len()).unwrap_or(u64::MAX);
            if size(&atoms).saturating_mul(size(&more)) > MOST_ATOMS {
                return Err(too_long);
            }
            atoms = atoms.and(&more);
        }
        let failure = (-log_success.exp_m1()).probability();
        Ok(Self { releases: releases.to_vec(), atoms, failure })
    }

    /// f + (1−f)·x
    fn or_failure(&self, probability: Enclosure) -> Enclosure {
        (self.failure + (Enclosure::ONE - self.failure) * probability).probability()
    }
}

impl DominatingPair for Optimal {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let point = Enclosure::point(epsilon);
        let expected = self.atoms.expect(|loss| {
            if loss.hi() <= epsilon {
                Enclosure::ZERO
            } else {
                (-(point - loss).exp_m1()).max(Enclosure::ZERO)
            }
        });
        let floor = (-point.exp_m1()).max(Enclosure::ZERO);
        self.or_failure(expected.probability()).max(floor).probability()
    }

    fn tail(&self, loss: f64) -> Enclosure {
        let above = |own: Enclosure| {
            Enclosure::new(if own.lo() > loss { 1.0 } else { 0.0 }, if own.hi() > loss { 1.0 } else { 0.0 })
        };
        self.or_failure(self.atoms.expect(above).probability())
    }

    /// The sum of the divergences of the responses; infinite with any δ.
    fn renyi(&self, order: Alpha) -> Enclosure {
        if self.failure.hi() > 0.0 {
            let certain = if self.failure.lo() > 0.0 { f64::INFINITY } else { 0.0 };
            return Enclosure::new(certain, f64::INFINITY);
        }
        self.releases.iter().filter(|(_, times)| *times > 0).fold(Enclosure::ZERO, |sum, (each, times)| {
            sum + count(*times) * RandomizedResponsePair::binary(each.epsilon()).renyi(order)
        })
    }

    fn max_loss(&self) -> f64 {
        if self.failure.hi() > 0.0 {
            return f64::INFINITY;
        }
        let losses = self.releases.iter().filter(|(_, times)| *times > 0);
        losses
            .fold(Enclosure::ZERO, |sum, (each, times)| {
                sum + count(*times) * Enclosure::point(each.epsilon().get())
            })
            .hi()
    }
}
