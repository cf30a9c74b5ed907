//! Conversions and profiles against reference values of independent origin
//! (see `fixtures/README.md`).
//!
//! The bar: an upper end is never below the truth, and above it by at most one part in 10⁹.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test

use dp_core::pairs::{
    DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, GaussianPair, LaplacePair,
    RandomizedResponsePair,
};
use dp_core::rounding::div_up;
use dp_core::{Alpha, Curve, Delta, Epsilon, Gdp, Guarantee, Mu, Rdp, Scale, Zcdp};
use serde_json::Value;

fn read(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("the fixture is JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The only step of a composition, and the whole specification.
fn step(entry: &Value) -> (&Value, &Value) {
    let spec = &entry["spec"];
    assert_eq!(spec["compose"].as_array().map(Vec::len), Some(1));
    (&spec["compose"][0], spec)
}

fn assert_upper(upper: f64, entry: &Value) {
    let truth = number(&entry["truth"]);
    assert!(upper >= truth, "{upper:e} is below the truth {truth:e}: {entry}");
    assert!(upper - truth <= 1e-9 * truth, "{upper:e} is far above the truth {truth:e}: {entry}");
}

#[test]
fn zcdp_to_approx() {
    let entries = read(include_str!("fixtures/oracles/zcdp-to-approx.json"));
    assert_eq!(entries.len(), 7);
    for entry in &entries {
        let (zcdp, spec) = step(entry);
        let zcdp = Zcdp::new(number(&zcdp["rho"])).unwrap();
        let delta = Delta::new(number(&spec["delta"])).unwrap();
        assert_upper(zcdp.epsilon_at(delta).get(), entry);
        // The same line as a Rényi curve goes through the general search.
        let curve: Rdp = zcdp.relax();
        assert_upper(curve.epsilon_at(delta).get(), entry);
    }
}

/// The guarantee of `count` Gaussian releases.
fn gaussian(step: &Value) -> Gdp {
    let once = div_up(number(&step["sensitivity"]), number(&step["sigma"]));
    Gdp::new(once).unwrap().times(step["count"].as_u64().unwrap())
}

#[test]
fn gaussian_epsilon() {
    let entries = read(include_str!("fixtures/oracles/gaussian.json"));
    assert_eq!(entries.len(), 72);
    for entry in &entries {
        let (step, spec) = step(entry);
        assert_upper(gaussian(step).epsilon_at(Delta::new(number(&spec["delta"])).unwrap()).get(), entry);
    }
}

#[test]
fn gaussian_delta() {
    let entries = read(include_str!("fixtures/oracles/gaussian-delta.json"));
    assert_eq!(entries.len(), 54);
    for entry in &entries {
        let (step, spec) = step(entry);
        let epsilon = Epsilon::new(number(&spec["epsilon"])).unwrap();
        assert_upper(gaussian(step).delta_at(epsilon).get(), entry);
        let lower = GaussianPair::new(gaussian(step).mu()).delta(epsilon.get()).lo();
        // The distance was rounded up, so the lower end may pass the truth by as little.
        assert!(lower <= number(&entry["truth"]) * (1.0 + 1e-9), "{lower:e}: {entry}");
    }
}

/// Calibration inverts the profile: the largest μ for the ε and δ of each entry is the μ of that
/// entry.
#[test]
fn gaussian_calibration() {
    for entry in read(include_str!("fixtures/oracles/gaussian.json")) {
        let (step, spec) = step(&entry);
        let truth = gaussian(step).mu().get();
        let (epsilon, delta) = (number(&entry["truth"]), number(&spec["delta"]));
        let (epsilon, delta) = (Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap());
        let mu = GaussianPair::largest_mu(epsilon, delta).get();
        // The truth is rounded to the nearest float, and so may lie above the exact one by half an
        // ulp.
        assert!(mu <= truth * (1.0 + 1e-14), "{mu} is above {truth}: {entry}");
        assert!(mu >= truth * (1.0 - 1e-9), "{mu} is far below {truth}: {entry}");
    }
}

#[test]
fn single_releases() {
    let files = [
        include_str!("fixtures/oracles/laplace.json"),
        include_str!("fixtures/oracles/randomized-response.json"),
        include_str!("fixtures/oracles/discrete-laplace.json"),
        include_str!("fixtures/oracles/discrete-gaussian.json"),
    ];
    let mut seen = 0;
    for entry in files.into_iter().flat_map(read) {
        let (step, spec) = step(&entry);
        let delta = Delta::new(number(&spec["delta"])).unwrap();
        let scale = |field: &str| Scale::new(number(&step[field])).unwrap();
        let upper = match step["kind"].as_str().unwrap() {
            "laplace" => {
                let shift = div_up(number(&step["sensitivity"]), number(&step["scale"]));
                LaplacePair::new(Epsilon::new(shift).unwrap()).epsilon(delta)
            }
            "randomized-response" => {
                RandomizedResponsePair::binary(Epsilon::new(number(&step["epsilon"])).unwrap()).epsilon(delta)
            }
            "discrete-laplace" => DiscreteLaplacePair::new(scale("scale"), 1).unwrap().epsilon(delta),
            "discrete-gaussian" => DiscreteGaussianPair::new(scale("sigma"), 1).unwrap().epsilon(delta),
            other => panic!("unknown kind {other}"),
        };
        let (truth, error) = (number(&entry["truth"]), number(&entry["truth_abs_err"]));
        assert!(upper.get() >= truth - error, "{upper} is below the truth: {entry}");
        assert!(upper.get() - truth <= 1e-9 * truth + error, "{upper} is far above the truth: {entry}");
        seen += 1;
    }
    assert_eq!(seen, 13 + 3 + 7 + 7);
}

#[test]
fn renyi_curves() {
    let mut seen = 0;
    for entry in read(include_str!("fixtures/oracles/rdp-curves.json")) {
        let order = Alpha::new(number(&entry["order"])).unwrap();
        let truth = number(&entry["reference"]);
        let enclosure = match entry["mechanism"].as_str().unwrap() {
            "laplace" => {
                let shift = Epsilon::new(div_up(1.0, number(&entry["b"]))).unwrap();
                let curve = Rdp::from(Curve::Laplace { shift });
                let pair = LaplacePair::new(shift).renyi(order);
                assert_eq!(curve.divergence(order), pair.hi());
                pair
            }
            "gaussian" => {
                GaussianPair::new(Mu::new(div_up(1.0, number(&entry["sigma"]))).unwrap()).renyi(order)
            }
            "randomized_response_replace_one" => {
                // The true value with probability 1 − p + p/k, each other one with p/k: ε₀ =
                // ln(1 + k(1−p)/p).
                let (p, k) = (number(&entry["noise_parameter"]), number(&entry["num_buckets"]));
                let epsilon = Epsilon::new((k * (1.0 - p) / p).ln_1p()).unwrap();
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                RandomizedResponsePair::new(epsilon, k as u32).unwrap().renyi(order)
            }
            other => panic!("unknown mechanism {other}"),
        };
        assert!(enclosure.lo() <= truth * (1.0 + 1e-12), "{enclosure:?}: {entry}");
        assert!(enclosure.hi() >= truth * (1.0 - 1e-12), "{enclosure:?}: {entry}");
        assert!(enclosure.hi() <= truth * (1.0 + 1e-9) + 1e-300, "{enclosure:?}: {entry}");
        seen += 1;
    }
    assert_eq!(seen, 64 + 49 + 46);
}
