//! That gradients at the same iterate are close to each other does not make the last iterate of a training private.
// error: `SameIterate<L1>` is no condition under which the last iterate of a training is private by itself
// note: theorem L5 takes clipped gradients (`Clipped::l1(c)?`), a convex smooth loss of one parameter (`ScheduledSgd::convex_smooth(…)`), or your word for it (`Asserted::new("why", bound)?`)

use dp_core::{Error, L1};
use dp_ml::scheduled::{LastIterate, LeastSquares, MultiPass, SameIterate, Schedule, ScheduledSgd};

fn train(bound: SameIterate<L1>, schedule: &Schedule) -> Result<(), Error> {
    let loss = LeastSquares::<[f64; 2]>::new(1)?;
    let _ = ScheduledSgd::new(LastIterate, loss, MultiPass::new(100, 1)?, bound, schedule, &[0.0])?; // the mistake
    Ok(())
}

fn main() {
    let _ = train;
}
