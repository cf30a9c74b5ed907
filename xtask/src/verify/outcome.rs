//! Checking claims, many at a time.

use std::any::Any;
use std::num::NonZero;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use dp_core::claims::{Claim, Finding};

/// A claim and what its check found.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) claim: Claim,
    pub(super) finding: Finding,
    pub(super) as_expected: bool,
    pub(super) seconds: f64,
}

/// Whether a run may end well: something was checked, and all of it was as expected.
pub(super) fn all_as_expected(outcomes: &[Outcome]) -> bool {
    !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.as_expected)
}

/// Checks all claims on all cores; the outcomes are in the order of the claims.
pub(super) fn check_all(claims: &[Claim]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(claim) = claims.get(index) else { return done };
            done.push((index, check(claim)));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut outcomes: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(claims.len())).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Checks one claim. A check that panics has decided nothing, and the others go on.
fn check(claim: &Claim) -> Outcome {
    let start = Instant::now();
    let (finding, as_expected) = catch_unwind(|| claim.run()).unwrap_or_else(|panic| {
        (Finding::undecided(format!("the check panicked: {}", message(panic.as_ref()))), false)
    });
    Outcome { claim: *claim, finding, as_expected, seconds: start.elapsed().as_secs_f64() }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use dp_core::claims::{Kind, Verdict};

    /// A claim for tests of the ledger.
    pub(in crate::verify) fn claim(id: &'static str, expected: Verdict, check: fn() -> Finding) -> Claim {
        Claim { id, source: "a source", statement: "a statement", kind: Kind::Exact, expected, check }
    }

    fn verdicts(claims: &[Claim]) -> Vec<(&'static str, Verdict, bool)> {
        check_all(claims).iter().map(|o| (o.claim.id, o.finding.verdict, o.as_expected)).collect()
    }

    #[test]
    fn a_failing_and_a_panicking_check_are_told_from_the_good_ones() {
        let claims = [
            claim("A", Verdict::Holds, || Finding::holds("")),
            claim("B", Verdict::Holds, || Finding::refuted("")),
            claim("C", Verdict::Holds, || panic!("at the disco")),
            claim("D", Verdict::Refuted, || Finding::refuted("")),
            claim("E", Verdict::Undecided, || Finding::undecided("")),
        ];
        assert_eq!(
            verdicts(&claims),
            [
                ("A", Verdict::Holds, true),
                ("B", Verdict::Refuted, false),
                ("C", Verdict::Undecided, false),
                ("D", Verdict::Refuted, true),
                ("E", Verdict::Undecided, false),
            ]
        );
        assert_eq!(check_all(&claims)[2].finding.detail, "the check panicked: at the disco");
    }

    #[test]
    fn order_is_kept_when_checks_take_different_times() {
        let slow = || {
            thread::sleep(std::time::Duration::from_millis(20));
            Finding::holds("")
        };
        let claims = [claim("A", Verdict::Holds, slow), claim("B", Verdict::Holds, || Finding::holds(""))];
        assert_eq!(check_all(&claims).iter().map(|o| o.claim.id).collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn a_run_ends_well_only_if_all_was_expected() {
        let good = check_all(&[claim("A", Verdict::Refuted, || Finding::refuted(""))]);
        let bad = check_all(&[claim("B", Verdict::Holds, || Finding::undecided(""))]);
        assert!(all_as_expected(&good));
        assert!(!all_as_expected(&bad));
        assert!(!all_as_expected(&[good, bad].concat()));
        assert!(!all_as_expected(&[]));
    }
}
