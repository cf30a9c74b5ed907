//! An answer of two numbers is taken as one of them, a million times as large. The noise would be that of the sensitivity that was stated for the two.
// error: `Pair` cannot be taken for another type of answer
// note: answer with what the mechanism takes: `Finite` or an integer, or a `FiniteVec`, `Vec`, boxed slice or array for mechanisms on slices

use dp_core::query::TakenAs;

struct Pair {
    _near: [f64; 2],
    far: f64,
}

impl TakenAs<f64> for Pair { // the mistake
    fn taken(&self) -> &f64 {
        &self.far
    }
}

fn main() {}
