//! Two mechanisms with one promise on the same neighbours: the broken one and the library's,
//! audited alike.

use std::cell::RefCell;

use dp_core::{Approx, Error};
use dp_mechanisms::rng::Insecure;

use super::{Caught, Effort};
use crate::audit::engine::{Label, LowerBound, lower_bound};
use crate::audit::labels::integer;

/// What both mechanisms promise, and how they are put to the test.
pub(super) struct Trial<'a, X: ?Sized, L> {
    pub(super) promise: Approx,
    pub(super) neighbours: [&'a X; 2],
    /// What is looked at, in words.
    pub(super) looking_at: &'static str,
    /// The same in code: outputs with the same label are not distinguished. It knows nothing of
    /// which neighbour was used.
    pub(super) label: L,
}

impl<X: ?Sized, L> Trial<'_, X, L> {
    /// Audits both. The broken one is caught if it shows more than it promised and the right one
    /// does not.
    pub(super) fn audit<O>(
        &self,
        effort: Effort,
        broken: impl Fn(&X, &mut Insecure) -> Result<O, Error>,
        right: impl Fn(&X, &mut Insecure) -> Result<O, Error>,
    ) -> Result<Caught, Error>
    where
        L: Fn(&O) -> Label,
    {
        let broken = self.lower_bound(effort, broken)?;
        let right = self.lower_bound(effort, right)?;
        let promised = self.promise.epsilon().get();
        Ok(Caught {
            caught: broken.epsilon > promised && right.epsilon <= promised,
            by: format!(
                "audit, looking at {}: an event has probability at least {:.4} on one neighbour and at most {:.4} on the other, so ε ≥ {:.3} where {} is promised; \
                 the library's version shows ε ≥ {:.3}",
                self.looking_at,
                broken.probabilities.0,
                broken.probabilities.1,
                broken.epsilon,
                self.promised(),
                right.epsilon,
            ),
        })
    }

    fn promised(&self) -> String {
        let (epsilon, delta) = (self.promise.epsilon().get(), self.promise.delta().get());
        if delta == 0.0 {
            format!("ε = {epsilon:.3}")
        } else {
            format!("ε = {epsilon:.3} with δ = {delta}")
        }
    }

    fn lower_bound<O>(
        &self,
        effort: Effort,
        draw: impl Fn(&X, &mut Insecure) -> Result<O, Error>,
    ) -> Result<LowerBound, Error>
    where
        L: Fn(&O) -> Label,
    {
        let failed = RefCell::new(None);
        let sampler = |data| {
            let (draw, failed) = (&draw, &failed);
            move |rng: &mut Insecure| match draw(data, rng) {
                Ok(output) => (self.label)(&output),
                Err(error) => {
                    failed.replace(Some(error));
                    0
                }
            }
        };
        let [x, y] = self.neighbours;
        let (delta, Effort { draws, failure, seed }) = (self.promise.delta().get(), effort);
        let found =
            lower_bound(&mut sampler(x), &mut sampler(y), draws, delta, failure, seed, &|_| String::new());
        failed.into_inner().map_or(Ok(found), Err)
    }
}

/// The promise of pure ε.
pub(super) fn pure(epsilon: f64) -> Result<Approx, Error> {
    Approx::new(epsilon, 0.0)
}

/// The interval of this width that a number lies in, numbers far out being taken together.
pub(super) fn cell(value: f64, width: f64) -> Label {
    #[allow(clippy::cast_possible_truncation, reason = "a whole number between −50 and 50")]
    let number = (value / width).floor().clamp(-50.0, 50.0) as i64;
    integer(number)
}

#[cfg(test)]
mod tests {
    use super::super::tests::EFFORT;
    use super::*;

    /// Tells the data, or nothing. False alarms: 10⁻⁹ each.
    #[test]
    fn who_leaks_is_caught_unless_the_right_version_leaks_as_well() {
        let trial = Trial {
            promise: pure(1.0).unwrap(),
            neighbours: [&0, &1],
            looking_at: "the output",
            label: |output: &u64| *output,
        };
        type Mechanism = fn(&u64, &mut Insecure) -> Result<u64, Error>;
        let (leaky, quiet): (Mechanism, Mechanism) = (|data, _| Ok(*data), |_, _| Ok(7));
        let caught = |broken: Mechanism, right: Mechanism| {
            trial.audit(EFFORT, broken, right).map(|found| found.caught)
        };
        assert_eq!(caught(leaky, quiet), Ok(true));
        assert_eq!(caught(quiet, quiet), Ok(false));
        assert_eq!(caught(leaky, leaky), Ok(false));
        assert_eq!(caught(quiet, leaky), Ok(false));
        let failing: Mechanism = |_, _| Err(Error::Empty { argument: "the data" });
        assert!(caught(failing, quiet).is_err() && caught(leaky, failing).is_err());
    }

    #[test]
    fn cells_are_in_order_and_end_somewhere() {
        let cells = [f64::NEG_INFINITY, -1.0, -0.1, 0.0, 0.9, 1.0, 1e9].map(|value| cell(value, 0.5));
        assert!(cells.is_sorted() && cells[1] + 2 == cells[3] && cells[2] + 1 == cells[3]);
        assert_eq!(cells[6], cell(f64::INFINITY, 0.5));
    }
}
