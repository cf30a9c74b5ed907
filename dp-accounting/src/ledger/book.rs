//! What a file says, read line by line.

use dp_core::Adjacency;

use super::line::{Body, Header, ORIGIN, checksum, has_seal, seal, sealed, unseal};
use super::{Entry, LedgerError, Note, Receipt, Recorded};
use crate::Budget;
use crate::budget::Remainder;

/// Stands between the beginning of a line whose writer died and the seal that the next writer gives
/// it. What was written stays.
const MARK: &[u8] = b" <- unfinished, set aside";

/// The contents of a ledger, as far as it was read: what [`Ledger::audit`](super::Ledger::audit)
/// returns, which needs no right to write.
#[derive(Debug)]
pub struct Book<G, A> {
    pub(super) data_set: String,
    pub(super) budget: Budget<G, A>,
    pub(super) entries: Vec<Entry<G>>,
    /// How many lines were set aside.
    pub(super) set_aside: u64,
    /// How many bytes have been read.
    pub(super) end: u64,
    lines: u64,
    header_check: String,
    /// The check of the last sealed line, to which the next one is chained.
    chain: String,
    tail: Tail,
}

/// What follows the last newline.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tail {
    Nothing,
    /// A line that is complete but for its newline, and has been read.
    Unterminated,
    /// The beginning of a line, which has not been read.
    Unfinished,
}

impl<G: Recorded, A: Adjacency> Book<G, A> {
    /// The data set that the ledger is about.
    #[must_use]
    pub fn data_set(&self) -> &str {
        &self.data_set
    }

    /// The whole budget.
    #[must_use]
    pub const fn total(&self) -> &G {
        self.budget.total()
    }

    /// What the entries that were read cost together.
    #[must_use]
    pub fn spent(&self) -> G {
        self.budget.spent()
    }

    /// What one more release may cost, for notions in which that is [a guarantee](Remainder).
    #[must_use]
    pub fn remaining(&self) -> G
    where
        G: Remainder,
    {
        self.budget.remaining()
    }

    /// All spends that were read, in their order.
    #[must_use]
    pub fn entries(&self) -> &[Entry<G>] {
        &self.entries
    }

    /// How many lines were begun and not finished, by processes that died. They stay in the file
    /// and cost nothing.
    #[must_use]
    pub const fn unfinished(&self) -> u64 {
        self.set_aside + if self.is_torn() { 1 } else { 0 }
    }

    /// The receipt of the last entry, or of the header.
    #[must_use]
    pub fn receipt(&self) -> Receipt {
        self.entries
            .last()
            .map_or_else(|| Receipt { entry: 0, check: self.header_check.clone() }, Entry::receipt)
    }

    /// Whether this ledger holds the entry of a receipt.
    #[must_use]
    pub fn has(&self, receipt: &Receipt) -> bool {
        let index = receipt.entry.checked_sub(1).map(usize::try_from);
        match index {
            None => self.header_check == receipt.check,
            Some(Ok(index)) => self.entries.get(index).is_some_and(|entry| entry.check == receipt.check),
            Some(Err(_)) => false,
        }
    }

    /// Whether the file ends in the beginning of a line.
    pub(super) const fn is_torn(&self) -> bool {
        matches!(self.tail, Tail::Unfinished)
    }

    /// The first line of a new ledger.
    pub(super) fn header(data_set: &str, total: &G) -> Result<Vec<u8>, LedgerError> {
        let line = sealed(&Header::new::<A>(data_set, total.clone()), ORIGIN);
        // Read back before anything is written.
        line.filter(|line| Self::begin(line).is_ok_and(|book| book.budget.total() == total))
            .ok_or_else(|| LedgerError::NotWritable { cost: total.to_string() })
    }

    /// Reads a file from its first byte.
    pub(super) fn begin(bytes: &[u8]) -> Result<Self, LedgerError> {
        let damaged = |why| LedgerError::Damaged { line: 1, entry: 0, why };
        let newline = bytes.iter().position(|b| *b == b'\n');
        let line = without_nuls(&bytes[..newline.unwrap_or(bytes.len())]);
        let (content, check) = match unseal(line) {
            Some(parts) => parts,
            None if newline.is_none() && !has_seal(line) => {
                return Err(damaged(
                    "it is unfinished: delete the file if its making was cut short just now, for nothing was spent through it",
                ));
            }
            None => return Err(damaged("it has no checksum at its end; perhaps this is no ledger")),
        };
        if checksum(ORIGIN, content) != check {
            return Err(damaged("its checksum does not match its content"));
        }
        let Header { data_set, total, .. } = Header::<G>::read::<A>(content)?;
        let mut book = Self {
            data_set,
            budget: Budget::new(total),
            entries: vec![],
            set_aside: 0,
            end: 0,
            lines: 1,
            header_check: check.to_owned(),
            chain: check.to_owned(),
            tail: Tail::Nothing,
        };
        match newline {
            Some(position) => book.advance(position + 1),
            None => {
                book.advance(bytes.len());
                book.tail = Tail::Unterminated;
            }
        }
        book.read(&bytes[newline.map_or(bytes.len(), |position| position + 1)..])?;
        Ok(book)
    }

    /// Reads what was appended after [`end`](Self::end). When it fails, the lines before the bad
    /// one have been read.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Result<(), LedgerError> {
        if self.tail == Tail::Unterminated && !bytes.is_empty() {
            let Some(rest) = bytes.strip_prefix(b"\n") else {
                return Err(self.damaged("something follows the line before it"));
            };
            self.tail = Tail::Nothing;
            self.advance(1);
            bytes = rest;
        }
        if self.tail == Tail::Unfinished {
            self.tail = Tail::Nothing; // it is among the bytes, and looked at again
        }
        while let Some(position) = bytes.iter().position(|b| *b == b'\n') {
            self.line(&bytes[..position])?;
            self.advance(position + 1);
            bytes = &bytes[position + 1..];
        }
        let line = without_nuls(bytes);
        if bytes.is_empty() {
            return Ok(());
        }
        if unseal(line).is_some() {
            // Only the newline is missing. Whether it was acknowledged is not known, so it counts.
            self.line(line)?;
            self.advance(bytes.len());
            self.tail = Tail::Unterminated;
        } else if is_unfinished(line) {
            self.tail = Tail::Unfinished;
        } else {
            return Err(self.damaged("it neither is an entry nor the beginning of one"));
        }
        Ok(())
    }

    /// What must be appended to record a cost: the line, after what closes the last one.
    pub(super) fn append(&self, note: Note, cost: &G, torn: &[u8]) -> Result<Vec<u8>, LedgerError> {
        let mut chain = self.chain.clone();
        let mut bytes = match self.tail {
            Tail::Nothing => vec![],
            Tail::Unterminated => vec![b'\n'],
            Tail::Unfinished => {
                chain = checksum(&self.chain, &[torn, MARK].concat());
                [MARK, &seal(&chain)].concat()
            }
        };
        let body = Body::new(self.next(), note, cost.clone());
        let refuse = || LedgerError::NotWritable { cost: cost.to_string() };
        let line = sealed(&body, &chain).ok_or_else(refuse)?;
        let reads_back =
            unseal(&line[..line.len() - 1]).and_then(|(content, _)| Body::<G>::read(content).ok());
        if reads_back.is_none_or(|read| read.cost != *cost) {
            return Err(refuse());
        }
        bytes.extend_from_slice(&line);
        Ok(bytes)
    }

    /// Takes a line without its newline.
    fn line(&mut self, raw: &[u8]) -> Result<(), LedgerError> {
        let Some((content, check)) = unseal(without_nuls(raw)) else {
            return Err(self.damaged("it has no checksum at its end"));
        };
        if checksum(&self.chain, content) != check {
            return Err(self.damaged("its checksum does not match its content and the lines before it"));
        }
        if content.ends_with(MARK) {
            self.set_aside += 1;
            self.link(check);
            return Ok(());
        }
        let Body { entry, label, time, cost } = Body::read(content).map_err(|why| self.damaged(why))?;
        if entry != self.next() {
            return Err(self.damaged("it has another number"));
        }
        self.budget.record(&cost);
        self.entries.push(Entry { number: entry, label, time, cost, check: check.to_owned() });
        self.link(check);
        Ok(())
    }

    /// Goes on to the next line, which is chained to this one.
    fn link(&mut self, check: &str) {
        check.clone_into(&mut self.chain);
        self.lines += 1;
    }

    fn next(&self) -> u64 {
        self.entries.last().map_or(1, |entry| entry.number + 1)
    }

    fn advance(&mut self, bytes: usize) {
        self.end += bytes as u64;
    }

    fn damaged(&self, why: &'static str) -> LedgerError {
        LedgerError::Damaged { line: self.lines + 1, entry: self.next(), why }
    }
}

/// Whether a crash may have left this: the beginning of a line, or zeros in its place, without a
/// seal.
fn is_unfinished(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|first| [b'{', 0].contains(first)) && !has_seal(bytes)
}

/// Some file systems leave zeros where a crash kept the data from arriving.
fn without_nuls(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    &bytes[..length]
}
