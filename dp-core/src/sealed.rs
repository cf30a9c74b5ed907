//! Seals the traits that are checks: nobody outside of this crate can implement them.

/// Holds for a type and itself only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{T}` are different relations or notions, and must be the same",
    label = "not `{T}`",
    note = "this check is closed: state the guarantee under the relation, or in the notion, that is asked for"
)]
pub trait Is<T> {}

impl<T> Is<T> for T {}
