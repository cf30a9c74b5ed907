//! Compositions against reference values of independent origin (`oracles/README.md`).
//!
//! The bar: lower ≤ truth ≤ upper in every case, and (upper − lower)/upper at most 1e-4.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test

use dp_accounting::{Composition, DEFAULT_ACCURACY, Event};
use dp_core::adjacency::Adjacency;
use dp_core::pairs::{
    DiscreteGaussianPair, DiscreteLaplacePair, FinitePair, GaussianPair, LaplacePair, RandomizedResponsePair,
};
use dp_core::rounding::{Enclosure, div_up};
use dp_core::{AddRemove, Delta, Epsilon, Mu, ReplaceOne, Scale, Zcdp};
use serde_json::Value;

fn read(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("the fixture is JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// An event that needs no relation of its own.
fn event<A: Adjacency>(part: &Value) -> Event<A> {
    let ratio = |scale: &str| div_up(number(&part["sensitivity"]), number(&part[scale]));
    match part["kind"].as_str().unwrap() {
        "gaussian" => GaussianPair::new(Mu::new(ratio("sigma")).unwrap()).into(),
        "laplace" => LaplacePair::new(Epsilon::new(ratio("scale")).unwrap()).into(),
        "discrete-laplace" => {
            DiscreteLaplacePair::new(Scale::new(number(&part["scale"])).unwrap(), 1).unwrap().into()
        }
        "discrete-gaussian" => {
            DiscreteGaussianPair::new(Scale::new(number(&part["sigma"])).unwrap(), 1).unwrap().into()
        }
        "randomized-response" => {
            RandomizedResponsePair::binary(Epsilon::new(number(&part["epsilon"])).unwrap()).into()
        }
        "zcdp" => Zcdp::new(number(&part["rho"])).unwrap().into(),
        other => panic!("{other} is not known"),
    }
}

fn count(part: &Value) -> u64 {
    part.get("count").map_or(1, |count| count.as_u64().unwrap())
}

fn answer<A: Adjacency>(composition: &Composition<A>, spec: &Value, accuracy: f64) -> Enclosure {
    match spec.get("delta") {
        Some(delta) => composition.epsilon_within(Delta::new(number(delta)).unwrap(), accuracy),
        None => composition.delta_within(Epsilon::new(number(&spec["epsilon"])).unwrap(), accuracy),
    }
}

fn asked(spec: &Value, accuracy: f64) -> Enclosure {
    let parts = spec["compose"].as_array().unwrap();
    if spec["adjacency"] == "replace-one" {
        let composition = parts
            .iter()
            .fold(Composition::<ReplaceOne>::new(), |sum, part| sum.with(event(part), count(part)));
        return answer(&composition, spec, accuracy);
    }
    let composition = parts.iter().fold(Composition::<AddRemove>::new(), |sum, part| {
        let event = if part["kind"] == "poisson" {
            Event::poisson(number(&part["rate"]), event::<AddRemove>(&part["of"])).unwrap()
        } else {
            event(part)
        };
        sum.with(event, count(part))
    });
    answer(&composition, spec, accuracy)
}

/// The relative widths that are asked for: by default, and on request.
const ACCURACIES: [f64; 2] = [DEFAULT_ACCURACY, 1e-6];

/// Compares a whole file.
fn check(text: &str, cases: usize) {
    let entries = read(text);
    assert_eq!(entries.len(), cases);
    let mut failures = Vec::new();
    for (entry, accuracy) in entries.iter().flat_map(|entry| ACCURACIES.map(|accuracy| (entry, accuracy))) {
        let found = asked(&entry["spec"], accuracy);
        let (truth, slack) = (number(&entry["truth"]), number(&entry["truth_abs_err"]));
        let inside = found.lo() <= truth + slack && truth - slack <= found.hi();
        if !inside || found.relative_width() > accuracy {
            failures.push(format!(
                "{found:?} ({:e}) truth {truth:e} ± {slack:e}: {} {}",
                found.relative_width(),
                entry["spec"],
                entry["source"]
            ));
        }
    }
    assert!(failures.is_empty(), "{} of {cases}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn gaussian() {
    check(include_str!("oracles/gaussian.json"), 72);
    check(include_str!("oracles/gaussian-delta.json"), 54);
}

#[test]
fn laplace() {
    check(include_str!("oracles/laplace.json"), 36);
}

#[test]
fn randomized_response() {
    check(include_str!("oracles/randomized-response.json"), 14);
}

/// Responses between k answers, of which a part p is uniform: the truth is told with 1 − p + p/k,
/// anything else with p/k. Sampled ones come as a pair.
#[test]
fn responses_between_many_answers_and_sampled_ones() {
    let entries = read(include_str!("oracles/poisson-randomized-response.json"));
    assert_eq!(entries.len(), 33);
    let mut failures = Vec::new();
    for (entry, accuracy) in entries.iter().flat_map(|entry| ACCURACIES.map(|accuracy| (entry, accuracy))) {
        let uniform = number(&entry["noise_parameter"]);
        let answers = u32::try_from(entry["num_buckets"].as_u64().unwrap()).unwrap();
        let times = entry["compositions"].as_u64().unwrap();
        let delta = Delta::new(number(&entry["delta"])).unwrap();
        let other = uniform / f64::from(answers);
        let found = match entry["family"].as_str().unwrap() {
            "randomized_response" => {
                let limit = Epsilon::new(((1.0 - uniform + other) / other).ln()).unwrap();
                let pair = RandomizedResponsePair::new(limit, answers).unwrap();
                Composition::<ReplaceOne>::new().with(pair, times).epsilon_within(delta, accuracy)
            }
            "poisson_subsampled_randomized_response" => {
                assert_eq!(answers, 2);
                let pair = FinitePair::new(&[1.0 - other, other], &[other, 1.0 - other]).unwrap();
                let sampled = Event::poisson(number(&entry["sampling_probability"]), pair).unwrap();
                Composition::<AddRemove>::new().with(sampled, times).epsilon_within(delta, accuracy)
            }
            family => panic!("{family} is not known"),
        };
        // ε₀ and the reference are rounded.
        let (truth, slack) = (number(&entry["reference"]), 1e-12);
        let inside = found.lo() <= truth * (1.0 + slack) && truth * (1.0 - slack) <= found.hi();
        if !inside || found.relative_width() > accuracy {
            failures.push(format!("{found:?} ({:e}): {entry}", found.relative_width()));
        }
    }
    assert!(failures.is_empty(), "{} of 33:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn discrete_noise() {
    check(include_str!("oracles/discrete-laplace.json"), 19);
    check(include_str!("oracles/discrete-gaussian.json"), 24);
}

#[test]
fn heterogeneous() {
    check(include_str!("oracles/heterogeneous.json"), 18);
}

#[test]
fn poisson_gaussian() {
    check(include_str!("oracles/poisson-gaussian.json"), 223);
}

#[test]
fn poisson_laplace() {
    check(include_str!("oracles/poisson-laplace.json"), 58);
}

/// The reference is what one Rényi order proves: the upper end. The lower one is that of Gaussian
/// noise, which is ρ-zCDP.
#[test]
fn zcdp() {
    let entries = read(include_str!("oracles/zcdp-to-approx.json"));
    assert_eq!(entries.len(), 7);
    for entry in &entries {
        let (found, truth) = (asked(&entry["spec"], DEFAULT_ACCURACY), number(&entry["truth"]));
        assert!(found.hi() >= truth && found.hi() <= truth * (1.0 + 1e-8), "{found:?} {truth:e}");
        let rho = number(&entry["spec"]["compose"][0]["rho"]);
        let gaussian = GaussianPair::new(Mu::new((2.0 * rho).sqrt()).unwrap());
        let delta = Delta::new(number(&entry["spec"]["delta"])).unwrap();
        let epsilon = Composition::<AddRemove>::new().with(gaussian, 1).epsilon(delta);
        assert!(
            (found.lo() / epsilon.lo() - 1.0).abs() < 1e-12 && epsilon.hi() <= found.hi(),
            "{found:?} {epsilon:?}"
        );
    }
}
