//! What was computed from private data and carries no guarantee.

use core::fmt;

/// A value that was computed from private data without noise: for those who may see the data, and
/// for nobody else.
///
/// Deciding by it is not private either. If the amount of noise, the route to an answer or a
/// proposed bound is chosen because of what an exploratory value says, the choice reveals something
/// of the data, and the guarantee of what is then released does not cover that. Explore data of the
/// same kind that are public, or old; or pay for the choice, as
/// [`PrivateSensitivityBound`](crate::PrivateSensitivityBound) does.
///
/// The type makes that visible: it does not print its value, does not serialise, and hands it out
/// by [`for_the_owner`](Self::for_the_owner) only.
///
/// ```
/// use dp_sensitivity::Exploratory;
///
/// let seen = Exploratory::new(0.37);
/// assert_eq!(format!("{seen:?}"), "Exploratory(not private: see for_the_owner)");
/// assert_eq!(seen.for_the_owner(), 0.37);
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Exploratory<T>(T);

impl<T> Exploratory<T> {
    /// Marks a value as not private.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value, for the owner of the data. Do not publish it, and do not let it decide what is
    /// published.
    pub fn for_the_owner(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Exploratory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exploratory(not private: see for_the_owner)")
    }
}
