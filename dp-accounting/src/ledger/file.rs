//! The file: locked, appended, synced.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::LedgerError;

/// An open ledger file.
#[derive(Debug)]
pub(super) struct LockedFile {
    file: File,
    path: PathBuf,
}

/// While this lives, no other process or handle reads or appends.
pub(super) struct Lock<'a> {
    file: &'a LockedFile,
}

impl LockedFile {
    /// Makes a new file with a first line, and sees to it that both are on disk.
    pub(super) fn create(path: &Path, line: &[u8]) -> Result<Self, LedgerError> {
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(path);
        let made =
            Self { file: file.map_err(|error| io_error("creating", path, &error))?, path: path.to_owned() };
        made.lock()?.append(line)?;
        sync_directory(path).map_err(|error| io_error("syncing the folder of", path, &error))?;
        Ok(made)
    }

    pub(super) fn open(path: &Path) -> Result<Self, LedgerError> {
        let file = OpenOptions::new().read(true).append(true).open(path);
        Ok(Self { file: file.map_err(|error| io_error("opening", path, &error))?, path: path.to_owned() })
    }

    /// All bytes of a file that need not be writable, when nobody is writing.
    pub(super) fn read_only(path: &Path) -> Result<Vec<u8>, LedgerError> {
        let file = File::open(path).map_err(|error| io_error("opening", path, &error))?;
        let shared = Self { file, path: path.to_owned() };
        shared.file.lock_shared().map_err(|error| io_error("locking", path, &error))?;
        Lock { file: &shared }.read_from(0)
    }

    /// Waits until nobody else has the lock.
    pub(super) fn lock(&self) -> Result<Lock<'_>, LedgerError> {
        self.file.lock().map_err(|error| io_error("locking", &self.path, &error))?;
        Ok(Lock { file: self })
    }
}

impl Lock<'_> {
    /// All bytes from a position on. It is an error when the file has become shorter than that, or
    /// is no longer the one at its path.
    pub(super) fn read_from(&self, position: u64) -> Result<Vec<u8>, LedgerError> {
        let LockedFile { file, path } = self.file;
        let failed = |error: io::Error| io_error("reading", path, &error);
        if file.metadata().map_err(failed)?.len() < position || !is_at(file, path) {
            return Err(self.replaced());
        }
        let mut reader: &File = file;
        let mut bytes = vec![];
        reader.seek(SeekFrom::Start(position)).map_err(failed)?;
        reader.read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Says that this is not the file that was read.
    pub(super) fn replaced(&self) -> LedgerError {
        LedgerError::Replaced { path: self.file.path.display().to_string() }
    }

    /// Appends bytes and waits until they are on disk.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<(), LedgerError> {
        let LockedFile { file, path } = self.file;
        let mut writer: &File = file;
        writer.write_all(bytes).map_err(|error| io_error("writing", path, &error))?;
        file.sync_data().map_err(|error| io_error("syncing", path, &error))
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        // When it fails the lock lasts until the file is closed, which keeps others out and nobody
        // in.
        drop(self.file.file.unlock());
    }
}

fn io_error(doing: &'static str, path: &Path, error: &io::Error) -> LedgerError {
    let hint = match (doing, error.kind()) {
        ("opening", io::ErrorKind::NotFound) => " (`Ledger::create` starts a new ledger)",
        ("opening", io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            " (`Ledger::audit` reads a ledger that is not yours to write)"
        }
        ("creating", io::ErrorKind::AlreadyExists) => " (`Ledger::load` goes on with one)",
        ("creating", io::ErrorKind::NotFound) => " (its folder does not exist: create that first)",
        _ => "",
    };
    LedgerError::Io { doing, path: path.display().to_string(), reason: format!("{error}{hint}") }
}

/// Whether the path still leads to the open file: what is appended to a file that was deleted is
/// lost.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata().map(place), std::fs::metadata(path).map(place)), (Ok(a), Ok(b)) if a == b)
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// A new file is on disk when its name is.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
