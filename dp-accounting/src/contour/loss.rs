//! The privacy loss of one mechanism in one direction, as the engine sees it.

use super::atoms::{Atoms, DiscreteGaussian};
use super::cloud::Cloud;
use super::components::Components;
use super::effort::Effort;
use super::float;
use super::laplace::ExponentialDensity;
use super::measure::Moments;
use super::sampled_gaussian::SampledGaussian;
use super::wide_gaussian::WideGaussian;
use super::windowed::Windowed;

/// A law of losses whose moment function is known off the real line. Gaussian losses are not among them: they add up in closed form.
#[derive(Clone, Debug)]
pub(super) enum Loss {
    ExponentialDensity(ExponentialDensity),
    Atoms(Atoms),
    DiscreteGaussian(DiscreteGaussian),
    WideGaussian(WideGaussian),
    SampledGaussian(SampledGaussian),
    Windowed(Windowed),
}

/// A law tilted by e^(cL)/M(c).
pub(super) struct Tilted {
    pub(super) moments: Moments,
    form: Form,
}

enum Form {
    ExponentialDensity(ExponentialDensity, f64, Components),
    WideGaussian(WideGaussian, f64),
    Cloud(Cloud, Components),
}

impl Loss {
    /// ln M(c), to a relative error of M of about e^−accuracy where it is a choice. Nothing when that takes more effort than is left.
    pub(super) fn moments(&self, c: f64, accuracy: f64, effort: &Effort) -> Option<Moments> {
        match self {
            Self::ExponentialDensity(law) if effort.allows(200.0) => law.moments(c),
            Self::ExponentialDensity(_) => None,
            Self::Atoms(atoms) => effort.allows(atoms.work()).then(|| atoms.tilt(c).moments(c)),
            Self::DiscreteGaussian(law) if law.sigma >= 2.0 => {
                Some(WideGaussian::new(law.sigma, law.shift).moments(c))
            }
            Self::DiscreteGaussian(law) if effort.allows(law.work()) => Some(law.tilt(c)?.moments(c)),
            Self::DiscreteGaussian(_) => None,
            Self::WideGaussian(law) => Some(law.moments(c)),
            Self::SampledGaussian(law) => law.moments(c, accuracy, effort),
            Self::Windowed(law) => law.moments(c, accuracy, effort),
        }
    }

    /// The law tilted at c > 0, good for |y| ≤ reach. Nothing when that takes too much.
    pub(super) fn tilt(&self, c: f64, reach: f64, effort: &Effort) -> Option<Tilted> {
        let of_cloud = |cloud: Cloud, components| Tilted {
            moments: cloud.moments(c),
            form: Form::Cloud(cloud, components),
        };
        match self {
            Self::ExponentialDensity(law) => law.moments(c).map(|moments| Tilted {
                moments,
                form: Form::ExponentialDensity(*law, c, law.components(c)),
            }),
            Self::Atoms(atoms) => {
                effort.allows(2.0 * atoms.work()).then(|| of_cloud(atoms.tilt(c), Components::default()))
            }
            Self::DiscreteGaussian(law) if effort.allows(law.work()) => {
                law.tilt(c).map(|cloud| of_cloud(cloud, Components::default()))
            }
            Self::DiscreteGaussian(_) => None,
            Self::WideGaussian(law) => law
                .reaches(reach)
                .then(|| Tilted { moments: law.moments(c), form: Form::WideGaussian(*law, c) }),
            Self::Windowed(law) => {
                law.tilt(c, reach, effort).map(|cloud| of_cloud(cloud, Components::default()))
            }
            Self::SampledGaussian(law) => {
                law.tilt(c, reach, effort).map(|(cloud, components)| of_cloud(cloud, components))
            }
        }
    }
}

impl Tilted {
    /// An upper bound on ln |M(c+iy)/M(c)| for all y ≥ reach.
    pub(super) fn log_decay(&self, reach: f64) -> f64 {
        match &self.form {
            Form::ExponentialDensity(.., components) | Form::Cloud(_, components) => {
                components.log_decay(reach)
            }
            Form::WideGaussian(..) => 0.0,
        }
    }

    /// How many terms one value takes.
    pub(super) fn size(&self) -> f64 {
        match &self.form {
            Form::ExponentialDensity(..) | Form::WideGaussian(..) => 10.0,
            Form::Cloud(cloud, _) => 20.0 + float(cloud.cost()),
        }
    }

    /// Calls back with M(c+iy)/M(c) at y = step·j for j below `count`: real part, imaginary part, bound on the error.
    pub(super) fn along(&self, step: f64, count: usize, found: impl FnMut(usize, f64, f64, f64)) {
        match &self.form {
            Form::ExponentialDensity(law, c, _) => law.along(*c, step, count, found),
            Form::WideGaussian(law, c) => law.along(*c, step, count, found),
            Form::Cloud(cloud, _) => cloud.along(step, count, found),
        }
    }
}
