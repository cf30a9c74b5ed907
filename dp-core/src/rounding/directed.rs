//! The four operations and the square root, rounded to the named side.
//!
//! Each function computes the nearest float `v`, then the sign of the residual (exact
//! result − `v`), and steps to the neighbouring float only when the residual lies on the wrong
//! side. The residuals are exact:
//!
//! - sum: Knuth's two-sum, exact whenever the sum does not overflow;
//! - product: Dekker's product after Veltkamp's split, exact when no part over- or underflows,
//!   which [`splittable`] guarantees: |a|, |b| < 2⁹⁹⁵ and |ab| < 2¹⁰²² keep its parts finite,
//!   |ab| ≥ 2⁻⁹⁶⁸ keeps its 106 bits above 2⁻¹⁰⁷⁴;
//! - quotient `q`: the remainder a − qb is a float (classical), so evaluating it through the exact
//!   product is exact;
//! - root `s`: likewise x − s².
//!
//! Where a residual cannot be had (very large or very small numbers) it is `NaN`, and the step is
//! taken: the result is then one ulp wider than needed, never wrong.

/// Below this magnitude the low half of a product may not be representable: 2⁻⁹⁶⁸.
const SMALLEST_SPLITTABLE: f64 = f64::from_bits((1023 - 968) << 52);
/// From here on the product of the high halves, which may exceed the product, may overflow: 2¹⁰²².
const LARGEST_PRODUCT: f64 = f64::from_bits((1023 + 1022) << 52);
/// Above this magnitude Veltkamp's split may overflow: 2⁹⁹⁵.
const LARGEST_SPLITTABLE: f64 = f64::from_bits((1023 + 995) << 52);

/// The smallest float that is at least a + b.
#[must_use]
pub fn add_up(a: f64, b: f64) -> f64 {
    up(a + b, sum_residual(a, b), a.is_finite() && b.is_finite())
}

/// The largest float that is at most a + b.
#[must_use]
pub fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// The smallest float that is at least a − b.
#[must_use]
pub fn sub_up(a: f64, b: f64) -> f64 {
    add_up(a, -b)
}

/// The largest float that is at most a − b.
#[must_use]
pub fn sub_down(a: f64, b: f64) -> f64 {
    add_down(a, -b)
}

/// A float that is at least a · b: the smallest one, or the next where the residual is not known.
#[must_use]
pub fn mul_up(a: f64, b: f64) -> f64 {
    up(a * b, product_residual(a, b), a.is_finite() && b.is_finite())
}

/// A float that is at most a · b: the largest one, or the next where the residual is not known.
#[must_use]
pub fn mul_down(a: f64, b: f64) -> f64 {
    -mul_up(-a, b)
}

/// A float that is at least a / b: the smallest one, or the next where the residual is not known.
#[must_use]
pub fn div_up(a: f64, b: f64) -> f64 {
    up(a / b, quotient_residual(a, b), a.is_finite() && b.is_finite() && b != 0.0)
}

/// A float that is at most a / b: the largest one, or the next where the residual is not known.
#[must_use]
pub fn div_down(a: f64, b: f64) -> f64 {
    -div_up(-a, b)
}

/// A float that is at least √x; `NaN` for negative x.
#[must_use]
pub fn sqrt_up(x: f64) -> f64 {
    let root = libm::sqrt(x);
    up(root, root_residual(x, root), x.is_finite())
}

/// A float that is at most √x; `NaN` for negative x.
#[must_use]
pub fn sqrt_down(x: f64) -> f64 {
    let root = libm::sqrt(x);
    -up(-root, -root_residual(x, root), x.is_finite())
}

/// Moves `value` up unless the exact result, which differs by `residual`, is known not to exceed
/// it.
fn up(value: f64, residual: f64, finite_operands: bool) -> f64 {
    if !finite_operands {
        return value; // IEEE arithmetic with an infinity or a NaN (or a division by zero) is exact
    }
    if value.is_infinite() {
        // Overflow of a finite result: +∞ bounds it, and −MAX bounds what lies below −MAX.
        return if value > 0.0 { value } else { f64::MIN };
    }
    if residual <= 0.0 { value } else { value.next_up() } // NaN takes the step
}

/// The exact a + b − fl(a + b) (two-sum), or `NaN` after an overflow.
fn sum_residual(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (a - a_part) + (b - b_part)
}

/// The exact ab − fl(ab), or `NaN` when it cannot be had.
fn product_residual(a: f64, b: f64) -> f64 {
    let product = a * b;
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    if !splittable(a, b, product) {
        return f64::NAN;
    }
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
}

/// A number with the sign of a/b − fl(a/b), or `NaN` when it cannot be had.
fn quotient_residual(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        return 0.0;
    }
    let quotient = a / b;
    let product = quotient * b;
    if !splittable(quotient, b, product) || quotient.abs() < SMALLEST_SPLITTABLE {
        return f64::NAN;
    }
    let remainder = (a - product) - product_residual(quotient, b);
    if b > 0.0 { remainder } else { -remainder }
}

/// The exact x − root², whose sign is that of √x − root, or `NaN` when it cannot be had.
fn root_residual(x: f64, root: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    (x - root * root) - product_residual(root, root)
}

/// Whether [`product_residual`] is exact: the split stays finite and the low half stays
/// representable.
fn splittable(a: f64, b: f64, product: f64) -> bool {
    a.abs() < LARGEST_SPLITTABLE
        && b.abs() < LARGEST_SPLITTABLE
        && product.abs() >= SMALLEST_SPLITTABLE
        && product.abs() < LARGEST_PRODUCT
}

/// Veltkamp: x = high + low, both of at most 26 significant bits.
fn split(x: f64) -> (f64, f64) {
    const FACTOR: f64 = 134_217_729.0; // 2²⁷ + 1
    let scaled = FACTOR * x;
    let high = scaled - (scaled - x);
    (high, x - high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The exact sign of a·b − c for any finite floats, by integer arithmetic that shares nothing
    /// with the code above.
    fn sign_of_product_minus(a: f64, b: f64, c: f64) -> core::cmp::Ordering {
        let (a_mantissa, a_exponent) = decompose(a);
        let (b_mantissa, b_exponent) = decompose(b);
        let (c_mantissa, c_exponent) = decompose(c);
        compare_scaled(
            i128::from(a_mantissa) * i128::from(b_mantissa),
            a_exponent + b_exponent,
            i128::from(c_mantissa),
            c_exponent,
        )
    }

    /// x = mantissa · 2^exponent.
    fn decompose(x: f64) -> (i64, i32) {
        let bits = x.to_bits();
        let biased = i32::try_from((bits >> 52) & 0x7ff).unwrap();
        let fraction = i64::try_from(bits & ((1 << 52) - 1)).unwrap();
        let magnitude = if biased == 0 { fraction } else { fraction | (1 << 52) };
        (if x < 0.0 { -magnitude } else { magnitude }, biased.max(1) - 1075)
    }

    /// Orders m·2^e against n·2^f, |m|, |n| < 2¹⁰⁷.
    fn compare_scaled(m: i128, e: i32, n: i128, f: i32) -> core::cmp::Ordering {
        if m.signum() != n.signum() || m == 0 {
            return m.signum().cmp(&n.signum());
        }
        let top = |v: i128, s: i32| 128 - i32::try_from(v.unsigned_abs().leading_zeros()).unwrap() + s;
        if top(m, e) != top(n, f) {
            let larger = top(m, e).cmp(&top(n, f));
            return if m > 0 { larger } else { larger.reverse() };
        }
        // Same leading bit: align at the smaller exponent; the shift is below 2¹²⁸ because the tops
        // agree.
        if e >= f { (m << (e - f)).cmp(&n) } else { m.cmp(&(n << (f - e))) }
    }

    fn any_finite() -> impl Strategy<Value = f64> {
        prop_oneof![
            // Products and quotients of these come close to the largest float.
            (0x5fe0_0000_0000_0000..0x6000_0000_0000_0000u64).prop_map(f64::from_bits),
            (0x7fe0_0000_0000_0000..0x7ff0_0000_0000_0000u64).prop_map(f64::from_bits),
            any::<f64>().prop_filter("finite", |x| x.is_finite()),
            -10.0..10.0f64,
            (-1000i32..1000).prop_map(|n| f64::from(n) / 8.0),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn products_are_bracketed(a in any_finite(), b in any_finite()) {
            let (down, up) = (mul_down(a, b), mul_up(a, b));
            if up.is_finite() { prop_assert!(sign_of_product_minus(a, b, up).is_le()); }
            if down.is_finite() { prop_assert!(sign_of_product_minus(a, b, down).is_ge()); }
            prop_assert!(up <= (a * b).next_up() && down >= (a * b).next_down());
        }

        #[test]
        fn products_that_are_floats_stay_exact(a in -(1i64 << 26)..(1i64 << 26), b in -(1i64 << 26)..(1i64 << 26)) {
            #[allow(clippy::cast_precision_loss)]
            let (a, b) = (a as f64, b as f64);
            prop_assert_eq!(mul_up(a, b), a * b);
            prop_assert_eq!(mul_down(a, b), a * b);
            prop_assert_eq!(add_up(a, b), a + b);
            prop_assert_eq!(sqrt_up(a * a), a.abs());
            prop_assert_eq!(sqrt_down(a * a), a.abs());
        }

        #[test]
        fn quotients_are_bracketed(a in any_finite(), b in any_finite().prop_map(|b| if b == 0.0 { 3.0 } else { b })) {
            let (down, up) = (div_down(a, b), div_up(a, b));
            // a/b ≤ up  ⇔  a ≤ up·b (b > 0) or a ≥ up·b (b < 0)
            let (above, below) = (sign_of_product_minus(up, b, a), sign_of_product_minus(down, b, a));
            let (above, below) = if b > 0.0 { (above, below) } else { (above.reverse(), below.reverse()) };
            if up.is_finite() { prop_assert!(above.is_ge()); }
            if down.is_finite() { prop_assert!(below.is_le()); }
            prop_assert!(up <= (a / b).next_up() && down >= (a / b).next_down());
        }

        #[test]
        fn roots_are_bracketed(x in any_finite()) {
            let x = x.abs();
            prop_assert!(sign_of_product_minus(sqrt_up(x), sqrt_up(x), x).is_ge());
            prop_assert!(sign_of_product_minus(sqrt_down(x), sqrt_down(x), x).is_le());
        }

        #[test]
        fn sums_are_bracketed(a in any_finite(), b in any_finite()) {
            let (down, up) = (add_down(a, b), add_up(a, b));
            prop_assert!(down <= a + b && a + b <= up);
            // Scale into i128 where that is exact, and compare there.
            let ((m, e), (n, f)) = (decompose(a), decompose(b));
            if (e - f).abs() < 70 && up.is_finite() && down.is_finite() {
                let low = e.min(f);
                let exact = (i128::from(m) << (e - low)) + (i128::from(n) << (f - low));
                let (u, g) = decompose(up);
                let (d, h) = decompose(down);
                prop_assert!(compare_scaled(exact, low, i128::from(u), g).is_le());
                prop_assert!(compare_scaled(exact, low, i128::from(d), h).is_ge());
                prop_assert!(up == down || up == down.next_up());
                if up != down { prop_assert!(compare_scaled(exact, low, i128::from(u), g).is_lt()); }
            }
        }
    }

    #[test]
    fn overflow_and_underflow_stay_on_the_safe_side() {
        assert_eq!(add_up(f64::MAX, f64::MAX), f64::INFINITY);
        assert_eq!(add_down(f64::MAX, f64::MAX), f64::MAX);
        assert_eq!(add_up(f64::MIN, f64::MIN), f64::MIN);
        assert_eq!(mul_up(1e300, 1e300), f64::INFINITY);
        assert_eq!(mul_down(1e300, 1e300), f64::MAX);
        assert!(mul_up(1e-300, 1e-300) > 0.0);
        assert!(mul_down(1e-300, 1e-300) <= 0.0);
        assert_eq!(div_up(1.0, f64::INFINITY), 0.0);
        assert_eq!(div_up(f64::INFINITY, 2.0), f64::INFINITY);
        assert_eq!(div_down(f64::INFINITY, 2.0), f64::INFINITY);
        assert_eq!(add_down(f64::INFINITY, 1.0), f64::INFINITY);
        assert!(sqrt_up(-1.0).is_nan());
    }
}
