//! All that one verification found.

use crate::claim::Verdict;

use super::audit::Audited;
use super::mode::Mode;
use super::outcome::Outcome;
use super::timing::{Expected, Timing};
use super::tried::Tried;

/// What was found, and what was not looked at.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub(crate) mode: Mode,
    pub(crate) seed: u64,
    pub(crate) claims: Vec<Outcome>,
    pub(crate) audits: Vec<Audited>,
    pub(crate) mutants: Vec<Tried>,
    pub(crate) timings: Vec<Timing>,
    /// What should have been checked and was not, with the reason.
    pub(crate) unchecked: Vec<String>,
    pub(crate) seconds: f64,
}

impl Findings {
    /// Whether a run may end well: something was checked, nothing was left out, and all of it was
    /// as expected.
    #[must_use]
    pub fn as_expected(&self) -> bool {
        let claims = self.claims.iter().all(|outcome| outcome.as_expected);
        let audits = self.audits.iter().all(|audited| !audited.exceeded);
        let mutants = self.mutants.iter().all(|tried| tried.caught);
        let timings = self.timings.iter().all(Timing::as_expected);
        !self.claims.is_empty() && self.unchecked.is_empty() && claims && audits && mutants && timings
    }

    /// One line each: claims, mutants, audits and durations, what was as expected and what was not.
    pub(crate) fn summary(&self) -> Vec<String> {
        let mut lines = vec![self.of_claims()];
        if !self.mutants.is_empty() {
            let escaped: Vec<_> =
                self.mutants.iter().filter(|tried| !tried.caught).map(|tried| tried.name).collect();
            lines.push(sentence(self.mutants.len(), "mutant", "caught", "not caught", &escaped));
        }
        if !self.audits.is_empty() {
            let above: Vec<_> =
                self.audits.iter().filter(|audited| audited.exceeded).map(|audited| audited.name).collect();
            lines.push(sentence(self.audits.len(), "audit", "below what is claimed", "above it", &above));
        }
        let judged = self.timings.iter().filter(|timing| timing.expected != Expected::Reported);
        if judged.clone().next().is_some() {
            let wrong: Vec<_> =
                judged.clone().filter(|timing| !timing.as_expected()).map(|timing| timing.sampler).collect();
            lines.push(sentence(judged.count(), "duration", "as expected", "not so", &wrong));
        }
        if !self.unchecked.is_empty() {
            lines.push(format!("not checked: {}", self.unchecked.join("; ")));
        }
        lines
    }

    fn of_claims(&self) -> String {
        let count =
            |verdict| self.claims.iter().filter(|o| o.as_expected && o.finding.verdict == verdict).count();
        let failed: Vec<_> = self
            .claims
            .iter()
            .filter(|outcome| !outcome.as_expected)
            .map(|o| format!("{} ({} instead of {})", o.claim.id, o.finding.verdict, o.claim.expected))
            .collect();
        let parts = [
            (count(Verdict::Holds), "hold".to_owned()),
            (count(Verdict::Refuted), "refuted as expected".to_owned()),
            (failed.len(), format!("not as expected: {}", failed.join(", "))),
        ];
        let parts: Vec<_> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let noun = if self.claims.len() == 1 { "claim" } else { "claims" };
        format!("{} {noun}: {}", self.claims.len(), parts.join(", "))
    }
}

/// "3 mutants: 2 caught, 1 not caught: that one".
fn sentence(all: usize, noun: &str, good: &str, bad: &str, failed: &[&str]) -> String {
    let plural = if all == 1 { "" } else { "s" };
    let fine = all - failed.len();
    if failed.is_empty() {
        format!("{all} {noun}{plural}: {fine} {good}")
    } else {
        format!("{all} {noun}{plural}: {fine} {good}, {} {bad}: {}", failed.len(), failed.join(", "))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::claim::Finding;
    use crate::outcome::tests::{claim, outcomes};

    /// Three claims, one of them not as expected.
    pub(crate) fn findings() -> Findings {
        Findings {
            claims: outcomes(&[
                claim("D3", Verdict::Holds, || Finding::holds("seen\n  twice")),
                claim("D10", Verdict::Refuted, || Finding::refuted("by \"this\" & <that>")),
                claim("M1", Verdict::Holds, || Finding::refuted("at ε = 1")),
            ]),
            seconds: 1.25,
            ..Findings::default()
        }
    }

    /// What was measured of a sampler.
    pub(crate) fn timing(sampler: &'static str, expected: Expected, shows: bool) -> Timing {
        Timing {
            sampler,
            classes: "one and another".into(),
            deviations: -9.0,
            effect: -0.5,
            nanoseconds: (1.0, 2.0),
            draws: 9,
            shows,
            expected,
        }
    }

    #[test]
    fn the_summary_names_what_was_not_expected() {
        let mut findings = findings();
        assert_eq!(
            findings.summary(),
            ["3 claims: 1 hold, 1 refuted as expected, 1 not as expected: M1 (refuted instead of holds)"]
        );
        findings.claims.pop();
        assert_eq!(findings.summary(), ["2 claims: 1 hold, 1 refuted as expected"]);
        findings.claims.remove(0);
        assert_eq!(findings.summary(), ["1 claim: 1 refuted as expected"]);
        assert_eq!(
            sentence(3, "mutant", "caught", "not caught", &["a", "b"]),
            "3 mutants: 1 caught, 2 not caught: a, b"
        );
    }

    #[test]
    fn a_run_ends_well_only_if_all_was_checked_and_expected() {
        let mut findings = findings();
        assert!(!findings.as_expected(), "one claim is not");
        findings.claims.pop();
        assert!(findings.as_expected());
        findings.unchecked.push("the audit of Laplace noise".into());
        assert!(!findings.as_expected(), "one audit was not run");
        assert!(!Findings::default().as_expected(), "nothing was checked");
        findings.unchecked.clear();
        findings.timings.push(timing("noise", Expected::Even, false));
        findings.timings.push(timing("control", Expected::Shows, true));
        assert!(findings.as_expected());
        assert_eq!(findings.summary()[1], "2 durations: 2 as expected");
        findings.timings.push(timing("slow noise", Expected::Even, true));
        assert!(!findings.as_expected(), "an input shows");
        assert_eq!(findings.summary()[1], "3 durations: 2 as expected, 1 not so: slow noise");
        findings.timings[2] = timing("blind control", Expected::Shows, false);
        assert!(!findings.as_expected(), "a control does not");
        findings.timings[2] = timing("magnitudes", Expected::Reported, true);
        assert!(findings.as_expected());
    }
}
