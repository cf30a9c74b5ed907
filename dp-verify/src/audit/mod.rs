//! Audits: what the code draws, held against what it claims.
//!
//! Each audit takes a whole measurement as people use it (query, clamping, noise, rounding), draws
//! from it on two neighbouring data sets, and bounds from below how much privacy those draws have
//! lost, by the [engine]. A bound above the claim proves the claim wrong, up to the probability of
//! failure that was asked for. A bound below it proves nothing, but how near it comes says how much
//! the audit would have seen: mechanisms that are tight, with worst neighbours, come within a few
//! per cent.

mod clopper_pearson;
mod combinators;
pub(crate) mod engine;
mod histograms;
pub(crate) mod labels;
mod learning;
mod local;
mod looking_first;
mod mechanisms;
mod queries;
mod selection;
mod several_answers;
mod smooth;
mod subject;
#[cfg(test)]
mod tests;
mod unknown;

use std::time::Instant;

use self::engine::LowerBound;
use self::subject::{Claim, Probe, Trial};

/// A measurement on two neighbouring data sets, with what it claims.
pub(crate) struct Audit {
    /// A name that no other audit has.
    pub(crate) name: &'static str,
    /// The whole measurement in words.
    what: &'static str,
    /// The two data sets in words.
    neighbours: String,
    /// The relation under which they are neighbours.
    relation: &'static str,
    /// What is claimed.
    claim: Claim,
    /// What part of the nominal number of draws is made: less than one where a draw costs much.
    weight: f64,
    probe: Box<Probe>,
}

/// What an audit has found.
#[derive(Clone, Debug)]
pub(crate) struct Audited {
    /// The name of the audit.
    pub(crate) name: &'static str,
    /// The whole measurement in words, and the guarantee as the library prints it.
    pub(crate) what: String,
    /// The two data sets in words.
    pub(crate) neighbours: String,
    /// The relation under which they are neighbours.
    pub(crate) relation: &'static str,
    /// What is claimed as ε …
    pub(crate) epsilon: f64,
    /// … at this δ.
    pub(crate) delta: f64,
    /// What the draws show.
    pub(crate) lower: LowerBound,
    /// Whether that is more than what is claimed.
    pub(crate) exceeded: bool,
    /// How long it took.
    pub(crate) seconds: f64,
}

impl Audit {
    /// Draws `draws` times the audit's weight from each of the two laws. Wrong with probability at
    /// most `failure`; the same seed gives the same result.
    pub(crate) fn run(&self, draws: u64, failure: f64, seed: u64) -> Audited {
        let start = Instant::now();
        let Claim { epsilon, delta, .. } = self.claim;
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of draws, below 2⁵³ and not negative"
        )]
        let draws = (draws as f64 * self.weight).ceil() as u64;
        let lower = (self.probe)(Trial { draws, delta, failure, seed: seed ^ hash(self.name) });
        Audited {
            name: self.name,
            what: format!("{}: {}", self.what, self.claim.guarantee),
            neighbours: self.neighbours.clone(),
            relation: self.relation,
            epsilon,
            delta,
            exceeded: lower.epsilon > epsilon,
            lower,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// The same audit, its data sets told in other words than their own.
    fn between(self, neighbours: &str) -> Self {
        Self { neighbours: neighbours.to_owned(), ..self }
    }

    /// The same audit with this part of the nominal number of draws.
    fn weighing(self, weight: f64) -> Self {
        Self { weight, ..self }
    }
}

/// All audits.
pub(crate) fn all() -> Vec<Audit> {
    [
        mechanisms::all(),
        selection::all(),
        several_answers::all(),
        histograms::all(),
        local::all(),
        combinators::all(),
        queries::all(),
        smooth::all(),
        looking_first::all(),
        unknown::all(),
        learning::all(),
    ]
    .into_iter()
    .flat_map(|audits| audits.expect("all parameters are constants that the libraries accept"))
    .collect()
}

/// A hash of a name (FNV-1a), so that audits draw from streams of their own.
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
