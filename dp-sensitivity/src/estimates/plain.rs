//! Sums and counts, which are numbers by themselves.

use dp_core::interval::{Confidence, ConfidenceInterval, SumNoise};
use dp_core::{AddRemove, Error, Finite};

use super::additive::{Contributions, Moves};
use crate::{Count, Sum};

impl Contributions for Sum<AddRemove> {
    type Record = f64;
    type Estimate = f64;
    const SUMS: usize = 1;

    fn add(&self, record: &f64, sums: &mut [i128]) {
        sums[0] += i128::from(self.grid().integer(*record));
    }

    fn answers(&self, sums: &[i128], answers: &mut Vec<Finite>) {
        answers.push(Finite::or_zero(self.total().rounded(sums[0])));
    }

    fn when_added(&self) -> Moves {
        Moves::by(self.total().sensitivity(self.largest()))
    }

    /// b − a.
    fn when_replaced(&self) -> Moves {
        let (least, most) = self.grid().range();
        Moves::by(self.total().sensitivity(most.abs_diff(least).into()))
    }

    fn estimate(&self, noisy: &[f64]) -> f64 {
        noisy[0]
    }

    fn off(&self, _: usize, noise: f64) -> f64 {
        noise
    }

    fn cover<M: SumNoise>(
        &self,
        released: &f64,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        Ok(noise.noisy_sum(*released).interval(confidence))
    }
}

impl<T, P: Fn(&T) -> bool> Contributions for Count<T, P, AddRemove> {
    type Record = T;
    type Estimate = f64;
    const SUMS: usize = 1;

    fn add(&self, record: &T, sums: &mut [i128]) {
        sums[0] += i128::from(self.holds_for(record));
    }

    fn answers(&self, sums: &[i128], answers: &mut Vec<Finite>) {
        answers.push(Finite::count(usize::try_from(sums[0]).unwrap_or(usize::MAX)));
    }

    fn when_added(&self) -> Moves {
        Moves::by(1.0)
    }

    fn when_replaced(&self) -> Moves {
        Moves::by(1.0)
    }

    fn estimate(&self, noisy: &[f64]) -> f64 {
        noisy[0]
    }

    fn off(&self, _: usize, noise: f64) -> f64 {
        noise
    }

    fn cover<M: SumNoise>(
        &self,
        released: &f64,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        Ok(noise.noisy_sum(*released).interval(confidence))
    }
}
