//! S35: how far a record moves the scores of listed candidates for a quantile.
//!
//! About [`dp_sensitivity::QuantileAmong`].

use dp_core::{Adjacency, Bounds, Error, LInf, Query, SensitivityIn};
use dp_sensitivity::{Quantile, QuantileAmong};

use super::quantiles::{VALUES, data, scores};
use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const S35: Claim = Claim {
    id: "S35",
    source: "after Smith 2011; McKenna and Sheldon 2020",
    statement: "−dist(q·n, [#{x < v}, #{x ≤ v}]) has the sensitivity max(q, 1 − q) in ℓ∞ under add/remove, and 1 under replace-one",
    formula: "max |u(v, x) − u(v, y)|",
    meaning: "Where the candidates for a quantile are listed, permute-and-flip chooses among them by how many ranks each is off. What that costs is how far one record moves these scores. \
              On all data sets of up to six records from five values, and all their neighbours, it is what the library states and no less; its scores are those of the definition.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        judge(1.0)
            .and_then(|finding| Ok(finding.with_figure(moves()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// Multiples of 2⁻³⁰ in the middle; levels of the definition are quarters.
const LEVELS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const LARGEST: usize = 6;

fn among(level: f64) -> Result<(Quantile<dp_core::AddRemove>, impl Iterator<Item = f64> + Clone), Error> {
    let bounds = Bounds::new(0.0, f64::from(VALUES - 1))?;
    Ok((Quantile::new(bounds, level)?, (0..VALUES).map(f64::from)))
}

fn stated<A: Adjacency>(query: &QuantileAmong<A>) -> f64
where
    QuantileAmong<A>: SensitivityIn<LInf> + Query<Adjacency = A>,
{
    SensitivityIn::<LInf>::sensitivity(query).value()
}

/// The largest move of a score, by definition: for a record more, and for one that is replaced.
fn moved(level: f64) -> (f64, f64) {
    let apart = |x: &[u8], y: &[u8]| {
        let (x, y) = (scores(x, level, 1.0), scores(y, level, 1.0));
        x.iter().zip(y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (mut added, mut replaced) = (0.0f64, 0.0f64);
    for records in (0..=LARGEST).flat_map(data) {
        for new in 0..VALUES {
            added = added.max(apart(&records, &[&records[..], &[new]].concat()));
            for place in 0..records.len() {
                let mut other = records.clone();
                other[place] = new;
                replaced = replaced.max(apart(&records, &other));
            }
        }
    }
    (added, replaced)
}

/// Judges `factor` times what the library states.
fn judge(factor: f64) -> Result<Finding, Error> {
    for level in LEVELS {
        let (quantile, candidates) = among(level)?;
        let (added, replaced) = moved(level);
        let free = quantile.among(candidates.clone())?;
        let fixed = quantile.under_replace_one(LARGEST)?.among(candidates)?;
        for (what, found, stated) in
            [("added", added, factor * stated(&free)), ("replaced", replaced, factor * stated(&fixed))]
        {
            if found > stated || found < stated * (1.0 - 1e-9) {
                return Ok(Finding::refuted(format!(
                    "at level {level} a record that is {what} moves a score by {found}, where {stated} is stated"
                )));
            }
        }
        for records in (0..=LARGEST).flat_map(data) {
            let numbers: Vec<f64> = records.iter().map(|x| f64::from(*x)).collect();
            if free.answer(&numbers)?.into_vec() != scores(&records, level, 1.0) {
                return Ok(Finding::refuted(format!("other scores at level {level} on {records:?}")));
            }
        }
    }
    Ok(Finding::holds(
        "at five levels scores and sensitivities are those of the definition, which are reached",
    ))
}

/// The sensitivity, over the level.
fn moves() -> Result<Figure, Error> {
    let points: Result<Vec<_>, Error> = (0..=20u8)
        .map(|k| {
            let (quantile, candidates) = among(f64::from(k) / 20.0)?;
            Ok((f64::from(k) / 20.0, stated(&quantile.among(candidates)?)))
        })
        .collect();
    let figure =
        Figure::new("How far a record more moves a score", Axis::linear("level"), Axis::linear("ranks"));
    Ok(figure.curve("add/remove", points?).curve("replace-one", [(0.0, 1.0), (1.0, 1.0)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_sensitivity_is_refuted() {
        assert_eq!(judge(1.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(0.99).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.01).unwrap().verdict, Verdict::Refuted);
    }
}
