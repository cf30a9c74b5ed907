//! What is recorded of a spend: notes, entries, receipts.

use core::fmt;
use core::str::FromStr;

use super::LedgerError;
use super::line::is_check;

/// What a spend is for: a label and, if you pass one, a time. Both stand in the ledger for all who
/// may read it, so they must not be computed from data.
///
/// ```
/// use dp_accounting::ledger::Note;
///
/// let note = Note::from("mean age").at("2026-11-16T09:30:00Z");
/// # let _ = note;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    pub(super) label: String,
    pub(super) time: Option<String>,
}

impl Note {
    /// The same with a time, in any form.
    #[must_use]
    pub fn at(self, time: &str) -> Self {
        Self { time: Some(time.to_owned()), ..self }
    }
}

impl From<&str> for Note {
    fn from(label: &str) -> Self {
        label.to_owned().into()
    }
}

impl From<String> for Note {
    fn from(label: String) -> Self {
        Self { label, time: None }
    }
}

/// One spend, as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<G> {
    pub(super) number: u64,
    pub(super) label: String,
    pub(super) time: Option<String>,
    pub(super) cost: G,
    pub(super) check: String,
}

impl<G> Entry<G> {
    /// Its number, from 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// What it was for.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// When it was, if that was recorded.
    #[must_use]
    pub fn time(&self) -> Option<&str> {
        self.time.as_deref()
    }

    /// What it cost.
    #[must_use]
    pub const fn cost(&self) -> &G {
        &self.cost
    }

    /// What proves later that this entry was there.
    #[must_use]
    pub fn receipt(&self) -> Receipt {
        Receipt { entry: self.number, check: self.check.clone() }
    }
}

/// The number of an entry and its checksum, which covers all entries before it.
///
/// Keep the last one somewhere else than the ledger, and
/// [`Ledger::load_with_receipt`](super::Ledger::load_with_receipt) notices when entries were cut
/// off at the end. It is written as `number:checksum`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub(super) entry: u64,
    pub(super) check: String,
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entry, self.check)
    }
}

impl FromStr for Receipt {
    type Err = LedgerError;

    fn from_str(text: &str) -> Result<Self, LedgerError> {
        let parts = text.trim().split_once(':').filter(|(_, check)| is_check(check));
        let parsed = parts.and_then(|(entry, check)| Some((entry.parse().ok()?, check.to_owned())));
        parsed.map(|(entry, check)| Self { entry, check }).ok_or(LedgerError::NotAReceipt)
    }
}
