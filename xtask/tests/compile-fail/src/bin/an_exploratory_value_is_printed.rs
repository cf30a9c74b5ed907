//! What was computed from the data without noise has to be asked for by a name that says so.
// error: `Exploratory<{float}>` doesn't implement …

use dp_sensitivity::Exploratory;

fn main() {
    println!("{}", Exploratory::new(0.5)); // the mistake
}
