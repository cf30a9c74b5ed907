//! Losses with finitely many values.

use dp_core::rounding::Enclosure;

use super::cloud::{Cloud, Point};
use super::components::Components;
use super::effort::Effort;
use super::loss::{MomentFunction, Tilted};
use super::measure::Moments;
use super::{UNIT, float};

/// Finitely many losses with their masses under P.
#[derive(Clone, Debug)]
pub(super) struct Atoms {
    /// At c = 0.
    points: Vec<Point>,
}

impl Atoms {
    /// The law with these finite losses and positive masses.
    pub(super) fn new(losses: impl IntoIterator<Item = (Enclosure, Enclosure)>) -> Self {
        let middle = |e: Enclosure| e.lo() + (e.hi() - e.lo()) / 2.0;
        let radius = |e: Enclosure| ((e.hi() - e.lo()) / 2.0 + e.hi().abs().max(e.lo().abs()) * UNIT) * 1.01;
        let points = losses.into_iter().map(|(loss, mass)| {
            let log_mass = mass.ln();
            Point {
                loss: middle(loss),
                loss_error: radius(loss),
                log_mass: middle(log_mass),
                log_mass_error: radius(log_mass),
            }
        });
        Self { points: points.collect() }
    }

    /// What the moments at one tilt take; a line takes twice that.
    fn work(&self) -> f64 {
        40.0 * float(self.points.len()) + 450.0
    }

    /// The tilted law at c. Nothing when that takes too much.
    fn cloud(&self, c: f64, work: f64, effort: &Effort) -> Option<Cloud> {
        if !effort.allows(work) {
            return None;
        }
        let tilted: Vec<Point> = self.points.iter().map(|point| tilted(*point, c)).collect();
        Some(Cloud::new(&tilted, 0.0))
    }
}

impl MomentFunction for Atoms {
    fn moments(&self, c: f64, _: f64, effort: &Effort) -> Option<Moments> {
        self.cloud(c, self.work(), effort).map(|cloud| cloud.moments(c))
    }

    fn tilt(&self, c: f64, _: f64, effort: &Effort) -> Option<Tilted> {
        self.cloud(c, 2.0 * self.work(), effort)
            .map(|cloud| Tilted::of_cloud(cloud, c, Components::default()))
    }
}

fn tilted(point: Point, c: f64) -> Point {
    let lift = c * point.loss;
    let log_mass = point.log_mass + lift;
    let rounding = (lift.abs() + log_mass.abs()) * UNIT;
    Point { log_mass, log_mass_error: point.log_mass_error + c.abs() * point.loss_error + rounding, ..point }
}
