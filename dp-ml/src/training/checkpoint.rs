//! Checkpoints on disk.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use dp_core::Error;
use rand_chacha::ChaCha20Rng;
use serde::{Deserialize, Serialize};

use super::optimiser::Moments;
use super::probe;
use super::run::See;
use super::shard::{COORDINATES, Shard};
use super::streams::Streams;
use crate::Data;
use crate::model::Model;

pub(super) const UNREADABLE: Error = Error::Unreachable {
    request: "reading the file of the checkpoint",
    instead: "there is none at the path that was given, or not one that a training has written: check the path, and whether the training had begun",
};
pub(super) const FOREIGN: Error = Error::Unreachable {
    request: "a training that goes on from this checkpoint",
    instead: "it belongs to other settings, another model or other data: resume with those that wrote it",
};
const UNWRITABLE: Error = Error::Unreachable {
    request: "a checkpoint at the path that was given",
    instead: "name a file in a folder that exists and can be written, with room for it",
};

/// The state of a training: what identifies it, and how far it is.
pub(super) struct Checkpoint {
    header: Header,
    sampler: ChaCha20Rng,
    shards: Vec<Shard>,
}

/// What identifies a training, and the number of steps done when it was begun or read.
pub(super) struct Header {
    description: String,
    data: u64,
    streams: Streams,
    steps: u64,
}

/// The format on disk. Floats are written as their bits: exactly, and also if they are not finite.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    description: String,
    data: u64,
    key: [u8; 32],
    steps: u64,
    sampler: u64,
    shards: Vec<WrittenShard>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenShard {
    position: u64,
    parameters: Vec<u32>,
    first: Vec<u32>,
    second: Vec<u32>,
    average: Vec<u32>,
}

impl Checkpoint {
    /// A training before its first step.
    pub(super) fn new(description: String, data: u64, streams: Streams, shards: Vec<Shard>) -> Self {
        let sampler = streams.of_sampling();
        Self { header: Header { description, data, streams, steps: 0 }, sampler, shards }
    }

    /// # Errors
    /// [`UNREADABLE`] when there is no file, or it is not a checkpoint.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|_| UNREADABLE)?;
        let written: Written = serde_json::from_reader(BufReader::new(file)).map_err(|_| UNREADABLE)?;
        let streams = Streams::of_key(written.key);
        let mut sampler = streams.of_sampling();
        sampler.set_word_pos(written.sampler.into());
        let shards =
            written.shards.into_iter().enumerate().map(|(i, shard)| shard.restored(i, &streams)).collect();
        let Written { description, data, steps, .. } = written;
        Ok(Self { header: Header { description, data, streams, steps }, sampler, shards })
    }

    /// Whether it was written by the same training.
    pub(super) fn belongs_to(&self, description: &str, data: u64) -> bool {
        self.header.description == description && self.header.data == data
    }

    pub(super) fn into_parts(self) -> (Header, ChaCha20Rng, Vec<Shard>) {
        (self.header, self.sampler, self.shards)
    }
}

impl Header {
    /// The number of steps done when the training was begun or read.
    pub(super) const fn steps(&self) -> u64 {
        self.steps
    }

    /// Replaces the file atomically: a new one is written beside it, synced, and renamed.
    ///
    /// # Errors
    /// [`UNWRITABLE`] when the folder cannot be written.
    pub(super) fn write(
        &self,
        path: &Path,
        steps: u64,
        sampler: &ChaCha20Rng,
        see: &See<'_>,
    ) -> Result<(), Error> {
        let mut shards = Vec::new();
        see(&mut |shard| shards.push(WrittenShard::of(shard)));
        let written = Written {
            description: self.description.clone(),
            data: self.data,
            key: *self.streams.key(),
            steps,
            sampler: position(sampler),
            shards,
        };
        replace(path, &written).map_err(|_| UNWRITABLE)
    }
}

fn replace(path: &Path, written: &Written) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // A file left by a crash may have other permissions.
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Readable by its owner alone.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut writer = BufWriter::new(options.open(&beside)?);
    serde_json::to_writer(&mut writer, written)?;
    writer.flush()?;
    writer.get_ref().sync_all()?;
    std::fs::rename(&beside, path)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn position(rng: &ChaCha20Rng) -> u64 {
    u64::try_from(rng.get_word_pos()).expect("nobody draws 2⁶⁴ words")
}

impl WrittenShard {
    fn of(shard: &Shard) -> Self {
        let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect();
        Self {
            position: position(&shard.rng),
            parameters: bits(&shard.parameters),
            first: bits(&shard.moments.first),
            second: bits(&shard.moments.second),
            average: bits(&shard.average),
        }
    }

    fn restored(self, number: usize, streams: &Streams) -> Shard {
        let values = |bits: Vec<u32>| bits.into_iter().map(f32::from_bits).collect::<Vec<f32>>();
        let mut rng = streams.of_shard(number);
        rng.set_word_pos(self.position.into());
        let parameters = values(self.parameters);
        Shard {
            range: number * COORDINATES..number * COORDINATES + parameters.len(),
            rng,
            parameters,
            moments: Moments { first: values(self.first), second: values(self.second) },
            average: values(self.average),
        }
    }
}

/// A fingerprint of features, targets and model, from the features and the losses of all records at
/// random parameters.
pub(super) fn fingerprint<M: Model>(model: &M, data: &Data<M::Target>) -> u64 {
    let parameters = probe::parameters(model);
    let features = data.features().values().iter().map(|x| u64::from(x.to_bits()));
    let losses =
        (0..data.len()).map(|i| model.loss(&parameters, data.features().row(i), data.targets()[i]).to_bits());
    hash(features.chain(losses))
}

/// A hash of a list (FNV-1a). It guards against mistakes, not against an adversary, who would not
/// need to resume.
pub(super) fn hash(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, x| (hash ^ x).wrapping_mul(0x0100_0000_01b3).rotate_left(29))
}
