//! The report for programs.

use serde_json::{Value, json};

use super::outcome::Outcome;

/// The outcomes as JSON. Times of single claims stay out of it, so that two runs differ where their findings do.
pub(super) fn render(outcomes: &[Outcome], seconds: f64) -> String {
    let claims: Vec<_> = outcomes.iter().map(entry).collect();
    format!("{:#}\n", json!({ "claims": claims, "seconds": seconds }))
}

fn entry(Outcome { claim, finding, .. }: &Outcome) -> Value {
    json!({
        "id": claim.id,
        "source": claim.source,
        "statement": claim.statement,
        "kind": claim.kind.to_string(),
        "expected": claim.expected.to_string(),
        "verdict": finding.verdict.to_string(),
        "detail": finding.detail,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::outcome::check_all;
    use crate::verify::outcome::tests::claim;
    use dp_core::claims::{Finding, Verdict};

    #[test]
    fn the_report_says_what_was_expected_and_what_was_found() {
        let outcomes = check_all(&[claim("D3", Verdict::Holds, || Finding::refuted("by \"this\""))]);
        let report: Value = serde_json::from_str(&render(&outcomes, 1.5)).unwrap();
        assert_eq!(
            report,
            json!({
                "claims": [{
                    "id": "D3", "source": "a source", "statement": "a statement", "kind": "exact",
                    "expected": "holds", "verdict": "refuted", "detail": "by \"this\"",
                }],
                "seconds": 1.5,
            })
        );
    }
}
