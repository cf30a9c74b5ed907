//! One pair of neighbours: whether D_α(P‖Q) ≤ ρα surely holds for all orders α > 1.
//!
//! P has the density p = e^−φ up to a constant, Q is P stretched by e^λ and shifted by s, and |λ| ≤
//! β. The loss at z is L(z) = ln p/q = λ + φ((z − s)·e^−λ) − φ(z); constants cancel. In what
//! follows a = α − 1 > 0 (`less_one`), and K(α) = a·D_α = ln ∫ p·e^(aL) is the cumulant generating
//! function of L under P at a. All of the laws are positive everywhere and K is finite, since their
//! tails fall like e^(−(ln z)²/2σ²) and the loss grows like ln z.
//!
//! # One order
//! **Lemma 1.** e^K − 1 = ∫ p·g(L) with g(L) = (e^(aL) − 1) + a·(e^−L − 1), which is convex, zero
//! at 0, and positive elsewhere.
//!
//! *Proof.* ∫ p·(e^−L − 1) = ∫ (q − p) = 0. g' = a·(e^(aL) − e^−L) has the sign of L, and g'' > 0.
//! ∎
//!
//! *What it is good for.* For a small ρ the loss is about √(2ρ) everywhere, e^K − 1 is about ρα·a,
//! but ∫ p·|e^(aL) − 1| is about √(2ρ)·a: an error of a hundredth in the latter would be more than
//! everything there is to show. g is of second order in L, so that an error of a hundredth in g is
//! one of a hundredth in D_α, for all ρ.
//!
//! *In a cell* of z the loss lies between two numbers l ≤ h, and g between them is at most the
//! larger of g(l) and g(h) (`Loss::excess`), for the mass that P has there (`Cell::mass`): rounded
//! up each, and summed with `add_up`. By the mean value theorem L(z) is within L(m) + (z − m)·L'
//! for the middle m, with L' anywhere in the cell (`losses`): L' = e^−λ·φ'((z − s)·e^−λ) − φ'(z),
//! φ' being odd. Where (z − s) changes its sign, φ' is only known to be at most `steepest`; φ is
//! Lipschitz there, which is enough.
//!
//! **Lemma 2.** *Beyond the cells*, on T = {|z| > E}: ∫_T p·g(L) ≤ √P(T)·e^(a·D) + a·Q(T), with D =
//! D_(2α−1).
//!
//! *Proof.* ∫_T p·g(L) = ∫_T p^α·q^−a − P(T) + a·(Q(T) − P(T)). By Cauchy and Schwarz ∫_T
//! √p·(p^(α−½)·q^−a) ≤ √P(T)·√∫ p^(2α−1)·q^(2−2α) = √P(T)·e^(a·D). ∎ P(T) is twice a tail, and Q(T)
//! at most Pr(|Z| > (E − s)·e^−λ) (`outside_p`, `outside_q`).
//!
//! **Lemma 3.** D_α(P‖Q) ≤ `dilation`(α, β) + e^β·s·`steepest`, which serves as D in Lemma 2 and
//! for large orders (`bound`).
//!
//! *Proof.* Let R be P stretched by e^λ. p^α·q^−a = p^α·r^−a·(r/q)^a, so D_α(P‖Q) ≤ D_α(P‖R) + sup
//! ln r/q. The first is at most `dilation`(α, |λ|), which rises with |λ|; the second is the change
//! of φ along s·e^−λ ≤ s·e^β. ∎
//!
//! # All orders
//! **Lemma 4.** K is convex with K(1) = 0, so:
//! 1. *1 < α ≤ α₁*, the first order that is looked at. K(α₁) ≤ ρ·(α₁ − 1) is enough: K(α) ≤
//!    (α−1)/(α₁−1)·K(α₁) ≤ ρ(α−1) ≤ ρα(α−1).
//! 2. *Between neighbouring orders u < v.* It is enough that at x = u and x = v, K(x) ≤ ρ·(x(x−1) −
//!    (v−u)²/4) (`fits`): the right side is the tangent of ρα(α−1) at the middle of u and v, so K
//!    is below its chord, which is below the tangent, which is below the parabola.
//! 3. *Large orders.* From the first order on at which the bound of Lemma 3 is at most ρα, all are
//!    settled, since this bound divided by α falls.
//!
//! *Floats.* Orders are floats as they stand; the gap of two of them is rounded, by less than 2⁻⁵²,
//! and 0.251 in the place of ¼ is more than enough for that. Everything else is an `Enclosure`, or
//! rounded up. What is not finite or not a number compares as false, so nothing is shown then.

use dp_core::rounding::{Enclosure, add_up, exp_m1_up, mul_up};

use super::{Cell, Density, Effort};

/// P, and Q: stretched by e^λ and shifted.
pub(super) struct Pair<'a, D> {
    pub(super) law: &'a D,
    pub(super) cells: &'a [Cell],
    pub(super) beta: f64,
    pub(super) lambda: f64,
    /// s, known to half an ulp: it comes from 1/c to the nearest float. `is_within` takes the next
    /// float, which is larger by at least that.
    pub(super) shift: f64,
}

/// The mass of P where the loss is known to lie between two numbers.
struct Loss {
    mass: f64,
    low: f64,
    high: f64,
}

impl<D: Density> Pair<'_, D> {
    /// Whether D_α ≤ ρα surely for all α > 1.
    pub(super) fn is_within(&self, rho: f64, effort: Effort) -> bool {
        let shift = Enclosure::point(self.shift.next_up());
        let losses = self.losses(shift);
        let sliding = self.law.steepest() * shift * Enclosure::point(self.beta).exp();
        let bound = |alpha: Enclosure| self.law.dilation(alpha, Enclosure::point(self.beta)) + sliding;
        let end = Enclosure::point(self.cells.last().map_or(0.0, |cell| cell.ends.hi()));
        let two = Enclosure::point(2.0);
        let outside_p = two * self.law.tail(end);
        let outside_q =
            two * self.law.tail(((end - shift) * Enclosure::point(-self.lambda).exp()).max(Enclosure::ZERO));
        // K at the order 1 + less_one, rounded up: Lemmas 1 and 2.
        let cumulant = |less_one: f64| {
            let alpha = Enclosure::ONE + Enclosure::point(less_one);
            let rest = outside_p.sqrt()
                * (Enclosure::point(less_one) * bound(two * alpha - Enclosure::ONE)).exp()
                + Enclosure::point(less_one) * outside_q;
            let inside =
                losses.iter().fold(0.0, |sum, loss| add_up(sum, mul_up(loss.mass, loss.excess(less_one))));
            (Enclosure::point(inside) + rest).ln_1p().hi()
        };
        // Whether K is at most the tangent that a gap of this width to the next order allows: Lemma
        // 4.2.
        let fits = |less_one: f64, found: f64, gap: f64| {
            let alpha = Enclosure::ONE + Enclosure::point(less_one);
            let room =
                Enclosure::point(less_one) * alpha - Enclosure::point(gap).square() * Enclosure::point(0.251);
            found <= (Enclosure::point(rho) * room).lo()
        };
        let (mut before, mut less_one) = (None, effort.first);
        loop {
            let found = cumulant(less_one);
            let fitting = match before {
                // Lemma 4.1
                None => found <= (Enclosure::point(rho) * Enclosure::point(less_one)).lo(),
                Some(before) => fits(less_one, found, less_one - before),
            };
            let near = less_one * effort.step;
            match before {
                _ if fitting => {}
                // The gap was too wide: once more with a narrow one, for which the order before was
                // found to fit.
                Some(before) if less_one - before > 1.5 * before * effort.step => {
                    less_one = before * (1.0 + effort.step);
                    continue;
                }
                _ => return false,
            }
            if !fits(less_one, found, near) || less_one > 1e9 {
                return false;
            }
            let alpha = Enclosure::ONE + Enclosure::point(less_one);
            if bound(alpha).hi() <= (Enclosure::point(rho) * alpha).lo() {
                return true; // Lemma 4.3
            }
            // A wide gap is tried where the next order looks as if it would fit; `found` is not
            // negative, so this one does.
            let far = if fits(less_one, 1.25 * found, less_one) { less_one } else { near };
            (before, less_one) = (Some(less_one), less_one + far);
        }
    }

    /// Where L lies, on both sides of each cell: z = y and z = −y for y in the cell, along which L
    /// has the slope ±e^−λ·φ'(±…) − φ'(y).
    fn losses(&self, shift: Enclosure) -> Vec<Loss> {
        let squeeze = Enclosure::point(-self.lambda).exp();
        let mut losses = Vec::with_capacity(2 * self.cells.len());
        for cell in self.cells {
            for side in [-1.0, 1.0] {
                let side = Enclosure::point(side);
                let there = |z: Enclosure| (side * z - shift) * squeeze;
                let (middle, reach) = (there(Enclosure::point(cell.middle)), there(cell.ends));
                let slope = if reach.lo() >= 0.0 {
                    self.law.slope(reach)
                } else if reach.hi() <= 0.0 {
                    -self.law.slope(-reach)
                } else {
                    let steepest = self.law.steepest();
                    Enclosure::new(-steepest.hi(), steepest.hi())
                };
                let value = Enclosure::point(self.lambda)
                    + self.law.exponent(middle.max(-middle).max(Enclosure::ZERO))
                    - cell.exponent;
                let loss = value
                    + (side * (cell.ends - Enclosure::point(cell.middle)))
                        * (squeeze * slope - side * cell.slope);
                losses.push(Loss { mass: cell.mass, low: loss.lo(), high: loss.hi() });
            }
        }
        losses
    }
}

impl Loss {
    /// The largest g(L), rounded up: at an end, because g is convex and least at 0.
    fn excess(&self, less_one: f64) -> f64 {
        let at = |loss: f64| add_up(exp_m1_up(mul_up(less_one, loss)), mul_up(less_one, exp_m1_up(-loss)));
        if self.low >= 0.0 {
            at(self.high)
        } else if self.high <= 0.0 {
            at(self.low)
        } else {
            at(self.low).max(at(self.high))
        }
        .max(0.0)
    }
}
