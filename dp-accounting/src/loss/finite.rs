//! Pairs on finitely many outcomes, listed.

use core::fmt;

use dp_core::pairs::FinitePair;
use dp_core::rounding::Enclosure;

use super::{Form, PrivacyLoss, Work, bits};
use crate::finite_law::FiniteLaw;
use crate::sampling::{self, AnyPair, Direction};

impl PrivacyLoss for FinitePair {
    fn parameters(&self) -> Vec<u64> {
        let flat = |&(p, q): &(Enclosure, Enclosure)| [p.lo(), p.hi(), q.lo(), q.hi()];
        bits(self.outcomes().iter().flat_map(flat))
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(self.clone())
    }

    fn has_finite_law(&self) -> bool {
        true
    }

    fn finite_law(&self) -> Option<FiniteLaw> {
        Some(FiniteLaw::of(self))
    }

    fn work(&self) -> Work {
        #[allow(clippy::cast_precision_loss, reason = "fewer outcomes than bytes")]
        let [above, below] = [200.0, 1000.0].map(|each| each * (10.0 + self.outcomes().len() as f64));
        Work { above, below, ..Work::USUAL }
    }
}

/// The worse direction of a finite pair at each ε, in every run by itself: for relations whose
/// neighbours may go one way in one release and the other way in the next.
#[derive(Clone)]
pub(crate) struct EitherWay(pub(crate) FinitePair);

impl PrivacyLoss for EitherWay {
    fn parameters(&self) -> Vec<u64> {
        self.0.parameters()
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(self.0.clone())
    }

    /// As for a batch of all records, whose pair is the larger of both profiles.
    fn view(&self, _: Direction) -> AnyPair {
        let of_all = sampling::WithoutReplacement::new(self.0.clone(), 1, 1);
        AnyPair::new(of_all.expect("one of one record"))
    }

    /// The larger of two profiles is that of no finite law.
    fn form(&self, _: Direction) -> Form {
        Form::Unknown
    }

    fn work(&self) -> Work {
        Work::USUAL
    }
}

impl fmt::Debug for EitherWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
