//! A clamp does not clamp `NaN`, so a query must not answer with a bare float.
// error: a query cannot answer with `f64`
// note: answer with `Finite`, made by `Finite::clamped(value, bounds)`; with a `FiniteVec` of many numbers; or with integers

use dp_core::{AddRemove, Error, Query};

/// The ratio of two sums, in percent.
struct Ratio;

impl Query for Ratio {
    type Data = [(f64, f64)];
    type Answer = f64; // the mistake
    type Adjacency = AddRemove;

    fn answer(&self, data: &[(f64, f64)]) -> Result<f64, Error> {
        let sum = |of: fn(&(f64, f64)) -> f64| data.iter().map(of).sum::<f64>();
        Ok((100.0 * sum(|pair| pair.0) / sum(|pair| pair.1)).round().clamp(0.0, 100.0))
    }
}

fn main() {}
