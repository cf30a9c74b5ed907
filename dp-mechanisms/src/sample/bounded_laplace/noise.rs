//! The way in enclosures and integers.

use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Scale};
use rand_core::Rng;

use crate::sample::lazy::settle;
use crate::sample::{Bits, Interval, Lazy, Uniform};

/// How many digits more than asked for are computed in between.
const GUARD: u32 = 32;

/// ±T.
#[derive(Clone)]
pub(super) struct Noise {
    answer: f64,
    scale: Scale,
    bounds: Bounds,
    uniform: Uniform,
    negative: bool,
}

impl Noise {
    /// The noise around an answer within the bounds, from an S of which some digits are known.
    pub(super) fn of<R: Rng + ?Sized>(
        uniform: Uniform,
        answer: f64,
        scale: Scale,
        bounds: Bounds,
        bits: &mut Bits<'_, R>,
    ) -> Self {
        let mut noise = Self { answer, scale, bounds, uniform, negative: false };
        noise.negative = noise.is_below(bits);
        noise
    }

    /// Whether G < p. An answer on the lower bound has p = 0, and G ≥ 0 settles it.
    fn is_below<R: Rng + ?Sized>(&mut self, bits: &mut Bits<'_, R>) -> bool {
        let lower = self.bounds.lower();
        settle(
            self,
            bits,
            |noise| {
                let (p, g) = (noise.mass_enclosure(lower), noise.g_enclosure());
                clearly(g.hi() < p.lo(), g.lo() >= p.hi())
            },
            Self::refine,
            |noise, precision, bits| {
                noise.refine(precision, bits);
                let (p, g) = (noise.mass(lower, precision + GUARD), noise.g(precision + GUARD));
                clearly(g.upper() < p.lower(), g.lower() >= p.upper())
            },
        )
    }

    /// Encloses 1 − e^(−|bound − a|/b) between floats.
    fn mass_enclosure(&self, bound: f64) -> Enclosure {
        let distance = Enclosure::point((bound - self.answer).signum())
            * (Enclosure::point(bound) - Enclosure::point(self.answer));
        -(-(distance / Enclosure::point(self.scale.get()))).exp_m1().min(Enclosure::ZERO)
    }

    /// Encloses 1 − e^(−|bound − a|/b).
    fn mass(&self, bound: f64, digits: u32) -> Interval {
        let difference =
            &Interval::exactly(bound.min(self.answer)) - &Interval::exactly(bound.max(self.answer));
        let exponent = difference.over(&Interval::exactly(self.scale.get()), digits);
        let rest = exponent.expect("a scale is positive").exp(digits);
        Interval::exactly(1.0).plus(&-rest, digits)
    }

    /// Encloses G = S·(p + q) between floats.
    fn g_enclosure(&self) -> Enclosure {
        let both = self.mass_enclosure(self.bounds.lower()) + self.mass_enclosure(self.bounds.upper());
        self.uniform.enclosure() * both
    }

    /// Encloses G = S·(p + q).
    fn g(&self, digits: u32) -> Interval {
        let both = &self.mass(self.bounds.lower(), digits) + &self.mass(self.bounds.upper(), digits);
        self.uniform.interval().times(&both, digits)
    }
}

/// An answer, if there is reason for one.
const fn clearly(yes: bool, no: bool) -> Option<bool> {
    if yes || no { Some(yes) } else { None }
}

impl Lazy for Noise {
    fn enclosure(&self) -> Enclosure {
        let g = self.g_enclosure();
        let w = if self.negative { g } else { g - self.mass_enclosure(self.bounds.lower()) };
        let noise = -(-w.max(Enclosure::ZERO)).ln_1p();
        if self.negative { -noise } else { noise }
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let mut wanted = precision;
        // 1 − w is positive, and known to be so after some digits.
        loop {
            self.refine(wanted, bits);
            let digits = wanted + GUARD;
            let g = self.g(digits);
            let w = if self.negative { g } else { &g - &self.mass(self.bounds.lower(), digits) };
            let rest = Interval::exactly(1.0).plus(&-w, digits);
            if rest.lower().is_positive() {
                let logarithm = rest.ln(digits);
                return if self.negative { logarithm } else { -logarithm };
            }
            wanted += bits.portion();
        }
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.uniform.extend_to(precision, bits);
    }
}
