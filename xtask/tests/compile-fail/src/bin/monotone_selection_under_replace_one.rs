//! Counts are monotone under add/remove only: a replaced record lowers one and raises another, and half of the noise would be too little.
// error: … in the norm `LInfMonotone` is not known, and the mechanism needs it
// note: monotone selection needs `LInfMonotone`: between any two neighbours either no score falls or none rises. Counts are like this under add/remove; under replace-one one count falls and another rises, and the mechanism for general scores is the one to use

use dp_core::{Error, Query};
use dp_mechanisms::selection::Exponential;
use dp_sensitivity::Histogram;

fn main() -> Result<(), Error> {
    let votes = Histogram::new(3, |vote: &usize| *vote)?;
    let _ = votes.under_replace_one().with(Exponential::monotone_epsilon(1.0)?)?; // the mistake
    Ok(())
}
