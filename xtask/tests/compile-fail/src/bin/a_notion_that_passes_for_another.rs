//! A notion of one's own says that it is pure privacy.
// error: `Anything` and `Pure` are different relations or notions, and must be the same
// note: this check is closed: state the guarantee under the relation, or in the notion, that is asked for

use dp_core::notion::SameNotion;
use dp_core::{Delta, Epsilon, Guarantee, Pure};

#[derive(Clone, Debug, PartialEq)]
struct Anything;

impl core::fmt::Display for Anything {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("anything")
    }
}

impl Guarantee for Anything {
    fn perfect() -> Self {
        Self
    }
    fn compose(&self, _: &Self) -> Self {
        Self
    }
    fn join(&self, _: &Self) -> Self {
        Self
    }
    fn is_at_most(&self, _: &Self) -> bool {
        true
    }
    fn for_group(&self, _: u32) -> Self {
        Self
    }
    fn delta_at(&self, _: Epsilon) -> Delta {
        Delta::ONE
    }
    fn epsilon_at(&self, _: Delta) -> Epsilon {
        Epsilon::INFINITE
    }
}

impl SameNotion<Pure> for Anything { // the mistake
    fn into_notion(self) -> Pure {
        Pure::perfect()
    }
}

fn main() {}
