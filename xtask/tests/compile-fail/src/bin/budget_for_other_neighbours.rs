//! A budget for one neighbour relation cannot pay for a guarantee under another.
// error: cannot combine different neighbour relations: `AddRemove` and `ReplaceOne`
// note: a guarantee under one relation says nothing under another; state both under the same one: a query may offer `.under_replace_one()` at no extra cost, and on a measurement `.replace_one_as_two_steps()` charges that of two records

use dp_accounting::{Account, Budget};
use dp_core::{Pure, Query, ReplaceOne};
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::Count;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages = [23.0, 35.0, 61.0, 47.0];
    let seniors = Count::matching(|age: &f64| *age >= 65.0).with(Laplace::epsilon(0.5)?)?;
    let mut budget = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    println!("{}", budget.spend(&seniors, &ages, &mut OsSeeded::new()?)?); // the mistake
    Ok(())
}
