//! How much of a person counts.

use crate::Error;

/// What a person contributes at most: so many groups, and so many rows in each of them.
///
/// More limits less of the answer and costs more noise. Both are public, and must not be read off
/// the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    groups: u32,
    rows: u32,
}

impl Default for Limits {
    /// Four groups with eight rows each.
    fn default() -> Self {
        Self { groups: 4, rows: 8 }
    }
}

impl Limits {
    /// The largest limit.
    const MOST: u32 = 1 << 20;

    /// The most groups that a person counts in. Of a person with more, as many are chosen by a
    /// pseudo-random function, each as likely as the others.
    ///
    /// # Errors
    /// [`Error::Core`] unless it lies between 1 and 2²⁰.
    pub fn with_groups(self, groups: u32) -> Result<Self, Error> {
        Ok(Self { groups: within("max_groups", groups)?, ..self })
    }

    /// The most rows that count of a person in a group. Of more, each counts in part: averages are
    /// those of all rows of a person, with the weight of this many.
    ///
    /// # Errors
    /// [`Error::Core`] unless it lies between 1 and 2²⁰.
    pub fn with_rows(self, rows: u32) -> Result<Self, Error> {
        Ok(Self { rows: within("max_rows_per_group", rows)?, ..self })
    }

    /// The most groups that a person counts in.
    #[must_use]
    pub const fn groups(self) -> u32 {
        self.groups
    }

    /// The most rows that count of a person in a group.
    #[must_use]
    pub const fn rows(self) -> u32 {
        self.rows
    }
}

fn within(argument: &'static str, found: u32) -> Result<u32, Error> {
    if (1..=Limits::MOST).contains(&found) {
        return Ok(found);
    }
    Err(dp_core::Error::OutOfRange { argument, allowed: "[1, 2^20]", found: f64::from(found) }.into())
}
