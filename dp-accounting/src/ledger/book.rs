//! What a file says, read line by line.

use dp_core::Adjacency;

use super::line::{Body, Header, ORIGIN, checksum, has_seal, sealed, unseal};
use super::{Entry, LedgerError, Note, Receipt, Recorded};
use crate::Budget;

/// Closes a line whose writer died. What was written stays.
const MARK: &[u8] = b" <- unfinished, set aside";

/// The content of a ledger up to some byte.
#[derive(Debug)]
pub(super) struct Book<G, A> {
    pub(super) data_set: String,
    pub(super) budget: Budget<G, A>,
    pub(super) entries: Vec<Entry<G>>,
    /// How many lines were set aside.
    pub(super) set_aside: u64,
    /// How many bytes have been read.
    pub(super) end: u64,
    lines: u64,
    header_check: String,
    /// The lines that were set aside after the last entry: the next check covers them.
    aside: Vec<u8>,
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

impl<G, A> Book<G, A> {
    /// Whether the file ends in the beginning of a line.
    pub(super) const fn is_torn(&self) -> bool {
        matches!(self.tail, Tail::Unfinished)
    }
}

impl<G: Recorded, A: Adjacency> Book<G, A> {
    /// The first line of a new ledger.
    pub(super) fn header(data_set: &str, total: &G) -> Result<Vec<u8>, LedgerError> {
        let line = sealed(&Header::new::<A>(data_set, total.clone()), ORIGIN, &[]);
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
        if checksum(ORIGIN, &[], content) != check {
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
            aside: vec![],
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

    /// Reads what was appended after [`end`](Self::end). When it fails, the lines before the bad one have been read.
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
        let mut aside = self.aside.clone();
        let mut bytes = match self.tail {
            Tail::Nothing => vec![],
            Tail::Unterminated => vec![b'\n'],
            Tail::Unfinished => {
                let closing = [MARK, b"\n"].concat();
                aside.extend_from_slice(torn);
                aside.extend_from_slice(&closing);
                closing
            }
        };
        let body = Body::new(self.next(), note, cost.clone());
        let refuse = || LedgerError::NotWritable { cost: cost.to_string() };
        let line = sealed(&body, self.last_check(), &aside).ok_or_else(refuse)?;
        let reads_back = unseal(&line[..line.len() - 1]).and_then(|(content, _)| Body::<G>::read(content));
        if reads_back.is_none_or(|read| read.cost != *cost) {
            return Err(refuse());
        }
        bytes.extend_from_slice(&line);
        Ok(bytes)
    }

    /// Whether an entry with this check is in here.
    pub(super) fn has(&self, receipt: &Receipt) -> bool {
        let index = receipt.entry.checked_sub(1).map(usize::try_from);
        match index {
            None => self.header_check == receipt.check,
            Some(Ok(index)) => self.entries.get(index).is_some_and(|entry| entry.check == receipt.check),
            Some(Err(_)) => false,
        }
    }

    pub(super) fn last_check(&self) -> &str {
        self.entries.last().map_or(&self.header_check, |entry| &entry.check)
    }

    /// Takes a line without its newline.
    fn line(&mut self, raw: &[u8]) -> Result<(), LedgerError> {
        if let Some(torn) = raw.strip_suffix(MARK) {
            if !is_unfinished(without_nuls(torn)) {
                return Err(self.damaged("it is marked as unfinished and is not"));
            }
            self.aside.extend_from_slice(raw);
            self.aside.push(b'\n');
            self.set_aside += 1;
            self.lines += 1;
            return Ok(());
        }
        let Some((content, check)) = unseal(without_nuls(raw)) else {
            return Err(self.damaged("it has no checksum at its end"));
        };
        if checksum(self.last_check(), &self.aside, content) != check {
            return Err(self.damaged("its checksum does not match its content and the lines before it"));
        }
        let Some(Body { entry, label, time, cost }) = Body::read(content) else {
            return Err(self.damaged("it is sealed, but no entry"));
        };
        if entry != self.next() {
            return Err(self.damaged("it has another number"));
        }
        self.budget.record(&cost);
        self.entries.push(Entry { number: entry, label, time, cost, check: check.to_owned() });
        self.aside.clear();
        self.lines += 1;
        Ok(())
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

/// Whether a crash may have left this: the beginning of a line, without its seal.
fn is_unfinished(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|first| *first == b'{') && !has_seal(bytes)
}

/// Some file systems leave zeros where a crash kept the data from arriving.
fn without_nuls(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    &bytes[..length]
}
