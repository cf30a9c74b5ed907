//! What was spent, on disk.
//!
//! A ledger is a text file with one line for each spend, after a header that says of which data
//! set, in which notion, under which relation and how much in all:
//!
//! ```text
//! {"ledger":1,"data_set":"survey","notion":"pure","relation":"add-remove","total":{"epsilon":1.0},"check":"0b6e…"}
//! {"entry":1,"label":"mean age","time":"2026-11-16","cost":{"epsilon":0.25},"check":"91d2…"}
//! ```
//!
//! # What holds
//!
//! - **Written before it is released.** A spend takes the lock, reads what others have appended,
//!   decides, appends its line, waits until it is on disk, and only then draws. A crash after the
//!   line costs budget and releases nothing; the other order is impossible.
//! - **One at a time.** The lock is the operating system's, between processes and between handles
//!   of one process; it is gone when its owner is. It is advisory: programs that append without
//!   asking for it are noticed by the checksums, not kept out. On network file systems it is as
//!   good as they make it.
//! - **Never less than was released.** A line that is complete counts, also when its newline is
//!   missing. A crash while a line is written leaves its beginning at the end of the file: it was
//!   never acknowledged, so that nothing was released for it. It does not count and stays in the
//!   file. The next spend ends it with ` <- unfinished, set aside` and a checksum of its own before
//!   it appends an entry; nothing is ever cut off or overwritten. So every line that others follow
//!   is sealed, whether it counts or not, and only the last line of a file can lack its checksum.
//!   The assumption is that a crash leaves what was written up to some byte, perhaps with zeros
//!   after it. Whatever else is at the end, a whole line with a wrong checksum say, is not taken
//!   for a crash but for damage, and is an error.
//! - **Numbers survive.** A cost is written so that it reads back to the last bit, which is checked
//!   before it is written. A number that no float holds, 10⁻⁴⁰⁰ say, is an error and not 0.
//! - **Refused costs nothing.** When the disk is full or the system reports another error, nothing
//!   is released. What has arrived in the file by then is found by the next spend: a whole line
//!   counts, the beginning of one is set aside.
//!
//! # What is noticed, and what is not
//!
//! Each checksum covers its line and the checksum before it. Whatever is changed, removed or
//! inserted before the last line, or changed in it, is an error that names the entry, and nothing
//! can be spent until the file is restored; but for zeros at the end of a line, which crashes leave
//! there. All lines are checked when the file is opened, and new ones at each spend.
//!
//! The checksums have no key. They protect against accidents and against people who edit a line;
//! who computes them anew can write any ledger. Nor can a file notice that it was cut off at its
//! end (at the end of a line, or within the last line, which looks like a crash), or replaced by an
//! older copy. Keep the last [`Receipt`] elsewhere and load with it: then all entries up to it are
//! those that were recorded.
//!
//! ```
//! use dp_accounting::{Account, Ledger};
//! use dp_core::{Bounds, Pure, Query};
//! use dp_mechanisms::{Laplace, rng::OsSeeded};
//! use dp_sensitivity::Mean;
//!
//! # let folder = std::env::temp_dir().join(format!("dp-accounting-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("ages.ledger");
//! # std::fs::remove_file(&path).ok();
//! let ages = [23.0, 35.0, 61.0, 47.0];
//! let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?;
//! let mean = mean.with(Laplace::epsilon(0.75)?)?;
//! let mut rng = OsSeeded::new()?;
//!
//! let mut ledger = Ledger::create(&path, "ages", &Pure::new(1.0)?)?;
//! let answer = ledger.note("mean age").spend(&mean, &ages, &mut rng)?;
//! let receipt = ledger.receipt();
//! drop(ledger);
//!
//! // Tomorrow, in another process:
//! let mut ledger = Ledger::load_with_receipt(&path, &receipt)?;
//! assert_eq!(ledger.entries()[0].label(), "mean age");
//! assert!(ledger.note("again").spend(&mean, &ages, &mut rng).is_err());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod book;
mod error;
mod file;
mod line;
mod notion;
mod receipt;
#[cfg(test)]
mod tests;

pub use book::Book;
pub use error::LedgerError;
pub use notion::Recorded;
pub use receipt::{Entry, Note, Receipt};

use std::path::Path;

use dp_core::Adjacency;

use self::file::LockedFile;
use crate::Error;
use crate::budget::{Account, Remainder};

/// A [`Budget`](crate::Budget) on disk: see the [module](self) for what holds.
///
/// Threads open the file each for themselves, or share one handle behind a lock. Between two spends
/// a ledger knows what it has read last; [`refresh`](Self::refresh) reads what others have appended
/// since. A spend does so itself.
#[derive(Debug)]
pub struct Ledger<G, A> {
    file: LockedFile,
    book: Book<G, A>,
}

impl<G: Recorded, A: Adjacency> Ledger<G, A> {
    /// Makes the ledger of a data set. The file must not exist.
    ///
    /// # Errors
    /// [`Error::Ledger`] when it exists or cannot be written.
    pub fn create(path: impl AsRef<Path>, data_set: &str, total: &G) -> Result<Self, Error> {
        let line = Book::<G, A>::header(data_set, total)?;
        let file = LockedFile::create(path.as_ref(), &line)?;
        Self::over(file)
    }

    /// Loads a ledger that exists, to spend from it, and checks every line of it.
    ///
    /// # Errors
    /// [`Error::Ledger`] when the file cannot be read, is for another notion or relation, or a line
    /// is not what was written.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::over(LockedFile::open(path.as_ref())?)
    }

    /// Loads a ledger, checks every line of it, and that the entry of a receipt is among them.
    ///
    /// # Errors
    /// As for [`load`](Self::load), and [`LedgerError::NotInLedger`].
    pub fn load_with_receipt(path: impl AsRef<Path>, receipt: &Receipt) -> Result<Self, Error> {
        let ledger = Self::load(path)?;
        if ledger.book.has(receipt) {
            Ok(ledger)
        } else {
            let entries = ledger.entries().len() as u64;
            Err(LedgerError::NotInLedger { entry: receipt.entry, entries }.into())
        }
    }

    /// Reads a ledger without the right to write it, and checks every line of it: for those who
    /// audit what was spent.
    ///
    /// A process that is writing is waited for. [`Book::has`] says whether the entry of a receipt
    /// is there.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn audit(path: impl AsRef<Path>) -> Result<Book<G, A>, Error> {
        Ok(Book::begin(&LockedFile::read_only(path.as_ref())?)?)
    }

    fn over(file: LockedFile) -> Result<Self, Error> {
        let bytes = file.lock()?.read_from(0)?;
        let book = Book::begin(&bytes)?;
        Ok(Self { file, book })
    }

    /// The data set that the ledger is about.
    #[must_use]
    pub fn data_set(&self) -> &str {
        self.book.data_set()
    }

    /// The whole budget.
    #[must_use]
    pub const fn total(&self) -> &G {
        self.book.total()
    }

    /// What the entries that were read cost together.
    #[must_use]
    pub fn spent(&self) -> G {
        self.book.spent()
    }

    /// What may still be spent, in one release; for the notions in which that is a number.
    #[must_use]
    pub fn remaining(&self) -> G
    where
        G: Remainder,
    {
        self.book.remaining()
    }

    /// All spends that were read, in their order.
    #[must_use]
    pub fn entries(&self) -> &[Entry<G>] {
        self.book.entries()
    }

    /// How many lines were begun and not finished, by processes that died. They stay in the file
    /// and cost nothing.
    #[must_use]
    pub const fn unfinished(&self) -> u64 {
        self.book.unfinished()
    }

    /// The receipt of the last entry, or of the header.
    #[must_use]
    pub fn receipt(&self) -> Receipt {
        self.book.receipt()
    }

    /// Reads what others have appended.
    ///
    /// # Errors
    /// [`Error::Ledger`] when the file cannot be read, was replaced, or a line is not what was
    /// written.
    pub fn refresh(&mut self) -> Result<(), Error> {
        let bytes = self.file.lock()?.read_from(self.book.end)?;
        Ok(self.book.read(&bytes)?)
    }

    /// The ledger with a note for the entries that are made through it: a label, or a [`Note`] with
    /// a time.
    ///
    /// `ledger.note("mean age").spend(…)` is what most programs do; an entry that is made without
    /// it has an empty label.
    pub fn note(&mut self, note: impl Into<Note>) -> Noted<'_, G, A> {
        Noted { ledger: self, note: note.into() }
    }

    /// Appends an entry, and returns when it is on disk.
    fn record(&mut self, cost: &G, note: Note) -> Result<(), Error> {
        let lock = self.file.lock()?;
        self.book.read(&lock.read_from(self.book.end)?)?;
        self.book.budget.check(cost)?;
        let torn = lock.read_from(self.book.end)?; // nothing, or the beginning of a line
        lock.append(&self.book.append(note, cost, &torn)?)?;
        // Taken from the file and not from memory: what counts is what is there.
        let before = self.book.entries.len();
        self.book.read(&lock.read_from(self.book.end)?)?;
        if self.book.entries.len() == before + 1 { Ok(()) } else { Err(lock.replaced().into()) }
    }
}

/// Whoever is paid draws when the entry is on disk. A measurement that fails keeps its cost.
impl<G: Recorded, A: Adjacency> Account<G> for Ledger<G, A> {
    type Adjacency = A;

    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        self.record(cost, Note::default())
    }
}

/// A ledger and the note of the entries that are made through this: see [`Ledger::note`].
#[derive(Debug)]
pub struct Noted<'a, G, A> {
    ledger: &'a mut Ledger<G, A>,
    note: Note,
}

impl<G: Recorded, A: Adjacency> Account<G> for Noted<'_, G, A> {
    type Adjacency = A;

    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        self.ledger.record(cost, self.note.clone())
    }
}
