//! What a side is made of.

use dp_core::rounding::Enclosure;

use crate::dots::Dots;
use crate::finite_law::FiniteLaw;
use crate::sampling::Direction;

use super::atoms::{Atoms, DiscreteGaussian};
use super::effort::Effort;
use super::laplace::ExponentialDensity;
use super::loss::Loss;
use super::sampled_gaussian::SampledGaussian;
use super::side::{Side, many};
use super::wide_gaussian::{WIDE, WideGaussian};

impl Side {
    /// Nothing composed yet.
    pub(crate) fn empty(effort: &Effort) -> Self {
        Self {
            effort: effort.clone(),
            gaussian: Enclosure::ZERO,
            parts: Vec::new(),
            log_finite: Enclosure::ZERO,
            log_total: Enclosure::ZERO,
            max_loss: Enclosure::ZERO,
        }
    }

    /// Gaussian losses at distance μ.
    pub(crate) fn add_gaussian(&mut self, mu: f64, count: u64) {
        self.gaussian = self.gaussian + many(count) * Enclosure::point(mu).square();
        if mu > 0.0 {
            self.limit(UNBOUNDED, count);
        }
    }

    /// The losses of the Laplace mechanism.
    pub(crate) fn add_laplace(&mut self, limit: f64, count: u64) {
        let law = ExponentialDensity::laplace(limit);
        self.add(Loss::ExponentialDensity(law), Enclosure::point(limit), count);
    }

    /// The losses of mechanisms of bounded range.
    pub(crate) fn add_bounded_range(&mut self, range: f64, count: u64) {
        let law = ExponentialDensity::bounded_range(range);
        self.add(Loss::ExponentialDensity(law), Enclosure::point(range), count);
    }

    /// Finitely many losses.
    pub(crate) fn add_law(&mut self, law: &FiniteLaw, count: u64) {
        self.add_atoms(&law.atoms, law.only_p, count);
    }

    /// Losses that bound those of a pair from one side. Their total mass is one only up to the distance between the bounds.
    pub(crate) fn add_dots(&mut self, dots: &Dots, count: u64) {
        let point = Enclosure::point;
        let atoms: Vec<_> =
            dots.losses.iter().zip(&dots.masses).map(|(&loss, &mass)| (point(loss), point(mass))).collect();
        let total = dots.masses.iter().fold(point(dots.infinite), |sum, &mass| sum + point(mass));
        self.log_total = self.log_total + many(count) * total.ln();
        self.add_atoms(&atoms, point(dots.infinite), count);
    }

    fn add_atoms(&mut self, losses: &[(Enclosure, Enclosure)], infinite: Enclosure, count: u64) {
        // What may be nothing, or too little for its logarithm, may as well be told.
        let (sure, unsure): (Vec<_>, Vec<_>) = losses
            .iter()
            .partition(|(loss, mass)| mass.lo() > 0.0 && loss.lo().is_finite() && loss.hi().is_finite());
        let infinite =
            unsure.iter().fold(infinite, |sum, (_, mass)| sum + Enclosure::new(0.0, mass.hi())).probability();
        let limit = sure.iter().fold(Enclosure::ZERO, |largest, (loss, _)| largest.max(*loss));
        self.add(Loss::Atoms(Atoms::new(sure)), limit, count);
        // Σ k·ln(1−δ): the logarithm of the chance that no loss is infinite.
        self.log_finite = self.log_finite + many(count) * (-infinite).ln_1p();
    }

    /// The losses of the discrete Gaussian.
    pub(crate) fn add_discrete_gaussian(&mut self, sigma: f64, shift: u32, count: u64) {
        let shift = f64::from(shift);
        let loss = if sigma < WIDE {
            Loss::DiscreteGaussian(DiscreteGaussian { sigma, shift })
        } else {
            Loss::WideGaussian(WideGaussian::new(sigma, shift))
        };
        self.add(loss, UNBOUNDED, count);
    }

    /// The losses of a Gaussian at distance μ under Poisson sampling.
    pub(crate) fn add_sampled_gaussian(&mut self, rate: f64, mu: f64, direction: Direction, count: u64) {
        let limit = match direction {
            Direction::Remove => UNBOUNDED,
            Direction::Add => -(-Enclosure::point(rate)).ln_1p(),
        };
        self.add(Loss::SampledGaussian(SampledGaussian { rate, mu, direction }), limit, count);
    }

    fn add(&mut self, loss: Loss, limit: Enclosure, count: u64) {
        self.limit(limit, count);
        self.parts.push((loss, count));
    }

    fn limit(&mut self, limit: Enclosure, count: u64) {
        if count > 0 {
            self.max_loss = self.max_loss + limit * many(count);
        }
    }
}

/// The largest loss where there is none.
const UNBOUNDED: Enclosure = Enclosure::point(f64::INFINITY);
