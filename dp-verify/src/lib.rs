//! The verifier: every claim that the libraries rest on, checked again; the real code, attacked;
//! broken code, caught.
//!
//! It stands outside the libraries and sees of them what users see, and their hidden `internals`.
//! `cargo xtask verify` runs it.
//!
//! | module | holds |
//! |---|---|
//! | [`claims`] | all claims, by what they are about |
//! | [`claim`], [`figure`], [`mod@grid`] | what a claim is, what its check finds and draws |
//! | `ledger` | the claims that were asked for, and which must be there |
//! | `audit` | lower bounds on ε from the outputs of whole measurements |
//! | `mutants` | mechanisms that are broken on purpose, and the checks that must notice |
//! | [`lattice`] | a second accountant, by Fourier transforms, to hold against the one of `dp-accounting` |
//! | `timing` | durations on inputs that an attacker would choose |
//! | [`report`] | what was found, for people and for programs |

#![forbid(unsafe_code)]

mod audit;
pub mod claim;
pub mod claims;
pub mod figure;
mod findings;
pub mod grid;
pub mod lattice;
mod ledger;
mod mode;
mod mutants;
mod natural;
mod outcome;
pub mod report;
mod timing;
mod tried;
mod workers;

use std::time::Instant;

use anyhow::Result;

pub use self::findings::Findings;
pub use self::ledger::selected;
pub use self::mode::Mode;

use self::outcome::Outcome;
use self::tried::Tried;
use self::workers::{Ended, Workers};

/// Any (ε,δ), also such as a user must ask for by its parts.
fn approx(epsilon: f64, delta: f64) -> Result<dp_core::Approx, dp_core::Error> {
    Ok(dp_core::Approx::from_parts(dp_core::Epsilon::new(epsilon)?, dp_core::Delta::new(delta)?))
}

/// All bounds of a run together, those of audits and those of mutants, are wrong with at most this
/// probability.
const FAILURE: f64 = 1e-6;

/// What the checks of the claims with these ids find; if no id is given, those of all claims, all
/// mutants, all audits and the durations. A run with the same seed finds the same, but for
/// durations.
///
/// # Errors
/// When an id is unknown, or two claims have the same one.
pub fn verify(ids: &[String], mode: Mode, seed: u64) -> Result<Findings> {
    let start = Instant::now();
    let (claims, everything) = (selected(ids)?, ids.is_empty());
    let mut findings = Findings { mode, seed, ..Findings::default() };
    let (audits, mutants) =
        if everything { (audit::all(), mutants::all()) } else { (Vec::new(), Vec::new()) };
    let workers = Workers::new(claims.len() + audits.len() + mutants.len() + usize::from(everything));
    workers.stop_when_interrupted();

    let ended = workers.each(&claims, |claim| format!("claim {}", claim.id), Outcome::of);
    for (claim, ended) in claims.iter().zip(ended) {
        match Outcome::ended(claim, ended) {
            Some(outcome) => findings.claims.push(outcome),
            None => findings.unchecked.push(format!("claim {} (interrupted)", claim.id)),
        }
    }
    // Each mutant is audited beside the library's version.
    #[allow(clippy::cast_precision_loss, reason = "a few hundred")]
    let failure = FAILURE / (audits.len() + 2 * mutants.len()).max(1) as f64;
    let name = |mutant: &mutants::Mutant| format!("mutant: {}", mutant.name);
    let ended = workers.each(&mutants, name, |mutant| Tried::of(mutant, mode.mutant_draws(), failure, seed));
    findings.mutants = completed(&mutants, ended, name, &mut findings.unchecked);

    let name = |audit: &audit::Audit| format!("audit: {}", audit.name);
    let ended = workers.each(&audits, name, |audit| audit.run(mode.audit_draws(), failure, seed));
    findings.audits = completed(&audits, ended, name, &mut findings.unchecked);

    // Alone, after all else: durations are measured on a quiet machine.
    if everything {
        let name = |_: &f64| "timing".to_owned();
        let ended = workers.each(&[mode.timing_seconds()], name, |seconds| timing::measure(*seconds));
        findings.timings =
            completed(&[0.0], ended, name, &mut findings.unchecked).into_iter().flatten().collect();
    }
    workers.finish();
    if everything {
        findings.unchecked.extend(ledger::gaps(&claims));
    }
    findings.seconds = start.elapsed().as_secs_f64();
    Ok(findings)
}

/// What came to an end; the names of the others go to `unchecked`.
fn completed<T, O>(
    tasks: &[T],
    ended: Vec<Ended<O>>,
    name: impl Fn(&T) -> String,
    unchecked: &mut Vec<String>,
) -> Vec<O> {
    let mut done = Vec::new();
    for (task, ended) in tasks.iter().zip(ended) {
        match ended {
            Ended::With(outcome) => done.push(outcome),
            Ended::Panicked(why) => unchecked.push(format!("{} (it panicked: {why})", name(task))),
            Ended::NotBegun => unchecked.push(format!("{} (interrupted)", name(task))),
        }
    }
    done
}
