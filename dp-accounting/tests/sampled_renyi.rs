//! Rényi divergences of sampled mechanisms against values of 40 and more digits.

#![allow(clippy::unwrap_used)] // a test may panic

use dp_accounting::sampling::{Direction, Poisson, WithoutReplacement};
use dp_core::pairs::{DominatingPair, GaussianPair};
use dp_core::{Alpha, Mu};
use serde_json::Value;

fn entries(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

fn number(entry: &Value, field: &str) -> f64 {
    entry[field].as_f64().unwrap()
}

#[track_caller]
fn assert_divergence(mu: f64, entry: &Value, rate: f64, direction: Direction) {
    let (order, truth) = (number(entry, "order"), number(entry, "reference"));
    let pair = Poisson::new(GaussianPair::new(Mu::new(mu).unwrap()), rate, direction).unwrap();
    let ours = pair.renyi(Alpha::new(order).unwrap());
    // μ = 1/σ is rounded here, and the truth was rounded to a float.
    let slack = truth * 2e-14;
    assert!(ours.lo() <= truth + slack && truth - slack <= ours.hi(), "{entry}: {ours:?}");
    assert!(ours.relative_width() < 1e-10, "{entry}: {ours:?}");
}

/// Removed records, all orders from 1.1 to 1024 (the shared reference values).
#[test]
fn poisson_sampled_gaussians_that_lose_a_record() {
    let entries = entries(include_str!("oracles/rdp-poisson-gaussian.json"));
    assert_eq!(entries.len(), 231);
    for entry in &entries {
        assert_divergence(
            1.0 / number(entry, "sigma"),
            entry,
            number(entry, "sampling_probability"),
            Direction::Remove,
        );
    }
}

/// Added records: numerical integration at 40 digits with mpmath.
#[test]
fn poisson_sampled_gaussians_that_gain_a_record() {
    let entries = entries(include_str!("oracles/rdp-poisson-gaussian-add.json"));
    assert_eq!(entries.len(), 72);
    for entry in &entries {
        assert_divergence(number(entry, "mu"), entry, number(entry, "rate"), Direction::Add);
    }
}

/// Samples without replacement: numerical integration at 40 digits with mpmath.
#[test]
fn gaussians_on_samples_without_replacement() {
    let entries = entries(include_str!("oracles/rdp-without-replacement-gaussian.json"));
    assert_eq!(entries.len(), 54);
    for entry in &entries {
        let size = |field: &str| entry[field].as_u64().unwrap();
        let base = GaussianPair::new(Mu::new(number(entry, "mu")).unwrap());
        let pair = WithoutReplacement::new(base, size("size"), size("batch")).unwrap();
        let (ours, truth) =
            (pair.renyi(Alpha::new(number(entry, "order")).unwrap()), number(entry, "reference"));
        let slack = truth * 1e-14;
        assert!(ours.lo() <= truth + slack && truth - slack <= ours.hi(), "{entry}: {ours:?}");
        assert!(ours.relative_width() < 1e-8, "{entry}: {ours:?}");
    }
}
