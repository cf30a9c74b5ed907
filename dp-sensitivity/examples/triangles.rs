//! How many triangles a private graph has, by three routes: an edge between two people is what is
//! protected.
//!
//! `cargo run --release -p dp-sensitivity --example triangles`

use dp_core::{Approx, Measurement, Query};
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::smooth::{PolyPlace, Smoothly};
use dp_sensitivity::{Graph, MaxDegree, Outcome, PrivateSensitivityBound, ProposeTestRelease, Triangles};

const PEOPLE: u32 = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Everybody knows the next eight people in a circle: each edge lies in a few triangles, and
    // none in many.
    let graph = Graph::new(PEOPLE, (0..PEOPLE).flat_map(|i| (1..=8).map(move |j| (i, (i + j) % PEOPLE))));
    let triangles = Triangles::new(PEOPLE);
    println!("the graph has {} triangles\n", triangles.answer(&graph)?.get());
    let mut rng = OsSeeded::new()?;

    // In the worst graph one edge closes a triangle with everybody.
    let worst = triangles.with(Laplace::epsilon(1.0)?)?;
    println!(
        "noise for the worst graph:    {:>8.0}   {}",
        worst.release(&graph, &mut rng)?,
        worst.guarantee()
    );

    let smooth = triangles.smoothly(PolyPlace::epsilon(1.0)?)?;
    println!(
        "smooth noise:                 {:>8.0}   {}",
        smooth.release(&graph, &mut rng)?,
        smooth.guarantee()
    );

    let proposed = ProposeTestRelease::new(triangles, 60.0, Approx::new(1.0, 1e-6)?)?;
    let outcome = match proposed.release(&graph, &mut rng)? {
        Outcome::Released(count) => format!("{count:>8.0}"),
        Outcome::Refused => " refused".to_owned(),
    };
    println!("a proposed bound of 60:       {outcome}   {}", proposed.guarantee());

    // Nobody closes more triangles with one edge than the largest number of friends; that number
    // changes by one.
    let bounded = PrivateSensitivityBound::new(triangles, MaxDegree::new(PEOPLE), Approx::new(1.0, 1e-6)?)?;
    let published = bounded.release(&graph, &mut rng)?;
    println!(
        "a bound asked privately:      {:>8.0}   {}, bound {:.0}",
        published.value,
        bounded.guarantee(),
        published.bound
    );
    Ok(())
}
