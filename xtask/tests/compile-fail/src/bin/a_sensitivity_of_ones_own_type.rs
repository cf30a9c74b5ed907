//! A type of one's own passes for a sensitivity. It has no neighbour relation, and would be taken in a norm that nobody stated.
// error: `Small` is not a `Sensitivity`, and a mechanism takes nothing else for one
// note: assert a sensitivity with `Sensitivity::new(…)`, under the neighbour relation that it is about

use dp_core::{LInfMonotone, MeasuredIn};

#[derive(Clone, Copy)]
struct Small;

impl MeasuredIn<LInfMonotone> for Small { // the mistake
    fn value(self) -> f64 {
        1e-9
    }
}

fn main() {}
