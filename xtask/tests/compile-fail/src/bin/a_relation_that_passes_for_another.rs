//! A relation of one's own, under which nothing are neighbours, says that it is add/remove: a sum with hardly any noise would be paid with next to nothing.
// error: `Nobody` and `AddRemove` are different relations or notions, and must be the same
// note: this check is closed: state the guarantee under the relation, or in the notion, that is asked for

use dp_core::adjacency::SameRelation;
use dp_core::{AddRemove, Adjacency, Error, Guarantee};

#[derive(Clone, Copy, Debug, Default)]
struct Nobody;

impl Adjacency for Nobody {
    const NAME: &'static str = "nobody";

    fn parallel<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error> {
        parts.into_iter().next().ok_or(Error::Empty { argument: "the list of parts" })
    }
}

impl SameRelation<AddRemove> for Nobody {} // the mistake

fn main() {}
