//! Whom a guarantee protects.

use std::fmt::Debug;

use dp_core::{AddRemove, Adjacency, Error, Guarantee};

/// Neighbours differ by one person, who is present with all their rows in all private tables in one
/// of them, and in none of them in the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddRemovePerson;

impl Adjacency for AddRemovePerson {
    const NAME: &'static str = "add-remove-person";
    const HAS_DIRECTION: bool = true;

    /// Returns the parts composed: a person may have rows in every part of a table.
    fn parallel<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error> {
        let composed = parts.into_iter().reduce(|a, b| a.compose(&b));
        composed.ok_or(Error::Empty { argument: "the list of parts" })
    }
}

/// The unit of privacy of a set of tables: [`AddRemovePerson`], or
/// [`AddRemove`](dp_core::AddRemove) where each row is a person.
///
/// Sealed: the theorem of this crate is proven for these two.
pub trait Unit: Adjacency + Sealed {
    /// Whether a person may have several rows.
    const HAS_SEVERAL_ROWS: bool;
}

impl Unit for AddRemovePerson {
    const HAS_SEVERAL_ROWS: bool = true;
}

impl Unit for AddRemove {
    const HAS_SEVERAL_ROWS: bool = false;
}

/// What closes [`Unit`].
pub trait Sealed: Debug {}
impl Sealed for AddRemovePerson {}
impl Sealed for AddRemove {}
