//! The report for programs.
//!
//! The schema is stable: fields are added, never changed or taken away while `schema` stays the
//! same. `xtask/README.md` describes it.

use serde_json::{Value, json};

use crate::audit::Audited;
use crate::findings::Findings;
use crate::outcome::Outcome;
use crate::timing::Timing;
use crate::tried::Tried;

/// The version of the schema.
const SCHEMA: u32 = 1;

/// The findings as JSON. Times stay out of it but for the total and the timing test, so that two
/// runs differ where their findings do.
pub(super) fn render(findings: &Findings) -> String {
    let report = json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "mode": findings.mode.to_string(),
        "seed": findings.seed,
        "as_expected": findings.as_expected(),
        "claims": findings.claims.iter().map(claim).collect::<Vec<_>>(),
        "mutants": findings.mutants.iter().map(mutant).collect::<Vec<_>>(),
        "audits": findings.audits.iter().map(audit).collect::<Vec<_>>(),
        "timing": findings.timings.iter().map(timing).collect::<Vec<_>>(),
        "unchecked": findings.unchecked,
        "seconds": findings.seconds,
    });
    format!("{report:#}\n")
}

fn claim(Outcome { claim, finding, .. }: &Outcome) -> Value {
    let slack = finding.slack.as_ref().map(|slack| {
        json!({ "quantity": slack.quantity, "least": slack.least, "most": slack.most, "gain": slack.gain })
    });
    json!({
        "id": claim.id,
        "source": claim.source,
        "statement": claim.statement,
        "formula": claim.formula,
        "meaning": claim.meaning,
        "kind": claim.kind.to_string(),
        "expected": claim.expected.to_string(),
        "verdict": finding.verdict.to_string(),
        "detail": finding.detail,
        "slack": slack,
    })
}

fn mutant(tried: &Tried) -> Value {
    json!({ "name": tried.name, "mistake": tried.mistake, "right": tried.right, "caught": tried.caught, "by": tried.by })
}

fn audit(audited: &Audited) -> Value {
    json!({
        "name": audited.name,
        "what": audited.what,
        "neighbours": audited.neighbours,
        "relation": audited.relation,
        "epsilon": audited.epsilon,
        "delta": audited.delta,
        "lower_bound": audited.lower.epsilon,
        "event": audited.lower.event,
        "draws": audited.lower.draws,
        "exceeded": audited.exceeded,
    })
}

fn timing(timing: &Timing) -> Value {
    json!({
        "sampler": timing.sampler,
        "classes": timing.classes,
        "deviations": timing.deviations,
        "effect": timing.effect,
        "nanoseconds": [timing.nanoseconds.0, timing.nanoseconds.1],
        "draws": timing.draws,
        "shows": timing.shows,
        "as_expected": timing.as_expected(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::tests::findings;

    #[test]
    fn the_report_says_what_was_expected_and_what_was_found() {
        let report: Value = serde_json::from_str(&render(&findings())).unwrap();
        assert_eq!(
            report["claims"][1],
            json!({
                "id": "D10", "source": "a source", "statement": "a statement", "formula": "a = b", "meaning": "what it means",
                "kind": "exact", "expected": "refuted", "verdict": "refuted", "detail": "by \"this\" & <that>", "slack": null,
            })
        );
        assert_eq!(
            (&report["schema"], &report["seconds"], &report["as_expected"]),
            (&json!(1), &json!(1.25), &json!(false))
        );
        for list in ["mutants", "audits", "timing", "unchecked"] {
            assert_eq!(report[list], json!([]));
        }
    }
}
