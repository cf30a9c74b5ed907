//! The claims, in order and without repetition.

use crate::claim::Claim;
use anyhow::{Result, bail};

use crate::{claims, natural};

/// The claims of the lecture notes, by letter and number: each must be in the ledger.
const SOURCES: [(&str, u32); 5] = [("A", 7), ("D", 14), ("L", 12), ("M", 18), ("S", 19)];

/// The claims with these ids in natural order, or all of them when none is given.
///
/// # Errors
/// When an id is unknown, or two claims have the same one.
pub fn selected(ids: &[String]) -> Result<Vec<Claim>> {
    Ledger::new(claims::all())?.select(ids)
}

/// The ids of the lecture notes' claims that are not among these, and of claims that explain
/// nothing.
pub(crate) fn gaps(claims: &[Claim]) -> Vec<String> {
    let ids =
        SOURCES.iter().flat_map(|(letter, last)| (1..=*last).map(move |number| format!("{letter}{number}")));
    let missing = ids
        .filter(|id| claims.iter().all(|claim| claim.id != id))
        .map(|id| format!("claim {id} has no check"));
    let mute = claims.iter().filter(|claim| claim.meaning.is_empty() || claim.formula.is_empty());
    missing.chain(mute.map(|claim| format!("claim {} does not say what it means", claim.id))).collect()
}

/// A ledger with at least one claim, every id once, in natural order.
#[derive(Debug)]
pub(crate) struct Ledger {
    claims: Vec<Claim>,
}

impl Ledger {
    /// Puts claims in order. An empty ledger is refused: "nothing was refuted" must never mean
    /// "nothing was checked".
    pub(crate) fn new(mut claims: Vec<Claim>) -> Result<Self> {
        if claims.is_empty() {
            bail!(
                "the ledger is empty: register claims in `claims::all()`, nothing can be verified without them"
            );
        }
        claims.sort_by(|a, b| natural::key(a.id).cmp(&natural::key(b.id)));
        if let Some([first, second]) = claims.windows(2).find(|pair| pair[0].id == pair[1].id) {
            bail!(
                "two claims are called {}: \"{}\" and \"{}\"; give one of them another id",
                first.id,
                first.statement,
                second.statement
            );
        }
        Ok(Self { claims })
    }

    /// The claims with these ids, or all of them when none is given.
    pub(crate) fn select(self, ids: &[String]) -> Result<Vec<Claim>> {
        let known = |id: &&String| self.claims.iter().any(|claim| claim.id == id.as_str());
        let unknown: Vec<_> = ids.iter().filter(|id| !known(id)).map(String::as_str).collect();
        if !unknown.is_empty() {
            let all: Vec<_> = self.claims.iter().map(|claim| claim.id).collect();
            bail!(
                "no claim is called {}: `cargo xtask verify --list` says what each claims, and there are {}",
                unknown.join(" or "),
                all.join(", ")
            );
        }
        let wanted = |claim: &Claim| ids.is_empty() || ids.iter().any(|id| id == claim.id);
        Ok(self.claims.into_iter().filter(wanted).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Finding, Verdict};
    use crate::outcome::tests::claim;

    fn ledger(ids: &[&'static str]) -> Result<Ledger> {
        Ledger::new(ids.iter().map(|id| claim(id, Verdict::Holds, || Finding::holds(""))).collect())
    }

    fn ids(claims: &[Claim]) -> Vec<&'static str> {
        claims.iter().map(|claim| claim.id).collect()
    }

    #[test]
    fn claims_are_selected_by_id_in_natural_order() {
        let all = ["M2", "D10", "D3"];
        assert_eq!(ids(&ledger(&all).unwrap().select(&[]).unwrap()), ["D3", "D10", "M2"]);
        let wanted = ["M2", "D3", "M2"].map(str::to_owned);
        assert_eq!(ids(&ledger(&all).unwrap().select(&wanted).unwrap()), ["D3", "M2"]);
    }

    #[test]
    fn an_unknown_id_is_an_error_that_lists_the_known_ones() {
        let error = ledger(&["D10", "D3"]).unwrap().select(&["D3".into(), "X1".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no claim is called X1: `cargo xtask verify --list` says what each claims, and there are D3, D10"
        );
    }

    #[test]
    fn every_claim_of_the_sources_is_checked_and_explained() {
        assert_eq!(gaps(&claims::all()), Vec::<String>::new());
        let mut mute = claim("D3", Verdict::Holds, || Finding::holds(""));
        mute.meaning = "";
        let gaps = gaps(&[mute]);
        assert_eq!(gaps.len(), 70, "all but one are missing, and that one is mute");
        assert!(gaps.contains(&"claim D4 has no check".to_owned()));
        assert!(gaps.contains(&"claim D3 does not say what it means".to_owned()));
    }

    #[test]
    fn a_repeated_id_and_an_empty_ledger_are_refused() {
        assert!(ledger(&["D3", "M1", "D3"]).unwrap_err().to_string().starts_with("two claims are called D3"));
        assert!(ledger(&[]).unwrap_err().to_string().starts_with("the ledger is empty"));
    }
}
