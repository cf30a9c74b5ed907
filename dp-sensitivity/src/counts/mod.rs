//! Counts of records, and one function of a count.

mod count;
mod count_by;
mod histogram;
mod reciprocal_count;

pub use count::Count;
pub use count_by::CountBy;
pub use histogram::Histogram;
pub use reciprocal_count::ReciprocalCount;
