//! Values with two derivatives along a line, enclosed: what the error of a midpoint rule is made
//! of.

use core::ops::{Add, Mul, Sub};

use dp_core::rounding::Enclosure;

/// Encloses f, f′ and f″ on an interval of the variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet(pub(super) [Enclosure; 3]);

impl Jet {
    /// The variable itself, on an interval.
    pub(super) const fn variable(on: Enclosure) -> Self {
        Self([on, Enclosure::ONE, Enclosure::ZERO])
    }

    pub(super) const fn constant(value: Enclosure) -> Self {
        Self([value, Enclosure::ZERO, Enclosure::ZERO])
    }

    /// f∘self, from enclosures of f, f′ and f″ on the values of this one: (f∘u)′ = f′·u′ and
    /// (f∘u)″ = f″·u′² + f′·u″.
    pub(super) fn then(self, [f, first, second]: [Enclosure; 3]) -> Self {
        let [_, by, twice] = self.0;
        Self([f, first * by, second * by.square() + first * twice])
    }

    pub(super) fn exp(self) -> Self {
        self.then([self.0[0].exp(); 3])
    }

    /// e^u − 1 − u, which falls up to 0 and rises from there on: what is not known of u counts
    /// once. Its rounding, 2⁻⁵¹·|u|, is nothing here.
    pub(super) fn exp_m1_minus_itself(self) -> Self {
        let u = self.0[0];
        let [low, high] = [u.lo(), u.hi()].map(|u| Enclosure::point(u).exp_m1() - Enclosure::point(u));
        let least = if u.contains(0.0) { 0.0 } else { low.lo().min(high.lo()) };
        self.then([Enclosure::new(least, low.hi().max(high.hi())), u.exp_m1(), u.exp()])
    }

    pub(super) fn square(self) -> Self {
        let two = Enclosure::point(2.0);
        self.then([self.0[0].square(), two * self.0[0], two])
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] - other.0[k]))
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let ([f, f1, f2], [g, g1, g2]) = (self.0, other.0);
        Self([f * g, f1 * g + f * g1, f2 * g + Enclosure::point(2.0) * f1 * g1 + f * g2])
    }
}

#[test]
fn derivatives_are_those_of_a_known_function() {
    // x²·e^(3x) has the derivatives (2x + 3x²)·e^(3x) and (2 + 12x + 9x²)·e^(3x).
    for x in [-1.5, 0.0, 0.25, 2.0] {
        let jet = Jet::variable(Enclosure::point(x));
        let found = jet.square() * (jet * Jet::constant(Enclosure::point(3.0))).exp();
        let e = (3.0 * x).exp();
        let truth = [x * x * e, (2.0 * x + 3.0 * x * x) * e, (2.0 + 12.0 * x + 9.0 * x * x) * e];
        for (found, truth) in found.0.iter().zip(truth) {
            assert!((found.lo() - truth).abs() <= 1e-12 * (1.0 + truth.abs()), "{found} {truth}");
            assert!((found.hi() - truth).abs() <= 1e-12 * (1.0 + truth.abs()), "{found} {truth}");
        }
    }
}
