//! A claim: a sentence from a source, and a check that can say no.

use std::fmt;

use crate::figure::Figure;

/// One entry of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The short name by which sources and reports refer to it.
    pub id: &'static str,
    /// Where it is stated.
    pub source: &'static str,
    /// What it says, in one sentence.
    pub statement: &'static str,
    /// The formula that is checked, in one line.
    pub formula: &'static str,
    /// What it means, what was found, and what the library does about it: a few sentences for a
    /// reader without the source.
    pub meaning: &'static str,
    /// How it is checked.
    pub kind: Kind,
    /// What the check must find.
    pub expected: Verdict,
    /// The check. It computes everything anew and returns what it found, whatever was expected.
    pub check: fn() -> Finding,
}

/// How a claim is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Enclosures of the exact divergence over a grid of parameters.
    Exact,
    /// All neighbours of small data sets, or all outcomes of small mechanisms.
    Enumeration,
    /// A law that is tried on many instances.
    Algebraic,
    /// Outputs of the real code, with confidence bounds.
    Audit,
    /// One certified counterexample.
    Refutation,
    /// Slopes that are fitted, with their confidence.
    Asymptotic,
    /// Bounds on an error, beside the error of simulations.
    Cost,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No violation was found, and every check went through.
    Holds,
    /// A violation was certified, and what the library does instead was shown to hold.
    Refuted,
    /// Neither could be shown. This is never what is expected.
    Undecided,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What became of the claim.
    pub verdict: Verdict,
    /// What was seen, with numbers.
    pub detail: String,
    /// What was seen, as pictures.
    pub figures: Vec<Figure>,
    /// How much slack the claim has, where that was measured.
    pub slack: Option<Slack>,
}

/// How much slack a claim has, over all that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Slack {
    /// What is compared, such as "δ".
    pub quantity: &'static str,
    /// The least ratio of what is claimed to what is true. Below 1 the claim fails.
    pub least: f64,
    /// The greatest ratio.
    pub most: f64,
    /// By how much the library's own calibration shrinks the noise, where it has one: the greatest
    /// ratio of scales.
    pub gain: Option<f64>,
}

impl Slack {
    /// The least and the greatest of these ratios of what is claimed to what is true. Ratios that
    /// are no numbers or infinite say nothing and are left out; those within a part in 10⁹ of one
    /// are one, since that is what rounding leaves open.
    ///
    /// ```
    /// let slack = dp_verify::claim::Slack::over("δ", [3.0, f64::INFINITY, 1.5]);
    /// assert_eq!((slack.least, slack.most, slack.gain), (1.5, 3.0, None));
    /// ```
    pub fn over(quantity: &'static str, ratios: impl IntoIterator<Item = f64>) -> Self {
        let ratios = ratios.into_iter().filter(|ratio| ratio.is_finite());
        let ratios = ratios.map(|ratio| if (ratio - 1.0).abs() < 1e-9 { 1.0 } else { ratio });
        let (least, most) =
            ratios.fold((f64::INFINITY, 0.0f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
        Self { quantity, least, most, gain: None }
    }

    /// The same, with how much the library's own calibration shrinks the noise.
    #[must_use]
    pub const fn with_gain(mut self, gain: f64) -> Self {
        self.gain = Some(gain);
        self
    }
}

impl Finding {
    /// The claim was found to hold.
    pub fn holds(detail: impl Into<String>) -> Self {
        Self::new(Verdict::Holds, detail)
    }

    /// The claim was found to be false.
    pub fn refuted(detail: impl Into<String>) -> Self {
        Self::new(Verdict::Refuted, detail)
    }

    /// The check did not come to a result.
    pub fn undecided(detail: impl Into<String>) -> Self {
        Self::new(Verdict::Undecided, detail)
    }

    /// The worst of several findings, with what all of them say.
    pub fn together(findings: impl IntoIterator<Item = Self>) -> Self {
        findings.into_iter().reduce(Self::and).unwrap_or_else(|| Self::undecided("nothing was looked at"))
    }

    fn and(mut self, next: Self) -> Self {
        self.verdict = match (self.verdict, next.verdict) {
            (Verdict::Refuted, _) | (_, Verdict::Refuted) => Verdict::Refuted,
            (Verdict::Undecided, _) | (_, Verdict::Undecided) => Verdict::Undecided,
            (Verdict::Holds, Verdict::Holds) => Verdict::Holds,
        };
        self.detail = format!("{}; {}", self.detail, next.detail);
        self.figures.extend(next.figures);
        self.slack = self.slack.or(next.slack);
        self
    }

    fn new(verdict: Verdict, detail: impl Into<String>) -> Self {
        Self { verdict, detail: detail.into(), figures: Vec::new(), slack: None }
    }

    /// The finding with one more picture.
    #[must_use]
    pub fn with_figure(mut self, figure: Figure) -> Self {
        self.figures.push(figure);
        self
    }

    /// The finding with the slack of the claim.
    #[must_use]
    pub fn with_slack(mut self, slack: Slack) -> Self {
        self.slack = Some(slack);
        self
    }
}

impl Claim {
    /// Runs the check; the result says whether it found what was expected.
    #[must_use]
    pub fn run(&self) -> (Finding, bool) {
        let finding = (self.check)();
        let as_expected = finding.verdict == self.expected && self.expected != Verdict::Undecided;
        (finding, as_expected)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Enumeration => "enumeration",
            Self::Algebraic => "algebraic",
            Self::Audit => "audit",
            Self::Refutation => "refutation",
            Self::Asymptotic => "asymptotic",
            Self::Cost => "cost",
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_finding_is_enough() {
        let (good, open, bad) = (Finding::holds("a"), Finding::undecided("b"), Finding::refuted("c"));
        assert_eq!(Finding::together([good.clone(), open.clone(), bad.clone()]).verdict, Verdict::Refuted);
        assert_eq!(Finding::together([good.clone(), open]).verdict, Verdict::Undecided);
        assert_eq!(Finding::together([good.clone(), good]), Finding::holds("a; a"));
        assert_eq!(Finding::together([]).verdict, Verdict::Undecided);
    }
}
