//! The IDX format of MNIST: arrays of bytes after a short header.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::{Data, ReadError};
use crate::Matrix;

/// An array of bytes from an IDX file: images, or their labels.
///
/// The header is two zeros, the type of the entries (8: bytes, the only type that is read), the
/// number of dimensions, and the size of each as a big-endian number of four bytes. No memory is
/// allocated on the word of a header: the number of entries must be as it says, and at most 2³¹.
///
/// ```
/// use dp_ml::Idx;
///
/// let labels = Idx::parse(&[0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1])?;
/// assert_eq!((labels.shape(), labels.entries()), (&[3][..], &[7, 2, 1][..]));
/// # Ok::<(), dp_ml::ReadError>(())
/// ```
#[derive(Clone)]
pub struct Idx {
    /// The file that it was read from, for messages.
    path: Option<String>,
    shape: Vec<usize>,
    entries: Vec<u8>,
}

/// Shows the path and the shape, not the entries.
impl fmt::Debug for Idx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idx").field("path", &self.path).field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// Arrays are equal when their entries are, wherever they were read from.
impl PartialEq for Idx {
    fn eq(&self, other: &Self) -> bool {
        (&self.shape, &self.entries) == (&other.shape, &other.entries)
    }
}

const MOST_DIMENSIONS: u8 = 8;
const MOST_ENTRIES: usize = 1 << 31;

impl Idx {
    /// Reads a file, gzipped or not.
    ///
    /// # Errors
    /// [`ReadError::File`] when it cannot be read or unpacked; else those of
    /// [`parse`](Self::parse), in [`ReadError::In`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let name = path.as_ref().display().to_string();
        let refused =
            |error: std::io::Error| ReadError::File { path: name.clone(), reason: error.to_string() };
        let mut file = BufReader::new(File::open(path).map_err(refused)?);
        let start = std::io::BufRead::fill_buf(&mut file).map_err(refused)?;
        let zipped = start.starts_with(&[0x1f, 0x8b]);
        let read = if zipped { Self::read(GzDecoder::new(file)) } else { Self::read(file) };
        match read {
            Ok(array) => Ok(Self { path: Some(name), ..array }),
            Err(Trouble::Reading(error)) => Err(refused(error)),
            Err(Trouble::Content(problem)) => Err(ReadError::Idx { problem }.of(Some(&name))),
        }
    }

    /// Parses the bytes of a file, gzipped or not.
    ///
    /// # Errors
    /// [`ReadError::Idx`] when they are not an array of bytes of at most eight dimensions, with
    /// exactly as many entries as the header says.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        let zipped = bytes.starts_with(&[0x1f, 0x8b]);
        let read = if zipped { Self::read(GzDecoder::new(bytes)) } else { Self::read(bytes) };
        read.map_err(|error| match error {
            Trouble::Reading(_) => {
                ReadError::Idx { problem: "it ends too early, or is packed wrongly: fetch it again" }
            }
            Trouble::Content(problem) => ReadError::Idx { problem },
        })
    }

    fn read(mut bytes: impl Read) -> Result<Self, Trouble> {
        let mut magic = [0; 4];
        bytes.read_exact(&mut magic)?;
        let [0, 0, kind, dimensions] = magic else {
            return Err(Trouble::Content(
                "its first two bytes are not zero: pass an IDX file, gzipped or not",
            ));
        };
        if kind != 8 {
            return Err(Trouble::Content("its entries are not single bytes (kind 8): convert them"));
        }
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(Trouble::Content("it has no dimension, or more than eight: pass labels or images"));
        }
        let mut shape = vec![];
        for _ in 0..dimensions {
            let mut size = [0; 4];
            bytes.read_exact(&mut size)?;
            shape.push(usize::try_from(u32::from_be_bytes(size)).unwrap_or(usize::MAX));
        }
        let promised = shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
        let Some(promised) = promised.filter(|entries| *entries <= MOST_ENTRIES) else {
            return Err(Trouble::Content("its header promises more than 2³¹ entries: split the file"));
        };
        let mut entries = vec![];
        // One byte more than promised shows that there are too many; memory grows with the bytes
        // read.
        let limit = u64::try_from(promised).expect("at most 2³¹") + 1;
        bytes.take(limit).read_to_end(&mut entries)?;
        if entries.len() != promised {
            return Err(Trouble::Content(
                "it has more or fewer entries than its header promises: fetch it again",
            ));
        }
        Ok(Self { path: None, shape, entries })
    }

    /// The size of each dimension.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The entries; the last dimension runs fastest.
    #[must_use]
    pub fn entries(&self) -> &[u8] {
        &self.entries
    }

    /// Images with their labels: one feature for each pixel, from 0 for black to 1 for white.
    ///
    /// # Errors
    /// [`ReadError::Idx`] unless `self` has two dimensions at least, `labels` one, both the same
    /// first size, and all labels are below `classes`.
    pub fn labelled(&self, labels: &Self, classes: u8) -> Result<Data<u32>, ReadError> {
        let problem = |problem| Err(ReadError::Idx { problem }.of(labels.path.as_deref()));
        let ([count, pixels @ ..], [same]) = (&self.shape[..], &labels.shape[..]) else {
            return problem(
                "labels have one dimension: pass the file of images first and that of labels second",
            );
        };
        if pixels.is_empty() || count != same {
            return problem("there is not one label for each image: pass two files that belong together");
        }
        if labels.entries.iter().any(|label| *label >= classes) {
            return problem("a label is not below the number of classes: declare more classes");
        }
        let values = self.entries.iter().map(|byte| f32::from(*byte) / 255.0).collect();
        let features = Matrix::new(*count, pixels.iter().product(), values)?;
        Ok(Data::new(features, labels.entries.iter().map(|label| u32::from(*label)).collect())?)
    }
}

enum Trouble {
    Reading(std::io::Error),
    Content(&'static str),
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Reading(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    const LABELS: [u8; 10] = [0, 0, 8, 1, 0, 0, 0, 2, 1, 0];
    const IMAGES: [u8; 20] = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 255, 51, 102];

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(vec![], Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn messages_name_the_file() {
        let path = std::env::temp_dir().join(format!("dp-ml-{}.idx", std::process::id()));
        let name = path.display().to_string();
        std::fs::write(&path, LABELS).unwrap();
        let labels = Idx::open(&path).unwrap();
        let said = Idx::parse(&IMAGES).unwrap().labelled(&labels, 1).unwrap_err().to_string();
        assert!(said.starts_with(&format!("{name}: ")) && said.contains("declare more classes"), "{said}");
        assert_eq!(labels, Idx::parse(&LABELS).unwrap());
        for bytes in [&b"age,income\n"[..], &LABELS[..9]] {
            std::fs::write(&path, bytes).unwrap();
            let said = Idx::open(&path).unwrap_err().to_string();
            assert!(said.starts_with(&format!("{name}: the IDX file cannot be used")), "{said}");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn images_are_read_zipped_or_not() {
        let images = Idx::parse(&IMAGES).unwrap();
        assert_eq!(Idx::parse(&zipped(&IMAGES)).unwrap(), images);
        assert_eq!(images.shape(), [2, 2, 1]);
        let data = images.labelled(&Idx::parse(&LABELS).unwrap(), 2).unwrap();
        assert_eq!((data.targets(), data.features().row(1)), (&[1, 0][..], &[0.2, 0.4][..]));
    }

    #[test]
    fn files_are_read_zipped_or_not() {
        for (name, bytes) in [("plain", LABELS.to_vec()), ("zipped", zipped(&LABELS))] {
            let path = std::env::temp_dir().join(format!("dp-ml-idx-{name}-{}", std::process::id()));
            std::fs::write(&path, bytes).unwrap();
            let read = Idx::open(&path);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(read.unwrap().entries(), [1, 0]);
        }
        assert!(
            Idx::open("no/such/file").unwrap_err().to_string().starts_with("no/such/file cannot be read")
        );
    }

    #[test]
    fn files_of_another_kind_are_refused() {
        let refused = |bytes: &[u8], part: &str| {
            for bytes in [bytes.to_vec(), zipped(bytes)] {
                let message = Idx::parse(&bytes).unwrap_err().to_string();
                assert!(message.contains(part), "{message}");
            }
        };
        refused(&[], "ends too early");
        refused(&LABELS[..6], "ends too early");
        refused(&LABELS[..9], "more or fewer entries");
        refused(&[&LABELS[..], &[0]].concat(), "more or fewer entries");
        refused(b"PNG?", "first two bytes");
        refused(&[0, 0, 13, 1, 0, 0, 0, 0], "single bytes");
        refused(&[0, 0, 8, 0], "no dimension");
        refused(&[0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255], "2³¹");
        // All but the limit: nothing is allocated for what is not there.
        refused(&[0, 0, 8, 1, 128, 0, 0, 0, 1], "more or fewer entries");
        let (images, labels) = (Idx::parse(&IMAGES).unwrap(), Idx::parse(&LABELS).unwrap());
        for (error, part) in [
            (images.labelled(&images, 10), "labels second"),
            (labels.labelled(&labels, 10), "not one label for each"),
            (images.labelled(&labels, 1), "below the number of classes"),
        ] {
            assert!(error.unwrap_err().to_string().contains(part));
        }
    }

    /// Random bytes, and files with random changes: read or refused.
    #[test]
    fn no_bytes_make_it_panic() {
        let mut word = 7u64;
        let mut next = move |below: usize| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(word >> 33).unwrap() % below
        };
        let mut read = 0;
        for turn in 0..10_000 {
            let mut bytes = match turn % 3 {
                0 => (0..next(40)).map(|_| u8::try_from(next(256)).unwrap()).collect(),
                1 => IMAGES.to_vec(),
                _ => zipped(&IMAGES),
            };
            for _ in 0..next(4) {
                let (at, kind) = (next(bytes.len() + 1), next(3));
                match kind {
                    0 => bytes.insert(at, u8::try_from(next(256)).unwrap()),
                    1 => bytes.truncate(at),
                    _ => drop(bytes.get_mut(at).map(|byte| *byte ^= 1 << next(8))),
                }
            }
            if let Ok(array) = Idx::parse(&bytes) {
                assert_eq!(array.entries().len(), array.shape().iter().product::<usize>());
                let _ = array.labelled(&array, 10);
                read += 1;
            }
        }
        assert!(read > 1000, "{read}");
    }
}
