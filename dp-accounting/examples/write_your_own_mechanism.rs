//! A mechanism of one's own, on equal terms with those of the library:
//! `cargo run -p dp-accounting --example write_your_own_mechanism`.
//!
//! It answers with the true category with some probability, and at random otherwise.

use std::num::NonZero;

use dp_accounting::{Account, Budget};
use dp_core::rounding::Enclosure;
use dp_core::{
    Epsilon, Error, L1, MeasuredIn, Mechanism, Pure, Query, ReplaceOne, Sensitivity, SensitivityIn,
};
use dp_mechanisms::rng::OsSeeded;
use dp_mechanisms::sample::{Bernoulli, below};
use rand_core::Rng;

/// Tells the truth with probability `truth`/`of`, and else names one of `categories` at random.
///
/// **Theorem.** It is ε-private with e^ε = 1 + categories·p/(1 − p), p being the probability of
/// truth: the true category comes out with probability p + (1 − p)/k, any other with (1 − p)/k.
#[derive(Clone, Debug)]
struct SometimesTrue {
    categories: NonZero<u64>,
    truth: u32,
    of: u32,
}

impl Mechanism for SometimesTrue {
    type Input = u64;
    type Output = u64;
    type Norm = L1;
    type Guarantee = Pure;

    /// In intervals, of which the upper end is taken: a privacy number is never rounded down.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Pure {
        if sensitivity.value() == 0.0 {
            return Pure::from(Epsilon::saturating(0.0)); // answers that never differ
        }
        #[allow(clippy::cast_precision_loss)] // a number of categories
        let k = Enclosure::point(self.categories.get() as f64);
        let odds = Enclosure::point(self.truth.into()) / Enclosure::point((self.of - self.truth).into());
        Pure::from(Epsilon::saturating((k * odds).ln_1p().hi()))
    }

    /// From exact samplers alone: no float decides anything.
    fn draw<R: Rng + ?Sized>(&self, answer: &u64, rng: &mut R) -> Result<u64, Error> {
        let truth = Bernoulli::ratio(self.truth.into(), self.of.into())?;
        Ok(if truth.draw(rng) { *answer } else { below(self.categories, rng) })
    }
}

/// The favourite colour of the person with this number. Replacing a person may change it.
struct Favourite(usize);

impl Query for Favourite {
    type Data = [u64];
    type Answer = u64;
    type Adjacency = ReplaceOne;

    fn answer(&self, people: &[u64]) -> Result<u64, Error> {
        Ok(people.get(self.0).copied().unwrap_or(0))
    }
}

impl SensitivityIn<L1> for Favourite {
    fn sensitivity(&self) -> Sensitivity<L1, ReplaceOne> {
        Sensitivity::new(2.0).expect("categories are 0, 1 and 2")
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let people = [0, 2, 1, 1, 0];
    let three = NonZero::new(3).ok_or("three is not zero")?;
    let measurement = Favourite(3).with(SometimesTrue { categories: three, truth: 1, of: 3 })?;
    let mut budget = Budget::new(Pure::new(1.0)?);
    println!("favourite of person 3: {}", budget.spend(&measurement, &people, &mut OsSeeded::new()?)?);
    println!("spent {} of {}", budget.spent(), budget.total());
    Ok(())
}
