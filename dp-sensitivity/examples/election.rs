//! Who won: chosen with noise on the votes, by the exponential mechanism, and exactly, if the
//! winner is far ahead.
//!
//! `cargo run -p dp-sensitivity --example election`

use dp_core::{Approx, Measurement, Query};
use dp_mechanisms::rng::OsSeeded;
use dp_mechanisms::selection::{Exponential, ExponentialNoise, NoisyMax};
use dp_sensitivity::{Histogram, Mode, Outcome, StableRelease};

const CANDIDATES: [&str; 3] = ["Ada", "Emmy", "Sofia"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let votes: Vec<usize> = [vec![0; 480], vec![1; 540], vec![2; 310]].concat();
    let count = || Histogram::new(CANDIDATES.len(), |vote: &usize| *vote);
    let mut rng = OsSeeded::new()?;

    // The largest of the counts with exponential noise; only who it is, never by how much.
    let noisy = count()?.with(NoisyMax::<ExponentialNoise>::monotone_epsilon(0.1)?)?;
    println!(
        "noisy max:              {}   {}",
        CANDIDATES[noisy.release(&votes, &mut rng)?],
        noisy.guarantee()
    );

    // A candidate with probability in proportion to e^(ε·votes): never more accurate than the one
    // above.
    let exponential = count()?.with(Exponential::monotone_epsilon(0.1)?)?;
    println!(
        "exponential mechanism:  {}   {}",
        CANDIDATES[exponential.release(&votes, &mut rng)?],
        exponential.guarantee()
    );

    // The winner itself, without noise, if it takes many voters to change who that is. It need not
    // be known who stands.
    let stable = StableRelease::new(Mode::votes(|vote: &usize| Some(*vote)), Approx::new(0.5, 1e-6)?)?;
    match stable.release(&votes, &mut rng)? {
        Outcome::Released(winner) => {
            println!("stable release:         {}   {}", CANDIDATES[winner], stable.guarantee());
        }
        Outcome::Refused => println!("stable release:         too close to tell   {}", stable.guarantee()),
    }
    Ok(())
}
