//! The law of a loss, as the engine sees it: a moment function off the real line.

use core::fmt;
use std::sync::Arc;

use super::cloud::Cloud;
use super::components::Components;
use super::effort::Effort;
use super::float;
use super::measure::Moments;
use super::sampled_gaussian::SampledGaussian;
use super::windowed::Windowed;

/// The moment function M(s) = E e^(sL) of a loss L, for s = c + iy. Gaussian losses need none: they
/// add up in closed form.
///
/// # Contract
/// Each result encloses what it is named after, and the same question has the same result. Work is
/// taken from `effort` before it is done.
pub(crate) trait MomentFunction: fmt::Debug + Send + Sync {
    /// ln M(c), to a relative error of M of about e^−accuracy where it is a choice. Nothing when
    /// that takes more effort than is left.
    fn moments(&self, c: f64, accuracy: f64, effort: &Effort) -> Option<Moments>;

    /// The law tilted at c > 0, good for |y| ≤ reach. Nothing when that takes too much.
    fn tilt(&self, c: f64, reach: f64, effort: &Effort) -> Option<Tilted>;
}

/// The values along the line through c.
pub(crate) trait TiltedLoss {
    /// An upper bound on ln |M(c+iy)/M(c)| for all y ≥ reach.
    fn log_decay(&self, reach: f64) -> f64;

    /// How many terms one value takes.
    fn size(&self) -> f64;

    /// Calls back with M(c+iy)/M(c) at y = step·j for j below `count`: real part, imaginary part,
    /// bound on the error.
    fn along(&self, step: f64, count: usize, found: &mut dyn FnMut(usize, f64, f64, f64));
}

/// The law of a loss. Subsampled Gaussians are kept apart, because they can be [split](super::rare)
/// into ordinary and rare losses.
#[derive(Clone, Debug)]
pub(crate) enum Loss {
    SampledGaussian(SampledGaussian),
    /// A part of one.
    Windowed(Windowed),
    Other(Arc<dyn MomentFunction>),
}

/// A law tilted by e^(cL)/M(c).
pub(crate) struct Tilted {
    pub(super) moments: Moments,
    line: Box<dyn TiltedLoss>,
}

impl Loss {
    /// Whether few runs are better discretised: their law is nearly an atom.
    pub(crate) fn gains_from_grids(&self) -> bool {
        matches!(self, Self::SampledGaussian(_))
    }

    /// As [`MomentFunction::moments`].
    pub(super) fn moments(&self, c: f64, accuracy: f64, effort: &Effort) -> Option<Moments> {
        match self {
            Self::SampledGaussian(law) => law.moments(c, accuracy, effort),
            Self::Windowed(law) => law.moments(c, accuracy, effort),
            Self::Other(law) => law.moments(c, accuracy, effort),
        }
    }

    /// As [`MomentFunction::tilt`].
    pub(super) fn tilt(&self, c: f64, reach: f64, effort: &Effort) -> Option<Tilted> {
        match self {
            Self::SampledGaussian(law) => {
                law.tilt(c, reach, effort).map(|(cloud, components)| Tilted::of_cloud(cloud, c, components))
            }
            Self::Windowed(law) => {
                law.tilt(c, reach, effort).map(|cloud| Tilted::of_cloud(cloud, c, Components::default()))
            }
            Self::Other(law) => law.tilt(c, reach, effort),
        }
    }
}

impl Tilted {
    pub(crate) fn new(moments: Moments, line: impl TiltedLoss + 'static) -> Self {
        Self { moments, line: Box::new(line) }
    }

    /// A law that is given by weighted points, and its uniform components.
    pub(crate) fn of_cloud(cloud: Cloud, c: f64, components: Components) -> Self {
        Self::new(cloud.moments(c), TiltedCloud(cloud, components))
    }

    /// As [`TiltedLoss::log_decay`].
    pub(super) fn log_decay(&self, reach: f64) -> f64 {
        self.line.log_decay(reach)
    }

    /// As [`TiltedLoss::size`].
    pub(super) fn size(&self) -> f64 {
        self.line.size()
    }

    /// As [`TiltedLoss::along`].
    pub(super) fn along(&self, step: f64, count: usize, mut found: impl FnMut(usize, f64, f64, f64)) {
        self.line.along(step, count, &mut found);
    }
}

/// Weighted points, and the uniform components of the law that they stand for.
struct TiltedCloud(Cloud, Components);

impl TiltedLoss for TiltedCloud {
    fn log_decay(&self, reach: f64) -> f64 {
        self.1.log_decay(reach)
    }

    fn size(&self) -> f64 {
        20.0 + float(self.0.cost())
    }

    fn along(&self, step: f64, count: usize, found: &mut dyn FnMut(usize, f64, f64, f64)) {
        self.0.along(step, count, found);
    }
}
