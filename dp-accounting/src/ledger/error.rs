//! What can be wrong with a ledger, as sentences that say what to do.

use core::fmt;

/// Why a ledger refused. Nothing was spent and nothing was released, except where the message says
/// otherwise. `Debug` prints the sentence, too.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum LedgerError {
    /// The operating system refused.
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A line is not what was written.
    Damaged {
        /// Its number in the file, from 1.
        line: u64,
        /// The number of the entry that should be there; 0 is the header.
        entry: u64,
        /// What is wrong.
        why: &'static str,
    },
    /// The ledger is about something else.
    Other {
        /// What differs: the notion, the relation, the version.
        what: &'static str,
        /// What the file says.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The file has become shorter, or another one has its name.
    Replaced {
        /// The file.
        path: String,
    },
    /// The ledger does not have the entry of a receipt.
    NotInLedger {
        /// The number on the receipt.
        entry: u64,
        /// How many entries there are.
        entries: u64,
    },
    /// A cost that reads back as another one.
    NotWritable {
        /// The cost.
        cost: String,
    },
    /// Text that is no receipt.
    NotAReceipt,
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, path, reason } => write!(
                f,
                "{doing} {path} failed: {reason}; nothing was released, and the file is read anew before the next spend"
            ),
            Self::Damaged { line, entry: 0, why } => write!(
                f,
                "the header (line {line}) is damaged: {why}; nothing was spent; restore the file from a copy"
            ),
            Self::Damaged { line, entry, why } => write!(
                f,
                "entry {entry} (line {line}) is damaged: {why}; nothing was spent; \
                 restore the file from a copy that has this entry, and do not edit it"
            ),
            Self::Other { what, found, wanted } => write!(
                f,
                "the ledger has the {what} {found}, but {wanted} is asked for: open it as what it is, or create another one"
            ),
            Self::Replaced { path } => write!(
                f,
                "{path} is no longer the file that was read: it was cut, moved or replaced; open it again and see what it says"
            ),
            Self::NotInLedger { entry, entries } => write!(
                f,
                "the receipt is for entry {entry}, which is not among the {entries} of this ledger: \
                 the file was cut, or is another ledger; restore it from a copy that has this entry"
            ),
            Self::NotWritable { cost } => write!(
                f,
                "the cost {cost} would read back from disk as another one: \
                 its type must write numbers that survive"
            ),
            Self::NotAReceipt => {
                f.write_str("a receipt is the number of an entry, a colon and 64 hexadecimal digits: pass one as it was given")
            }
        }
    }
}

impl fmt::Debug for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for LedgerError {}
