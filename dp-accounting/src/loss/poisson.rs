//! Poisson subsampling: an adaptor of any loss.

use core::fmt;
use std::sync::Arc;

use dp_core::Alpha;
use dp_core::rounding::Enclosure;

use super::{Form, Member, PrivacyLoss, UNBOUNDED, Work, directed};
use crate::contour::{Loss, SampledGaussian};
use crate::finite_law::FiniteLaw;
use crate::sampling::{self, AnyPair, Direction, LARGEST_SUM, by_convexity};

/// The loss of a mechanism on a sample that has each record with probability `rate`. See
/// [`sampling::Poisson`].
#[derive(Clone)]
pub(crate) struct Poisson {
    rate: f64,
    of: Arc<dyn PrivacyLoss>,
}

impl Poisson {
    /// The rate lies in [0, 1].
    pub(crate) fn new(rate: f64, of: Arc<dyn PrivacyLoss>) -> Self {
        debug_assert!((0.0..=1.0).contains(&rate));
        Self { rate, of }
    }

    fn mixed(&self, base: AnyPair) -> AnyPair {
        let mixed = sampling::Poisson::new(base, self.rate, Direction::Remove);
        AnyPair::new(mixed.expect("the rate was checked when the event was made"))
    }

    /// A Gaussian at distance μ, subsampled at a rate; both of them are positive and finite.
    fn gaussian(rate: f64, mu: f64, direction: Direction) -> Form {
        let largest = match direction {
            Direction::Remove => UNBOUNDED,
            Direction::Add => -(-Enclosure::point(rate)).ln_1p(),
        };
        Form::Density { loss: Loss::SampledGaussian(SampledGaussian { rate, mu, direction }), largest }
    }
}

impl PrivacyLoss for Poisson {
    fn parameters(&self) -> Vec<u64> {
        vec![self.rate.to_bits()]
    }

    fn base(&self) -> Option<&dyn PrivacyLoss> {
        Some(&*self.of)
    }

    fn pair(&self) -> AnyPair {
        self.mixed(self.of.pair())
    }

    fn tabulated(&self) -> AnyPair {
        self.mixed(self.of.tabulated())
    }

    fn tabulated_view(&self, direction: Direction) -> AnyPair {
        directed(self.tabulated(), direction)
    }

    /// Also at the rates 0 and 1, where it does not matter.
    fn is_symmetric(&self) -> bool {
        false
    }

    fn finite_law(&self) -> Option<FiniteLaw> {
        self.of.finite_law().map(|law| law.mixed(Enclosure::point(self.rate)))
    }

    fn has_finite_law(&self) -> bool {
        self.of.has_finite_law()
    }

    fn has_form(&self) -> bool {
        let known = |form: &Form| matches!(form, Form::Zero | Form::Gaussian(_));
        match self.rate {
            0.0 => true,
            1.0 => self.of.has_form(),
            _ => self.of.has_finite_law() || known(&self.of.form(Direction::Remove)),
        }
    }

    /// A larger rate dominates a smaller one, q: the mixture at q is the one at q′ of which all but
    /// a part q/q′ is replaced by a draw from Q. And a map that turns a base pair into one that it
    /// dominates acts on both members of the mixture.
    fn member(&self) -> Option<Member> {
        self.of.member().map(|of| {
            of.subsampled::<Self>(self.rate, self.rate, &[], |rate, of| Arc::new(Self::new(rate, of)))
        })
    }

    fn form(&self, direction: Direction) -> Form {
        if self.rate == 0.0 {
            return Form::Zero;
        }
        if self.rate == 1.0 {
            return self.of.form(direction);
        }
        match self.of.form(Direction::Remove) {
            Form::Zero => Form::Zero,
            Form::Gaussian(mu) => Self::gaussian(self.rate, mu, direction),
            _ => self.finite_law().map_or(Form::Unknown, |law| Form::finite(law, direction)),
        }
    }

    fn work(&self) -> Work {
        self.of.work().subsampled()
    }

    /// A binomial sum over the divergences of the base, or at large orders none; for a Gaussian one
    /// a trapezoidal rule over all that the tilt by the order reaches.
    fn divergence_work(&self, order: Alpha) -> f64 {
        let order = order.get();
        if let Some(mu) = self.of.gaussian_mu() {
            let mu = mu.get();
            return 3000.0 + 400.0 * ((order * mu + 20.0) * (3.0 + 2.0 * mu)).min(20_000.0);
        }
        let terms = if order <= f64::from(LARGEST_SUM) { order + 3.0 } else { 1.0 };
        3000.0 + terms * (1500.0 + self.of.work().divergence)
    }

    /// By the convexity of e^((α−1)D) in both members of a pair.
    fn quick_divergence(&self, direction: Direction, order: Alpha) -> f64 {
        let base = Enclosure::point(self.of.quick_divergence(direction, order));
        by_convexity(base, Enclosure::point(self.rate), order).hi()
    }
}

impl fmt::Debug for Poisson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} sampled at rate {}", self.of, self.rate)
    }
}
