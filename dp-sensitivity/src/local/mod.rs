//! Local sensitivities: what one record can change on these data, on data near to them, and smooth
//! bounds on that.

pub(crate) mod ladder;
mod sensitivity;
pub(crate) mod smoothness;

pub use sensitivity::LocalSensitivity;
pub use smoothness::Smoothness;
