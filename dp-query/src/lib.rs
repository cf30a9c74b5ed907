//! Private SQL over tables in which a person has many rows.
//!
//! [`Tables`] declares which tables are private, which column says whose a row is, and what is
//! known of the columns. [`Tables::query`] takes SQL and refuses what cannot be answered for
//! people; [`PrivateQuery::epsilon_delta`] and its like make a [`Release`] of it, which prints its
//! noise and limits before anything is paid. [`Release::spend`] pays and answers, with an interval
//! for each number. The [release's page](Release) has a program.
//!
//! DataFusion computes, in exact integers; noise, keys and prices are those of `dp-mechanisms` and
//! `dp-accounting`.
//!
//! # What can be asked
//!
//! One `SELECT` over private and public tables:
//!
//! | clause | |
//! |---|---|
//! | `COUNT(*)`, `COUNT(x)` | rows, of which each person has up to `max_rows_per_group` |
//! | `COUNT(DISTINCT person)` | people |
//! | `SUM(x)` | each person's sum is clamped to what `max_rows_per_group` rows within the bounds of x can have, or to `contribution_bounds_per_group` |
//! | `AVG(x)`, `VAR_POP`, `VAR_SAMP`, `STDDEV_POP`, `STDDEV_SAMP` | of rows, each within the bounds of x; the rows of a person with more than `max_rows_per_group` of them have that weight together |
//! | `GROUP BY` | declared keys appear whether they occur or not; of other keys those of enough people, which takes a δ |
//! | `WHERE`, `CASE`, `FILTER` | with functions that have a value for every row |
//! | `JOIN` | with public tables on any condition, of private tables on the person |
//! | sub-queries in `FROM`, `WITH`, `UNION ALL` | if their rows still belong to people; grouped by the person, too |
//! | `HAVING`, `ORDER BY`, `LIMIT`, arithmetic on aggregates | on released numbers: it costs nothing |
//!
//! `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = …, delta = …, max_groups_contributed = …)`
//! is understood, as GoogleSQL writes it.
//!
//! Everything else is refused, with what to write instead.
//!
//! # What is guaranteed
//!
//! **Theorem.** Let D and D′ be private tables that differ by all rows of one person, the public
//! tables being the same. The released table of a [`Release`], and whatever is computed from it,
//! have laws that are as close as its guarantee says.
//!
//! *Proof.* In steps, each where its code is:
//!
//! 1. *Separability* (the lemma of the module `separable`): below the aggregation over people each
//!    row belongs to one person, and depends on that person's rows and on public tables alone.
//!    Expressions are total, so that no row ends in an error.
//! 2. *Bounds* (the theorem of the module `contributions`): for every key of the pseudo-random
//!    function that chooses the groups of people with many, the exact integers of D and D′ differ
//!    in at most k groups: in each of them by 1 person, and of each measure by at most its `moves`
//!    in ℓ1, hence also in ℓ2. The key is drawn independently of the data.
//! 3. *Noise* (the module `price`): in each of these groups each measure is released with Laplace
//!    noise that is ε′-private for such a distance, or with Gaussian noise that is μ-GDP; all other
//!    cells have the same law. Keys that nobody declared are selected by
//!    [`KeySelection`](dp_mechanisms::KeySelection), which sees only how many people have them.
//!    These at most k·(m + 1) releases compose to the guarantee: by addition, or by the accountant.
//! 4. *Post-processing*: what stands above the aggregation reads the released table and public
//!    tables. ∎
//!
//! The plan that the engine's optimiser returns is checked to have the bounds of step 2 before it
//! runs.
//!
//! # What a row counts as
//!
//! A row whose person is `NULL` is nobody's and is left out. `NULL` and `NaN` in an argument of an
//! aggregate do not count; numbers count as the nearest number within the bounds, so that ±∞ counts
//! as a bound and −0 as 0. `NULL` in `GROUP BY` is a key like others. Floats and nested types
//! cannot be keys. Integers are added modulo 2⁶⁴ within a row; a cast that fails is `NULL`.
//! Calendar functions and casts between points in time are `NULL` before 1800 and after 2200.
//!
//! # What is not guaranteed
//!
//! - That a person has one identifier. Whoever has two counts as two people.
//! - Anything about the time and the memory that the engine takes, which depend on the data, about
//!   what it writes to disk when memory is short, and about its failure when there is not enough.
//! - Anything about files that are damaged: that the engine fails is visible, and says no more. A
//!   CSV file is what its reader makes of it: a quote that is never closed swallows the lines
//!   after it, and identifiers that are no text may become the same one.

#![forbid(unsafe_code)]

mod contributions;
mod csv_table;
mod dialect;
mod engine;
mod error;
mod limits;
mod lineage;
mod measure;
mod price;
mod query;
mod question;
mod release;
mod released;
mod separable;
mod source;
mod tables;
mod unit;

pub use dialect::QueryOptions;
pub use engine::Aggregates;
pub use error::Error;
pub use limits::Limits;
pub use price::Currency;
pub use query::PrivateQuery;
pub use release::Release;
pub use released::{Cell, Cells, ReleasedTable};
pub use source::Source;
pub use tables::{Columns, Tables};
pub use unit::{AddRemovePerson, Unit};
