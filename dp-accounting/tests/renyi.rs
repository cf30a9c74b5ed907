//! Curves of sampled mechanisms and their conversion, against references and peers.

#![allow(clippy::unwrap_used)] // a test may panic

use dp_accounting::renyi::{poisson, smallest_epsilon, tabulate, without_replacement};
use dp_accounting::sampling::{Direction, Poisson, WithoutReplacement};
use dp_core::pairs::{DominatingPair, FinitePair, GaussianPair};
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Curve, Delta, Epsilon, Guarantee, Mu, Pure, Rdp, Rho, Zcdp};
use serde_json::Value;

fn entries(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

fn gaussian(mu: f64) -> GaussianPair {
    GaussianPair::new(Mu::new(mu).unwrap())
}

#[test]
fn conversions_are_enclosed() {
    let entries = entries(include_str!("oracles/zcdp-to-approx.json"));
    assert!(entries.len() >= 5);
    for entry in &entries {
        let rho = entry["spec"]["compose"][0]["rho"].as_f64().unwrap();
        let delta = entry["spec"]["delta"].as_f64().unwrap();
        let truth = entry["truth"].as_f64().unwrap();
        let curve = |order: Alpha| Enclosure::point(rho) * Enclosure::point(order.get());
        let best = smallest_epsilon(curve, Delta::new(delta).unwrap());
        println!("{rho} {delta:e} {truth} {:e} {:e}", best.lo() - truth, best.hi() - truth);
        assert!(best.lo() <= truth * (1.0 + 1e-15) && truth * (1.0 - 1e-15) <= best.hi(), "{entry} {best:?}");
        assert!(best.hi() - best.lo() <= 1e-9 * truth.max(1.0), "{entry} {best:?}");
    }
}

#[test]
fn the_lower_end_is_below_every_order() {
    let pair = Poisson::new(gaussian(1.0), 0.02, Direction::Remove).unwrap();
    let curve = |order: Alpha| Enclosure::point(500.0) * pair.renyi(order);
    for delta in [0.1, 1e-5, 1e-12] {
        let best = smallest_epsilon(curve, Delta::new(delta).unwrap());
        assert!(best.lo() > 0.0 && best.hi() - best.lo() <= 1e-8, "{best:?}");
        for k in 0..200 {
            let alpha = 1.0 + (f64::from(k) / 20.0 - 3.0).exp();
            let divergence = curve(Alpha::new(alpha).unwrap()).lo();
            let epsilon = divergence + (1.0 - 1.0 / alpha).ln() - (delta * alpha).ln() / (alpha - 1.0);
            assert!(best.lo() <= epsilon * (1.0 + 1e-12) + 1e-12, "{best:?} {alpha} {epsilon}");
        }
    }
    // A curve that is no curve: nothing below is claimed that an order contradicts.
    let pure = smallest_epsilon(|_| Enclosure::point(1.0), Delta::new(1e-300).unwrap());
    assert!(pure.lo() <= 1.0 && pure.hi() >= 1.0 && pure.hi() < 1.1, "{pure:?}");
    assert_eq!(smallest_epsilon(curve, Delta::ONE), Enclosure::ZERO);
    assert_eq!(smallest_epsilon(curve, Delta::ZERO).hi(), f64::INFINITY);
}

#[test]
fn tables_lose_little() {
    let [remove, add] =
        [Direction::Remove, Direction::Add].map(|d| Poisson::new(gaussian(1.0), 0.01, d).unwrap());
    let table = tabulate(&[&remove, &add]).unwrap();
    for count in [1u64, 100, 10_000, 1_000_000] {
        let delta = Delta::new(1e-6).unwrap();
        #[allow(clippy::cast_precision_loss)]
        let best = smallest_epsilon(|order| Enclosure::point(count as f64) * remove.renyi(order), delta);
        let tabulated = table.times(count).epsilon_at(delta).get();
        assert!(tabulated >= best.lo() && tabulated <= best.hi() * 1.002, "{count}: {tabulated} {best:?}");
    }
    assert!(tabulate(&[]).is_err());
}

/// Exact for the worst mechanism when a record is removed; checked with listed mechanisms in both
/// directions.
#[test]
fn the_general_poisson_curve_bounds_listed_mechanisms() {
    for (p, q) in [([5.0, 1.0, 0.5], [1.0, 2.0, 4.0]), ([9.0, 1.0, 3.0], [1.0, 9.0, 3.0])] {
        let base = FinitePair::new(&p, &q).unwrap();
        let own = tabulate(&[&base, &base.reversed()]).unwrap();
        for rate in [1e-3, 0.05, 0.4, 0.9] {
            let bound = poisson(&own, rate).unwrap();
            let pt: f64 = p.iter().sum();
            let qt: f64 = q.iter().sum();
            for (a, at, b, bt) in [(p, pt, q, qt), (q, qt, p, pt)] {
                let mixed: Vec<f64> = (0..3).map(|i| rate * a[i] / at + (1.0 - rate) * b[i] / bt).collect();
                let sampled = FinitePair::new(&mixed, &b).unwrap();
                for order in [1.5, 2.0, 2.6, 3.0, 9.0, 64.0, 500.0] {
                    let alpha = Alpha::new(order).unwrap();
                    let claimed = bound.divergence(alpha);
                    for truth in [sampled.renyi(alpha), sampled.reversed().renyi(alpha)] {
                        assert!(
                            claimed >= truth.lo() * (1.0 - 1e-12),
                            "{p:?} rate {rate} order {order}: {claimed} {truth:?}"
                        );
                    }
                    assert!(order > 64.0 || order.fract() != 0.0 || claimed <= own.divergence(alpha));
                }
            }
        }
    }
}

#[test]
fn the_general_poisson_curve_is_close_where_sampling_matters() {
    let zcdp = Rdp::from(Curve::Line(Zcdp::from(Rho::new(0.5).unwrap())));
    let bound = poisson(&zcdp, 0.01).unwrap();
    let exact = Poisson::new(gaussian(1.0), 0.01, Direction::Remove).unwrap();
    for order in [2.0, 3.0, 8.0, 16.0] {
        let alpha = Alpha::new(order).unwrap();
        let (claimed, truth) = (bound.divergence(alpha), exact.renyi(alpha));
        assert!(claimed >= truth.lo() && claimed <= truth.hi() * 1.25, "{order}: {claimed} {truth:?}");
    }
    assert_eq!(poisson(&zcdp, 0.0).unwrap(), Rdp::perfect());
    assert_eq!(poisson(&zcdp, 1.0).unwrap(), zcdp);
    assert!(poisson(&zcdp, 1.5).is_err() && poisson(&zcdp, f64::NAN).is_err());
    // What was never bounded is not bounded by sampling either.
    let none = Rdp::from(Curve::Pure(Pure::from(Epsilon::INFINITE)));
    assert!(poisson(&none, 0.1).unwrap().divergence(Alpha::new(2.0).unwrap()).is_infinite());
}

/// Peers bound the sampled Gaussian by a theorem for general mechanisms; the pair must do at least
/// as well.
#[test]
fn without_replacement_is_at_most_what_peers_say() {
    let entries = entries(include_str!("oracles/sampled-without-replacement-gaussian-rdp.json"));
    assert_eq!(entries.len(), 69);
    // Of the conversions every tenth: each takes a table.
    let conversions = entries.iter().filter(|entry| entry["order"].is_null()).step_by(10);
    for entry in entries.iter().filter(|entry| entry["order"].is_number()).chain(conversions) {
        let size = entry["source_dataset_size"].as_u64().unwrap();
        let batch = entry["sample_size"].as_u64().unwrap();
        let sigma = entry["noise_multiplier"].as_f64().unwrap();
        let pair = WithoutReplacement::new(gaussian(1.0 / sigma), size, batch).unwrap();
        let rho = Zcdp::from(Rho::new(0.5 / sigma / sigma).unwrap());
        let general =
            without_replacement(&Rdp::from(Curve::Line(rho)), Epsilon::INFINITE, size, batch).unwrap();
        let peer = entry["peer_upper_bound"].as_f64().unwrap();
        let [exact, general] = if let Some(order) = entry["order"].as_f64() {
            let order = Alpha::new(order).unwrap();
            [pair.renyi(order).hi(), general.divergence(order)]
        } else {
            let delta = Delta::new(entry["delta"].as_f64().unwrap()).unwrap();
            let count = entry["compositions"].as_u64().unwrap();
            [tabulate(&[&pair]).unwrap(), general].map(|curve| curve.times(count).epsilon_at(delta).get())
        };
        assert!(exact <= peer * (1.0 + 1e-9), "{entry}: {exact} {general}");
        // Theirs is the same theorem; from order 3 on they also use that the mechanism is a
        // Gaussian.
        assert!(general >= exact, "{entry}: {exact} {general}");
        if entry["order"] == 2 {
            assert!((general / peer - 1.0).abs() < 1e-9, "{entry}: {general}");
        }
    }
}
