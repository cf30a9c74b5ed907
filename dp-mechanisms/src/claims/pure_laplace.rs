//! M1: the Laplace mechanism is ε-private, in its theorem and in its bits.

use dashu_int::IBig;
use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Dominated, Error, ForGuarantee, L1, Mechanism, Pure, Sensitivity};

use super::deviation;
use crate::Laplace;
use crate::rng::Insecure;
use crate::sample::replay::{Law, Replay};
use crate::sample::{Bits, Grid, laplace};

pub(super) const M1: Claim = Claim {
    id: "M1",
    source: "Ottawa Thm 2; Cambridge; Kearns",
    statement: "f + Lap(Δ₁/ε) is ε-DP",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(calibrated).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

fn calibrated(epsilon: f64, sensitivity: f64) -> Result<Laplace, Error> {
    Laplace::for_guarantee(&Pure::new(epsilon)?, Sensitivity::<L1, AddRemove>::new(sensitivity)?)
}

/// Checks a calibration: its pair, its law on a coarse grid, and its draws.
fn judge(calibrate: impl Fn(f64, f64) -> Result<Laplace, Error>) -> Result<Finding, Error> {
    let coarse = calibrate(0.75, 0.75)?;
    let enumerated = |answer: f64, bits: &mut Bits<'_, Replay>| laplace::nearest(answer, coarse.scale(), Grid::new(0)?, bits);
    let noise = calibrate(1.0, 1.0)?;
    let mut rng = Insecure::seeded(1);
    let findings =
        [the_pair_reaches_epsilon(&calibrate)?, the_law_is_ideal(enumerated), the_draws_keep_the_ratio(|answer| noise.draw(&answer, &mut rng))?];
    let detail = findings.iter().map(|finding| finding.detail.as_str()).collect::<Vec<_>>().join("; ");
    let verdicts = findings.map(|finding| finding.verdict);
    let verdict = [Verdict::Refuted, Verdict::Undecided].into_iter().find(|bad| verdicts.contains(bad));
    Ok(Finding { verdict: verdict.unwrap_or(Verdict::Holds), detail })
}
