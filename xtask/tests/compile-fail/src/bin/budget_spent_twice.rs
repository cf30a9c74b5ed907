//! A budget cannot be copied, for then it could be spent twice.
// error: no method named `clone` found for struct `Budget…

use dp_accounting::Budget;
use dp_core::{Error, Pure, ReplaceOne};

fn main() -> Result<(), Error> {
    let budget = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    let again = budget.clone(); // the mistake
    println!("{budget:?} {again:?}");
    Ok(())
}
