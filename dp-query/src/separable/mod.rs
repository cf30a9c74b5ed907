//! Which queries can be answered privately: those whose rows each belong to one person.
//!
//! [`split`] walks a logical plan from its tables upwards and keeps, for each part of it, whose
//! rows they are:
//!
//! - *public*: they depend on public tables alone;
//! - *private*: each row carries the identifier of a person, and the rows of a person depend on the
//!   rows of that person and on public tables alone ("separable by person");
//! - *released*: they depend on private rows through one aggregation over people only, which noise
//!   will stand in for. What is computed from them is post-processing.
//!
//! An operator keeps private rows private if it is a function of each person's rows by themselves:
//! filters, projections by total functions, unions, joins with public tables, joins of private
//! tables on the person, aggregations and windows by person. The aggregation over people is where
//! the plan is cut. Everything else is refused.
//!
//! **Lemma.** Let D and D′ differ by the person p. For a private part of a plan, the rows of all
//! people but p are equal in D and D′, and those of p are the rows that the part has for D
//! restricted to p. *Proof.* By induction over the plan. A scan: by definition, rows without an
//! identifier being nobody's and left out. A filter, a projection with total functions, a union:
//! row by row; a total function has a value, and no error, for each row. A join with a public table
//! and an inner or left outer one, or a join of private tables whose condition contains the
//! equality of the two identifiers: a pair of rows joins or not whatever other people's rows are,
//! and a row of a left outer join stays without a partner if none of the same person's, or of the
//! public rows, is one. An aggregation or a window whose groups contain the identifier, and
//! `DISTINCT` over rows that contain it: each group has rows of one person. ∎

mod by_person;
mod casts;
mod functions;
mod released;
mod total;
mod walk;

pub(crate) use casts::plain;
pub(crate) use released::{reading, released_columns, scan_of};
pub(crate) use walk::{Cut, Split, split};
