//! A count states a monotone sensitivity. One number has no direction in common with those that are asked beside it: under replace-one neighbours another count falls where this one rises.
// error: two steps in the norm `LInfMonotone` may lead anywhere: it has no triangle inequality
// note: queries of one number state a sensitivity in norms with a triangle inequality only: that all answers move in one direction is a fact about all of them, which a joint query such as a histogram states, or you assert

use dp_core::{LInfMonotone, ReplaceOne, Sensitivity, SensitivityIn};
use dp_sensitivity::Count;

fn main() {
    let in_a = Count::matching(|record: &char| *record == 'a').under_replace_one();
    let _: Sensitivity<LInfMonotone, ReplaceOne> = in_a.sensitivity(); // the mistake
}
