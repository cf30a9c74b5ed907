//! One line: an object, sealed by a checksum that covers all before it.
//!
//! ```text
//! {"entry":1,"label":"mean age","cost":{"epsilon":0.5},"check":"3f…"}
//! └────────────────────── content ─────────────────────┘└── seal ──┘
//! ```
//!
//! The check is SHA-256 of the check of the line before, a newline, and the content up to the
//! comma. What is hashed are the bytes in the file, so that no two readers disagree on them. The
//! content of a line that was set aside is what its writer left of it, and a mark.

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
        let damaged = |why| LedgerError::Damaged { line: 1, entry: 0, why };
        let any: Header<serde::de::IgnoredAny> =
            object(content, "it is sealed, but no header").map_err(damaged)?;
        let same = |what, found: &str, wanted: &str| {
            let (found, wanted) = (found.to_owned(), wanted.to_owned());
            if found == wanted { Ok(()) } else { Err(LedgerError::Other { what, found, wanted }) }
        };
        same("version", &any.ledger.to_string(), &VERSION.to_string())?;
        same("notion", &any.notion, G::NAME)?;
        same("relation", &any.relation, A::NAME)?;
        object(content, "it is sealed, but no header").map_err(damaged)
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

    /// Reads an entry, or says what is wrong with it.
    pub(super) fn read(content: &[u8]) -> Result<Self, &'static str> {
        object(content, "it is sealed, but no entry")
    }
}

/// Reads an object without its last brace, which the seal brings. `otherwise` is what is wrong when
/// it is another one.
fn object<T: for<'a> Deserialize<'a>>(content: &[u8], otherwise: &'static str) -> Result<T, &'static str> {
    if numbers(content).any(is_lost) {
        return Err("it has a number that no float holds: one too small would be read as 0");
    }
    serde_json::from_slice(&[content, b"}"].concat()).map_err(|_| otherwise)
}

/// The numbers of a JSON text, as they are written. What is in quotation marks is none.
fn numbers(json: &[u8]) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    let digits = move |byte: &u8| {
        let ends = *byte == b'"' && !escaped;
        escaped = quoted && *byte == b'\\' && !escaped;
        quoted ^= ends;
        quoted || !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
    };
    json.split(digits).filter_map(|number| core::str::from_utf8(number).ok())
}

/// Whether a number is beyond all floats, or is read as 0 and is not.
fn is_lost(number: &str) -> bool {
    let is_zero =
        || number.bytes().take_while(|b| !b"eE".contains(b)).all(|b| !b.is_ascii_digit() || b == b'0');
    number.parse().is_ok_and(|value: f64| value.is_infinite() || (value == 0.0 && !is_zero()))
}

/// Content and seal, with a newline. `None` when the value cannot be written.
pub(super) fn sealed<T: Serialize>(value: &T, previous: &str) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(value).ok()?;
    line.pop(); // the brace
    let check = checksum(previous, &line);
    line.extend(seal(&check));
    Some(line)
}

/// What ends a line with this check.
pub(super) fn seal(check: &str) -> Vec<u8> {
    [SEAL, check.as_bytes(), END, b"\n"].concat()
}

/// The content and the check of a line, if it has the shape of one.
pub(super) fn unseal(line: &[u8]) -> Option<(&[u8], &str)> {
    let (content, seal) = line.split_at_checked(line.len().checked_sub(SEAL_LENGTH)?)?;
    let check = seal.strip_prefix(SEAL)?.strip_suffix(END)?;
    let check = core::str::from_utf8(check).ok()?;
    is_check(check).then_some((content, check))
}

/// Whether a seal is anywhere in here. Quotes within the text of a label are escaped, so that no
/// label looks like one.
pub(super) fn has_seal(bytes: &[u8]) -> bool {
    bytes.windows(SEAL_LENGTH).any(|window| unseal(window).is_some())
}

pub(super) fn is_check(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

pub(super) fn checksum(previous: &str, content: &[u8]) -> String {
    let mut hash = Sha256::new();
    for part in [previous.as_bytes(), b"\n", content] {
        hash.update(part);
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes what is written");
        text
    })
}
