//! The composition in one direction.

use dp_core::rounding::Enclosure;

use super::UNIT;
use super::effort::Effort;
use super::line::Value;
use super::logarithm::{Logarithm, Product, with_gaussian};
use super::loss::{Loss, Tilted};
use super::measure::{Measure, Moments, Tilting};

/// All losses of a composition in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Σ μ² over the Gaussian parts.
    pub(super) gaussian: Enclosure,
    /// The other parts, and how often each occurs.
    pub(super) parts: Vec<(Loss, u64)>,
    /// Encloses the logarithm of the probability that no loss is infinite, as if all laws were of
    /// mass one.
    pub(super) log_finite: Enclosure,
    /// Encloses the logarithm of the total mass.
    pub(super) log_total: Enclosure,
    /// Encloses the largest sum of losses that are finite.
    pub(super) max_loss: Enclosure,
    /// What may still be done for the answer.
    pub(super) effort: Effort,
}

/// The composition tilted at c.
pub(super) struct Tilt {
    pub(super) moments: Moments,
    /// Σ μ², the dither included.
    pub(super) gaussian: Enclosure,
    pub(super) parts: Vec<(Tilted, u64)>,
}

/// This many groups of parts are looked at by a [pilot](Side::pilot).
const PILOT: usize = 48;

impl Side {
    /// What may still be done for the answer.
    pub(crate) fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Encloses the mass of infinite losses.
    ///
    /// Laws of mass Tᵢ, of which δᵢ is infinite, have ΠTᵢ − Π(Tᵢ−δᵢ) = ΠTᵢ·(1 − Π(1−δᵢ/Tᵢ))
    /// together, which lies between 1 − Π(1−δᵢ) and ΠTᵢ times that, since the Tᵢ are all at least
    /// one (bounds from above) or all at most one (from below).
    pub(super) fn infinite(&self) -> Enclosure {
        let of_mass_one = -self.log_finite.exp_m1();
        let factor = self.log_total.exp();
        (of_mass_one * Enclosure::new(factor.lo().min(1.0), factor.hi().max(1.0))).probability()
    }

    /// How accurate quick moments of each part are to be: to e^−16 over the number of runs.
    pub(super) fn accuracy(&self) -> f64 {
        let runs = self.parts.iter().fold(1.0, |sum, (_, count)| sum + many(*count).hi());
        16.0 + libm::log(runs)
    }

    pub(super) fn gaussian_moments(&self, c: f64, dither: f64) -> Moments {
        let (gaussian, point) = (self.gaussian + Enclosure::point(dither), Enclosure::point(c));
        let log_moment = gaussian * point * (point + Enclosure::ONE) * Enclosure::point(0.5);
        Moments { c, log_moment, mean: gaussian.hi() * (c + 0.5), variance: gaussian.hi() }
    }

    /// A few of the parts, which stand for the others: they show where to look, at a small part of
    /// the price, and prove nothing. Nothing where there are few parts anyway.
    pub(super) fn pilot(&self) -> Option<Self> {
        let size = self.parts.len() / PILOT;
        if size < 2 {
            return None;
        }
        let parts = self.parts.chunks(size).enumerate().map(|(i, group)| {
            // At a place that wanders through the groups, so that kinds which come in turns are all
            // met.
            let (loss, _) = &group[i * 7919 % group.len()];
            (loss.clone(), group.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count)))
        });
        Some(Self { parts: parts.collect(), effort: self.effort.clone(), ..*self })
    }
}

impl Measure for Side {
    type Tilted = Tilt;

    fn moments(&self, c: f64, dither: f64) -> Option<Moments> {
        let accuracy = self.accuracy();
        let mut sum = self.gaussian_moments(c, dither);
        for (loss, count) in &self.parts {
            sum.add(loss.moments(c, accuracy, &self.effort)?, *count);
        }
        sum.known()
    }

    fn tilt(&self, c: f64, reach: f64, dither: f64) -> Option<Tilt> {
        let mut moments = self.gaussian_moments(c, dither);
        let mut parts = Vec::with_capacity(self.parts.len());
        for (loss, count) in &self.parts {
            let tilted = loss.tilt(c, reach, &self.effort)?;
            moments.add(tilted.moments, *count);
            parts.push((tilted, *count));
        }
        Some(Tilt { moments: moments.known()?, gaussian: self.gaussian + Enclosure::point(dither), parts })
    }

    fn likely_reach(&self, at: &Moments, wanted: f64) -> f64 {
        libm::sqrt(2.0 * wanted / at.variance)
    }

    fn mass(&self) -> f64 {
        self.log_total.exp().hi().max(1.0)
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn effort(&self) -> &Effort {
        self.effort()
    }
}

impl Tilting for Tilt {
    fn moments(&self) -> Moments {
        self.moments
    }

    fn size(&self) -> f64 {
        1.0 + self.parts.iter().map(|(part, _)| part.size()).sum::<f64>()
    }

    fn log_decay(&self, reach: f64) -> f64 {
        let gaussian = -0.5 * self.gaussian.lo() * reach * reach * (1.0 - 8.0 * UNIT);
        self.parts.iter().fold(gaussian, |sum, (part, count)| sum + many(*count).lo() * part.log_decay(reach))
    }

    fn values(&self, step: f64, count: usize) -> Vec<Value> {
        let mut products = vec![Product::one(); count];
        for (part, times) in &self.parts {
            let times = many(*times).hi();
            part.along(step, count, |j, re, im, error| products[j].multiply(times, re, im, error));
        }
        let mut sums: Vec<Logarithm> = products.into_iter().map(Product::logarithm).collect();
        with_gaussian(&mut sums, self.gaussian, self.moments.c, step);
        sums.into_iter().map(Logarithm::value).collect()
    }
}

/// Encloses a count.
#[allow(clippy::cast_precision_loss, reason = "both neighbours are taken where the float is not exact")]
pub(crate) fn many(count: u64) -> Enclosure {
    let near = count as f64;
    if count < 1 << 53 {
        Enclosure::point(near)
    } else {
        Enclosure::new(near * (1.0 - 2.0 * UNIT), near * (1.0 + 2.0 * UNIT))
    }
}
