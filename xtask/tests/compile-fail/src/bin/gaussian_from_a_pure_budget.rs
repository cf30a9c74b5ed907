//! Gaussian noise has no largest loss: a budget in pure ε cannot pay for it.
// error: cannot combine guarantees of different notions: `Gdp` and `Pure`

use dp_accounting::Budget;
use dp_core::{AddRemove, Error, Gdp, Measurement, Pure};
use dp_mechanisms::rng::OsSeeded;

/// Stands for a mechanism with Gaussian noise: only its type matters here.
struct GaussianCount;

impl Measurement for GaussianCount {
    type Data = [f64];
    type Output = f64;
    type Guarantee = Gdp;
    type Adjacency = AddRemove;

    fn guarantee(&self) -> Gdp {
        Gdp::new(1.0).expect("one is a distance")
    }

    fn draw<R: rand_chacha::rand_core::Rng + ?Sized>(&self, _: &[f64], _: &mut R) -> Result<f64, Error> {
        Ok(0.0)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut budget = Budget::<Pure, AddRemove>::new(Pure::new(1.0)?);
    println!("{}", budget.spend(&GaussianCount, &[], &mut OsSeeded::new()?)?);
    Ok(())
}
