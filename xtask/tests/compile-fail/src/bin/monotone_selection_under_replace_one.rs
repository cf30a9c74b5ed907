//! Counts are monotone under add/remove only: a replaced record lowers one and raises another, and half of the noise would be too little.
// error: under replace-one one count falls and another rises

use dp_core::{Error, Query};
use dp_mechanisms::selection::Exponential;
use dp_sensitivity::Histogram;

fn main() -> Result<(), Error> {
    let votes = Histogram::new(3, |vote: &usize| *vote)?;
    let _ = votes.under_replace_one().with(Exponential::monotone_epsilon(1.0)?)?;
    Ok(())
}
