//! What a side is made of.

use std::sync::Arc;

use dp_core::rounding::Enclosure;

use crate::dots::Dots;
use crate::finite_law::FiniteLaw;
use crate::loss::UNBOUNDED;

use super::atoms::Atoms;
use super::effort::Effort;
use super::loss::Loss;
use super::side::{Side, many};

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

    /// Finitely many losses.
    pub(crate) fn add_law(&mut self, law: &FiniteLaw, count: u64) {
        self.add_atoms(&law.atoms, law.only_p, count);
    }

    /// Losses that bound those of a pair from one side. Their total mass is one only up to the
    /// distance between the bounds.
    pub(crate) fn add_dots(&mut self, dots: &Dots, count: u64) {
        let point = Enclosure::point;
        let atoms: Vec<_> =
            dots.losses.iter().zip(&dots.masses).map(|(&loss, &mass)| (point(loss), point(mass))).collect();
        let total = dots.masses.iter().fold(point(dots.infinite), |sum, &mass| sum + point(mass));
        self.log_total = self.log_total + many(count) * total.ln();
        self.add_atoms(&atoms, point(dots.infinite), count);
    }

    fn add_atoms(&mut self, losses: &[(Enclosure, Enclosure)], infinite: Enclosure, count: u64) {
        // What may be nothing, or too little for its logarithm, may as well count as infinite.
        let (sure, unsure): (Vec<_>, Vec<_>) = losses
            .iter()
            .partition(|(loss, mass)| mass.lo() > 0.0 && loss.lo().is_finite() && loss.hi().is_finite());
        let infinite =
            unsure.iter().fold(infinite, |sum, (_, mass)| sum + Enclosure::new(0.0, mass.hi())).probability();
        let limit = sure.iter().fold(Enclosure::ZERO, |largest, (loss, _)| largest.max(*loss));
        self.add(Loss::Other(Arc::new(Atoms::new(sure))), limit, count);
        // Σ k·ln(1−δ): the logarithm of the chance that no loss is infinite.
        self.log_finite = self.log_finite + many(count) * (-infinite).ln_1p();
    }

    /// A law of losses of which `limit` encloses the largest.
    pub(crate) fn add(&mut self, loss: Loss, limit: Enclosure, count: u64) {
        self.limit(limit, count);
        self.parts.push((loss, count));
    }

    fn limit(&mut self, limit: Enclosure, count: u64) {
        if count > 0 {
            self.max_loss = self.max_loss + limit * many(count);
        }
    }
}
