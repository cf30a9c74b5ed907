//! One pair of neighbours: whether D_α ≤ ρα for all α > 1.
//!
//! # What is shown
//! P is the law of z = sinh(σY)/σ for Y ~ N(0, 1), and L = λ + φ((z − s)·e^−λ) − φ(z). Let x = L/h
//! and a = (α − 1)·h. Because ∫ p·(e^−L − 1) = 0,
//!
//! > e^K − 1 = E [e^(ax) − 1 − ax] + (a/h)·E [e^(−hx) − 1 + hx],  K = (α − 1)·D_α,
//!
//! and K ≤ ½l²α(α−1) = r·a(a + h), where r = ½(l/h)², is what must be shown for all a > 0. With the
//! chord of τ ↦ e^(uτ), u being any real number,
//!
//! > e^u − 1 − u = u²·∫₀¹ (1−τ)·e^(uτ) dτ ≤ u²·(2 + e^u)/6.
//!
//! Let J(θ) = E x²·(2 + e^(θx))/3, which is convex in θ. So e^K − 1 ≤ ½a·(a·J(a) + h·J(−h)), and
//! with e^v − 1 ≥ v:
//! 1. *a ≤ FIRST*: it is enough that J(−h) and J(FIRST) are at most 2r, since J(a) is at most the
//!    larger of them.
//! 2. *FIRST ≤ a ≤ e*: K is convex in a. At nodes it is enclosed by e^K − 1 ≤ E [e^(ax) − 1 − ax] +
//!    ½ah·J(−h). Between two nodes K is below its chord, and r·a(a + h) is above its tangent in the
//!    middle, which at the nodes is smaller by r times a quarter of the square of their distance.
//! 3. *a ≥ e*: D_α ≤ max(β, (α+1)β²/2σ² + ln 2/(α−1)) + e^β·s·(2/3σ + σ/2), as
//!    [`ArsinhNormal`](super::ArsinhNormal) derives, and this divided by α falls.
//!
//! *For all κ ≤ h at once* ([`Corner::below`]): with λ = (λ_h/h)·κ and s = (s_h/h)·κ, κ taking the
//! place of h above and l = κ, the target is ½a(a + κ). In 1, J(−κ) is at most the larger of J(−h)
//! and J(FIRST). In 2, J(−κ) ≤ 1 makes K ≤ ln(1 + E [e^(ax) − 1 − ax]) + ½aκ, and ½aκ is also what
//! the target has beyond ½a², so that both may be left out. In 3, (α−1)·D_α ≤ max(a·β/κ, a²b²/2σ² +
//! aκb²/σ² + ln 2) + e^β·(s/κ)·a·(2/3σ + σ/2), where aκb²/σ² ≤ ½aκ for b ≤ σ/√2. Only x depends on
//! κ, and it is enclosed for all of them.
//!
//! # Integrals
//! The expectations are ∫ F(y)·n(y) dy. On a cell of width w about m this is w·(Fn)(m) +
//! w³/24·(Fn)″ somewhere in it; both are enclosed, so the error is of second order. At m, x is L/h
//! as it stands. For its derivatives, where L on an interval would lose everything to cancellation,
//! x is the mean over 0 ≤ τ ≤ h of the derivative of L along the way from no change to this one,
//! λ' = (λ/h)·τ, s' = (s/h)·τ:
//!
//! > x′ = (λ/h)·(1 − A(u)) − (s/h)·e^(−λ')·B(u),  u = σ(z − s')·e^(−λ'),
//! > A = z·φ'(z) = arsinh(u)·T/σ² + T²,  B = φ'(z) = arsinh(u)·S/σ + σ·T·S,
//! > T = u/√(1 + u²),  S = 1/√(1 + u²).
//!
//! *Beyond the last cell* at |y| = E: 0 ≤ A ≤ arsinh|u|/σ² + 1, |B| ≤ 2/3σ + σ/2 and arsinh|u| ≤
//! σ|y| + σs + |λ|, so |x| ≤ X = c₀ + c₁·|y|. There e^(ax) − 1 − ax ≤ e^(aX), and x²·(2 + e^(θx))/3
//! ≤ X²·e^(|θ|X) ≤ 2·e^((1 + |θ|)X), and ∫_E^∞ e^(d·(c₀ + c₁y))·n(y) dy = e^(d·c₀ + ½d²c₁²)·Φ̄(E −
//! d·c₁).

use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;

use super::jet::Jet;
use super::point;

/// The first order, as a.
const FIRST: f64 = 0.1;
const CELL: f64 = 0.125;
/// As many as end at ±[`END`].
const CELLS: u8 = 144;
const END: f64 = 9.0;

/// x in the middle of a cell, and its derivatives on all of it.
struct Cell {
    middle: f64,
    here: Enclosure,
    on: Jet,
}

/// One pair of neighbours, or those in proportion to κ for all κ up to a scale.
pub(super) struct Corner {
    sigma: Enclosure,
    lambda: f64,
    shift: f64,
    /// h.
    scale: f64,
    /// Whether all κ ≤ h are meant.
    below: bool,
    cells: Vec<Cell>,
}

impl Corner {
    /// The pair with this λ and this shift.
    pub(super) fn at(sigma: f64, lambda: f64, shift: f64, scale: f64) -> Self {
        Self::new(sigma, lambda, shift, scale, false)
    }

    /// The pairs with λ·κ/h and the shift s·κ/h, for all 0 < κ ≤ h.
    pub(super) fn below(sigma: f64, lambda: f64, shift: f64, scale: f64) -> Self {
        Self::new(sigma, lambda, shift, scale, true)
    }

    fn new(sigma: f64, lambda: f64, shift: f64, scale: f64, below: bool) -> Self {
        let mut corner = Self { sigma: point(sigma), lambda, shift, scale, below, cells: vec![] };
        corner.cells = (0..CELLS)
            .map(|k| {
                let middle = (f64::from(k) + 0.5) * CELL - END; // exact
                let on = corner.derivatives(Enclosure::new(middle - 0.5 * CELL, middle + 0.5 * CELL));
                let here = if below {
                    corner.derivatives(point(middle)).0[0]
                } else {
                    corner.loss(middle) / point(scale)
                };
                Cell { middle, here, on }
            })
            .collect();
        corner
    }

    /// u/√(1 + u²), 1/√(1 + u²) and arsinh u, which is odd.
    fn hyperbolic(u: Enclosure) -> [Enclosure; 3] {
        let at = |u: f64| {
            let (u, one) = (point(u.abs()), Enclosure::ONE);
            (u + u.square() / (one + (one + u.square()).sqrt())).ln_1p()
        };
        let odd = |u: f64| if u < 0.0 { -at(u) } else { at(u) };
        let root = (Enclosure::ONE + u.square()).sqrt();
        // Both ends of a rising function.
        let tangent = [u.lo(), u.hi()].map(|u| point(u) / (Enclosure::ONE + point(u).square()).sqrt());
        [
            Enclosure::new(tangent[0].lo(), tangent[1].hi()),
            Enclosure::ONE / root,
            Enclosure::new(odd(u.lo()).lo(), odd(u.hi()).hi()),
        ]
    }

    /// L at z = sinh(σy)/σ: there φ = y²/2 + ½·ln(1 + sinh²(σy)).
    fn loss(&self, y: f64) -> Enclosure {
        let (half, sigma) = (point(0.5), self.sigma);
        let sinh = self.sinh(point(y));
        let u = (sinh - sigma * point(self.shift)) * point(-self.lambda).exp();
        let [_, _, arsinh] = Self::hyperbolic(u);
        let there = half * (arsinh / sigma).square() + half * u.square().ln_1p();
        point(self.lambda) + there - (half * point(y).square() + half * sinh.square().ln_1p())
    }

    /// sinh(σy).
    fn sinh(&self, y: Enclosure) -> Enclosure {
        let exponent = self.sigma * y;
        point(0.5) * (exponent.exp_m1() - (-exponent).exp_m1())
    }

    /// x and its derivatives along y.
    fn derivatives(&self, y: Enclosure) -> Jet {
        let (one, three) = (Enclosure::ONE, point(3.0));
        let up_to = |most: f64| Enclosure::new(most.min(0.0), most.max(0.0));
        let squeeze = (-up_to(self.lambda)).exp();
        let sinh = Enclosure::new(self.sinh(point(y.lo())).lo(), self.sinh(point(y.hi())).hi());
        let cosh = (one + sinh.square()).sqrt();
        let u = Jet([
            (sinh - self.sigma * up_to(self.shift)) * squeeze,
            self.sigma * cosh * squeeze,
            self.sigma.square() * sinh * squeeze,
        ]);
        let [t, s, arsinh] = Self::hyperbolic(u.0[0]);
        // T′ = S³, T″ = −3·T·S⁴, S′ = −T·S², S″ = (3T² − 1)·S³, arsinh′ = S, arsinh″ = −T·S².
        let cube = s * s.square();
        let tangent = u.then([t, cube, -(three * t * cube * s)]);
        let secant = u.then([s, -(t * s.square()), (three * t.square() - one) * cube]);
        let arsinh = u.then([arsinh, s, -(t * s.square())]);
        let constant = |value: Enclosure| Jet::constant(value);
        let a = arsinh * tangent * constant(one / self.sigma.square()) + tangent.square();
        let b = arsinh * secant * constant(one / self.sigma) + tangent * secant * constant(self.sigma);
        let scale = point(self.scale);
        let [ratio, shift] = [point(self.lambda) / scale, point(self.shift) / scale * squeeze];
        constant(ratio) * (constant(one) - a) - constant(shift) * b
    }

    /// ∫ F(x(y))·n(y) dy over the cells.
    fn expectation(&self, f: impl Fn(Jet) -> Jet) -> Enclosure {
        let normal = |y: Jet| (y.square() * Jet::constant(point(-0.5))).exp();
        let [width, third] = [point(CELL), point(CELL * CELL * CELL) / point(24.0)];
        let sum = self.cells.iter().fold(Enclosure::ZERO, |sum, cell| {
            let on = Enclosure::new(cell.middle - 0.5 * CELL, cell.middle + 0.5 * CELL);
            let here = f(Jet::constant(cell.here)) * normal(Jet::constant(point(cell.middle)));
            let around = f(cell.on) * normal(Jet::variable(on));
            sum + width * here.0[0] + third * around.0[2]
        });
        sum * Enclosure::new(0.398_942_280_401_432_6, 0.398_942_280_401_432_8)
    }

    /// E e^(dX) beyond the cells, X = c₀ + c₁|y|.
    fn beyond(&self, d: Enclosure) -> Enclosure {
        let (one, two) = (Enclosure::ONE, point(2.0));
        let (lambda, shift) = (point(self.lambda.abs()), point(self.shift));
        let ratio = lambda / point(self.scale);
        let c0 = ratio * (one + shift / self.sigma + lambda / self.sigma.square())
            + shift / point(self.scale) * lambda.exp() * self.steepest();
        let c1 = ratio / self.sigma;
        two * (d * c0 + (d * c1).square() / two).exp() * upper_tail(point(END) - d * c1)
    }

    /// The largest φ'.
    fn steepest(&self) -> Enclosure {
        point(2.0) / (point(3.0) * self.sigma) + self.sigma / point(2.0)
    }

    /// J(θ).
    fn curvature(&self, theta: f64) -> Enclosure {
        let constant = |value: f64| Jet::constant(point(value));
        let inside = self.expectation(|x| x.square() * (constant(2.0) + (constant(theta) * x).exp()));
        inside / point(3.0) + point(2.0) * self.beyond(Enclosure::ONE + point(theta.abs()))
    }

    /// Whether K ≤ r·a(a + h) surely for all a > 0; for r = ½ where all κ ≤ h are meant.
    pub(super) fn is_within(&self, r: Enclosure) -> bool {
        let h = if self.below { Enclosure::ZERO } else { point(self.scale) };
        let back = self.curvature(-self.scale);
        let most = (point(2.0) * r).lo();
        if back.hi() > most || self.curvature(FIRST).hi() > most {
            return false;
        }
        let cumulant = |a: f64| {
            let a = point(a);
            let inside = self.expectation(|x| (Jet::constant(a) * x).exp_m1_minus_itself());
            (inside + self.beyond(a) + a * h * back / point(2.0)).ln_1p().hi()
        };
        // Whether K is at most the tangent that a gap of this width allows.
        let fits = |a: f64, found: f64, gap: f64| {
            let room = point(a) * (point(a) + h) - point(gap).square() / point(4.0);
            found <= (r * room).lo()
        };
        let (mut a, mut before) = (FIRST, 0.0);
        loop {
            let found = cumulant(a);
            let steps = [0.5, 0.25, 0.125, 0.0625].map(|share| a * share);
            // One ulp more than the distance of two floats, which is rounded.
            let step = steps.into_iter().find(|step| fits(a, found, step.next_up()));
            let (Some(step), true) = (step, fits(a, found, before)) else { return false };
            if self.is_settled_from(a, r) {
                return true;
            }
            let next = a + step;
            before = (next - a).next_up();
            a = next;
        }
    }

    /// Whether the bound for large orders holds from a on.
    fn is_settled_from(&self, a: f64, r: Enclosure) -> bool {
        let (a, h, one, two) = (point(a), point(self.scale), Enclosure::ONE, point(2.0));
        let lambda = point(self.lambda.abs());
        let sliding = lambda.exp() * point(self.shift) * self.steepest();
        let squared = (lambda / self.sigma).square();
        if self.below {
            let b = lambda / h;
            let narrower = a.square() * squared / h.square() / two + two.ln();
            let most = (a * b).max(narrower) + a * sliding / h;
            return most.hi() <= (a.square() / two).lo() && (squared / h.square()).hi() <= 0.5;
        }
        let alpha = one + a / h;
        let narrower = (alpha + one) * squared / two + two.ln() / (a / h);
        (narrower.max(lambda) + sliding).hi() <= (r * h.square() * alpha).lo()
    }
}
