//! What the audits must see, and must not.

use dp_core::{Pure, Query, Scale};
use dp_mechanisms::{Gaussian, Laplace};

use super::subject::{Claim, View, given};
use super::*;

/// The nominal number of draws of a quick run.
const QUICK: u64 = crate::mode::Mode::Quick.audit_draws();
/// The same of a standard run.
const STANDARD: u64 = crate::mode::Mode::Standard.audit_draws();
/// The failure probability of one audit among a hundred, in a run that fails with 10⁻⁶.
const FAILURE: f64 = 1e-8;

fn found(name: &str, draws: u64) -> Audited {
    let audits = all();
    let audit = audits.iter().find(|audit| audit.name == name).expect("an audit of this name");
    audit.run(draws, FAILURE, 1)
}

#[test]
fn every_audit_has_a_name_and_a_claim() {
    let audits = all();
    let names: std::collections::BTreeSet<_> = audits.iter().map(|audit| audit.name).collect();
    assert_eq!(names.len(), audits.len());
    for audit in &audits {
        assert!(audit.claim.epsilon.is_finite() && audit.claim.epsilon > 0.0, "{}", audit.name);
        assert!(audit.weight > 0.0 && audit.weight <= 1.0, "{}", audit.name);
    }
}

/// False alarms: 10⁻⁸ for each audit.
#[test]
fn no_audit_exceeds_its_claim() {
    for audit in all() {
        let found = audit.run(2000, FAILURE, 7);
        assert!(!found.exceeded, "{found:?}");
    }
}

/// Tight mechanisms on worst neighbours: nine tenths of the claim, of which chance alone would take
/// away one in fifty with probability below 10⁻⁸.
#[test]
fn a_million_draws_show_nearly_all_that_tight_mechanisms_lose() {
    for name in ["Laplace", "discrete Laplace", "randomized response", "count, add-remove", "mean"] {
        let found = found(name, 1_000_000);
        assert!(found.lower.epsilon > 0.9 * found.epsilon, "{found:?}");
    }
}

/// Half of the noise doubles the loss. A quick run sees it in Laplace noise, and would miss it with
/// a probability below 10⁻⁸; in Gaussian noise, where only the tails tell, a standard run does.
#[test]
fn half_of_the_noise_is_caught() {
    let scale = |b: f64| Scale::new(b).unwrap();
    let number = || View::number(|output: f64| output);
    let weak = given::<f64>(1.0).with(Laplace::with_scale(scale(0.5))).unwrap();
    let mut audit = Audit::of("half", "half of the noise", weak, [0.0, 1.0], 0.0, number()).unwrap();
    audit.claim = Claim::of(&Pure::new(1.0).unwrap(), 0.0).unwrap();
    let found = audit.run(QUICK, FAILURE, 1);
    assert!(found.exceeded && found.lower.epsilon > 1.5, "{found:?}");
    assert!(found.neighbours == "0.0 and 1.0" && found.lower.event.contains("likelier on the"), "{found:?}");

    let exact = Gaussian::epsilon_delta(1.0, 1e-3).unwrap();
    let exact = dp_core::Calibrate::calibrate(
        exact,
        dp_core::SensitivityIn::<dp_core::L2>::sensitivity(&given::<f64>(1.0)),
    );
    let sigma = exact.unwrap().0.scale().get();
    let weak = given::<f64>(1.0).with(Gaussian::with_scale(scale(sigma / 2.0))).unwrap();
    let mut audit = Audit::of("half", "half of the noise", weak, [0.0, 1.0], 1e-3, number()).unwrap();
    audit.claim = Claim { guarantee: String::new(), epsilon: 1.0, delta: 1e-3 };
    let found = audit.run(STANDARD, FAILURE, 1);
    assert!(found.exceeded && found.lower.epsilon > 1.5, "{found:?}");
}

#[test]
fn a_seed_gives_one_result_and_names_have_streams_of_their_own() {
    let [one, same] = [(), ()].map(|()| found("Laplace", 4000));
    assert_eq!((one.lower.epsilon, one.lower.event), (same.lower.epsilon, same.lower.event));
    assert_ne!(hash("Laplace"), hash("Gaussian"));
}
