//! Everything that is measured, by area.

mod accounting;
mod learning;
mod mechanisms;
mod samplers;
mod selection;
mod sensitivity;

use dp_core::Scale;

use crate::{Area, Row};

/// The rows of an area.
#[must_use]
pub fn of(area: Area) -> Vec<Row> {
    match area {
        Area::Samplers => samplers::rows(),
        Area::Mechanisms => mechanisms::rows(),
        Area::Selection => selection::rows(),
        Area::Sensitivity => sensitivity::rows(),
        Area::Accounting => accounting::rows(),
        Area::Learning => learning::rows(),
    }
}

/// The rows of all areas.
#[must_use]
pub fn all() -> Vec<Row> {
    Area::ALL.into_iter().flat_map(of).collect()
}

pub(crate) use accounting::training;
pub(crate) use learning::softmax_step;
pub(crate) use selection::gumbel_max;
pub(crate) use sensitivity::{bounds, spread};

const DRAWN: &str = "a draw for a number, into a list of the right length, does not fail";

fn scale(value: f64) -> Scale {
    Scale::new(value).expect("benches use positive scales")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_one_row_each() {
        let mut names: Vec<String> = all().into_iter().map(|row| row.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// A limit on a ratio needs something to divide by.
    #[test]
    fn limits_have_their_floors() {
        for row in all() {
            assert!(row.limits.at_most_floors.is_none() || row.floor.is_some(), "{}", row.name);
        }
    }
}
