//! Trainings that are resumed after a crash.

use std::path::PathBuf;

use dp_core::Error;

use super::checkpoint::{Checkpoint, FOREIGN, UNREADABLE, fingerprint, hash};
use super::{Settings, Trained, Training};
use crate::Data;
use crate::model::Model;

impl<M: Model> Training<M> {
    /// Writes a checkpoint before the first step and after every `every` steps, from which
    /// [`resume`](Self::resume) continues.
    ///
    /// The file is replaced atomically: a crash leaves the old one or the new one. It holds the key
    /// of the noise and is as secret as the data: with it and the released parameters the noise can
    /// be subtracted.
    #[must_use]
    pub fn checkpoint(self, path: impl Into<PathBuf>, every: u64) -> Self {
        Self { checkpoints: Some((path.into(), every.max(1))), ..self }
    }

    /// Continues from the checkpoint, with the data of the training that wrote it.
    ///
    /// It costs nothing: the whole training was paid for when it began, and a budget keeps a booked
    /// cost. Steps between the checkpoint and a crash are repeated with the same batches and the
    /// same noise, which follow from the key in the file. So the release is, to the last bit, the
    /// one without the crash, however often it is resumed. Hence processors whose kernels round
    /// differently are refused, and so are other data and other models: two data sets under the
    /// same noise would reveal their difference. (The fingerprint covers the features, and the
    /// losses of all records at random parameters.)
    ///
    /// # Errors
    /// [`Error::Unreachable`] without a readable checkpoint, for one of other settings, another
    /// model or other data, and when the training diverges.
    pub fn resume(&self, data: &Data<M::Target>) -> Result<Trained, Error> {
        self.fits(data)?;
        let path = self.checkpoints.as_ref().map(|(path, _)| path).ok_or(UNREADABLE)?;
        let saved = Checkpoint::read(path)?;
        if !saved.belongs_to(&self.description(), fingerprint(self.model.get(), data)) {
            return Err(FOREIGN);
        }
        let parameters = self.steps(data, Some(self.noise), saved)?;
        Ok(Trained { parameters, report: self.report() })
    }

    /// What a checkpoint must agree with.
    pub(super) fn description(&self) -> String {
        let Settings {
            records,
            batch,
            steps,
            privacy,
            clip,
            optimiser,
            learning_rate,
            average,
            weight_decay,
            threads: _,
        } = &self.settings;
        let layers = self.model.layers();
        // A function has no text, so its values are hashed.
        let rates = hash((0..*steps).map(|h| learning_rate.at(h, *steps).to_bits()));
        format!(
            "{records} {batch} {steps} {privacy:?} {clip:?} {optimiser:?} {learning_rate:?} {rates:x} {average:?} {weight_decay} {layers:?} {} {:?}",
            crate::product::kernels(),
            self.report()
        )
    }
}
