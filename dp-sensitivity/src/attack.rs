//! What the tests attack sensitivities with.

use dp_core::Bounds;
use proptest::prelude::*;

/// Records that have broken implementations before.
pub(crate) const EXTREMES: [f64; 9] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::from_bits(1),
    -f64::from_bits(1),
    0.0,
    -0.0,
];

/// Bounds of all kinds: around zero, far from it, and with any ends that floats have.
pub(crate) fn bounds() -> impl Strategy<Value = Bounds> {
    prop_oneof![
        (-10.0..0.0f64, 0.0..10.0f64),
        (1e8..1e8 + 1.0, 1e8 + 1.0..1e8 + 2.0),
        (any::<f64>(), any::<f64>()),
        (0.0..1e-307f64, 1e-308..1e-306f64),
    ]
    .prop_filter_map("not an interval", |(lower, upper)| Bounds::new(lower.min(upper), lower.max(upper)).ok())
}

/// Records of all kinds: ordinary, any, and extreme.
pub(crate) fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![-3.0..3.0f64, any::<f64>(), prop::sample::select(EXTREMES.to_vec())]
}
