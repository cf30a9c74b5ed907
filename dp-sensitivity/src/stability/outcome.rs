//! The outcome of a release that tests first whether it may be made.

/// A released value, or the refusal to release one. The guarantee covers which of the two it is, so
/// both may be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Outcome<T> {
    /// The data passed the test.
    Released(T),
    /// They did not, and nothing else is revealed. Asking again costs as much again.
    Refused,
}

impl<T> Outcome<T> {
    /// The released value, if there is one.
    pub fn released(self) -> Option<T> {
        match self {
            Self::Released(value) => Some(value),
            Self::Refused => None,
        }
    }

    /// Whether nothing was released.
    pub const fn is_refused(&self) -> bool {
        matches!(self, Self::Refused)
    }
}
