//! Prints the table of all rows with their limits.

use dp_bench::{Table, rows::rows};

fn main() {
    // `cargo test --benches` runs this too, and wants to know no more than that it builds.
    if std::env::args().any(|argument| argument == "--bench") {
        println!("{}", Table::measure(rows()));
    }
}
