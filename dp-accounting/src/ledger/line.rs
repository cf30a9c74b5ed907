//! One line: an object, sealed by a checksum that covers all before it.
//!
//! ```text
//! {"entry":1,"label":"mean age","cost":{"epsilon":0.5},"check":"3f…"}
//! └────────────────────── content ─────────────────────┘└── seal ──┘
//! ```
//!
//! The check is SHA-256 of the check of the line before, a newline, the lines that were set aside since then, and the content up to the comma. What is hashed are the bytes in
//! the file, so that no two readers disagree on them.

use core::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{LedgerError, Note, Recorded};
use dp_core::Adjacency;

/// The version of the format.
const VERSION: u64 = 1;
/// What the first line is chained to.
pub(super) const ORIGIN: &str = "a ledger of differential privacy";
const SEAL: &[u8] = b",\"check\":\"";
const END: &[u8] = b"\"}";
const DIGITS: usize = 64;
const SEAL_LENGTH: usize = SEAL.len() + DIGITS + END.len();

/// The content of the first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header<T> {
    ledger: u64,
    pub(super) data_set: String,
    notion: String,
    relation: String,
    pub(super) total: T,
}

impl<G: Recorded> Header<G> {
    pub(super) fn new<A: Adjacency>(data_set: &str, total: G) -> Self {
        let (notion, relation) = (G::NAME.to_owned(), A::NAME.to_owned());
        Self { ledger: VERSION, data_set: data_set.to_owned(), notion, relation, total }
    }

    /// Reads a header, if it is one for this notion and relation.
    pub(super) fn read<A: Adjacency>(content: &[u8]) -> Result<Self, LedgerError> {
        let damaged = |_| LedgerError::Damaged { line: 1, entry: 0, why: "it is sealed, but no header" };
        let any: Header<serde::de::IgnoredAny> = object(content).map_err(damaged)?;
        let same = |what, found: &str, wanted: &str| {
            let (found, wanted) = (found.to_owned(), wanted.to_owned());
            if found == wanted { Ok(()) } else { Err(LedgerError::Other { what, found, wanted }) }
        };
        same("version", &any.ledger.to_string(), &VERSION.to_string())?;
        same("notion", &any.notion, G::NAME)?;
        same("relation", &any.relation, A::NAME)?;
        object(content).map_err(damaged)
    }
}

/// The content of every other line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body<T> {
    pub(super) entry: u64,
    pub(super) label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<String>,
    pub(super) cost: T,
}

impl<G: Recorded> Body<G> {
    pub(super) fn new(entry: u64, note: Note, cost: G) -> Self {
        let Note { label, time } = note;
        Self { entry, label, time, cost }
    }

    pub(super) fn read(content: &[u8]) -> Option<Self> {
        object(content).ok()
    }
}

/// An object without its last brace, which the seal brings.
fn object<T: for<'a> Deserialize<'a>>(content: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(&[content, b"}"].concat())
}

/// Content and seal, with a newline. `None` when the value cannot be written.
pub(super) fn sealed<T: Serialize>(value: &T, previous: &str, aside: &[u8]) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(value).ok()?;
    line.pop(); // the brace
    let check = checksum(previous, aside, &line);
    line.extend_from_slice(SEAL);
    line.extend_from_slice(check.as_bytes());
    line.extend_from_slice(END);
    line.push(b'\n');
    Some(line)
}

/// The content and the check of a line, if it has the shape of one.
pub(super) fn unseal(line: &[u8]) -> Option<(&[u8], &str)> {
    let (content, seal) = line.split_at_checked(line.len().checked_sub(SEAL_LENGTH)?)?;
    let check = seal.strip_prefix(SEAL)?.strip_suffix(END)?;
    let check = core::str::from_utf8(check).ok()?;
    is_check(check).then_some((content, check))
}

/// Whether a seal is anywhere in here. Quotes within the text of a label are escaped, so that no label looks like one.
pub(super) fn has_seal(bytes: &[u8]) -> bool {
    bytes.windows(SEAL_LENGTH).any(|window| unseal(window).is_some())
}

pub(super) fn is_check(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

pub(super) fn checksum(previous: &str, aside: &[u8], content: &[u8]) -> String {
    let mut hash = Sha256::new();
    for part in [previous.as_bytes(), b"\n", aside, content] {
        hash.update(part);
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes what is written");
        text
    })
}
