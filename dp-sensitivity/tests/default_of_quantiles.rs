//! Quantiles are released by the exponential mechanism by default, not by smooth noise: which is
//! closer is not known before the data are seen, so the default must be nearly as close as the
//! better one.

use dp_core::{Bounds, Measurement};
use dp_mechanisms::rng::Insecure;
use dp_sensitivity::Quantile;
use dp_sensitivity::smooth::{PolyPlace, Smoothly};

/// Wages that people report in thousands, and some in hundreds, around 40 000.
fn heaped_wages(count: u32) -> Vec<f64> {
    (0..count)
        .map(|i| {
            let share = (f64::from(i) + 0.5) / f64::from(count);
            let wage = 40_000.0 * (share / (1.0 - share)).powf(0.45);
            let unit = if i % 4 == 0 { 100.0 } else { 1000.0 };
            (wage / unit).round() * unit
        })
        .collect()
}

/// The mean distance of what is drawn from the exact answer.
fn distance(draw: impl Fn(&mut Insecure) -> f64, exact: f64, bounds: Bounds) -> f64 {
    const DRAWS: u32 = 4000;
    let mut rng = Insecure::seeded(125);
    let total: f64 = (0..DRAWS).map(|_| (bounds.clamp(draw(&mut rng)) - exact).abs()).sum();
    total / f64::from(DRAWS)
}

/// At ε = 0.125 smooth noise is ten times as far off, and at ε = 1 it was ahead of an exponential
/// mechanism with even weights. With this seed, and with any other but for chance: the mean of 4000
/// distances that are as large as their spread is known to 2 %.
#[test]
fn the_default_is_within_a_fifth_of_the_better_one() {
    let bounds = Bounds::new(0.0, 1e6).unwrap();
    let mut wages = heaped_wages(500);
    wages.sort_by(f64::total_cmp);
    for (level, exact) in [(0.25, wages[125]), (0.5, (wages[249] + wages[250]) / 2.0), (0.75, wages[375])] {
        let query = Quantile::new(bounds, level).unwrap().under_replace_one(500).unwrap();
        for epsilon in [0.125, 1.0] {
            let default = query.epsilon(epsilon).unwrap();
            let smooth = query.smoothly(PolyPlace::epsilon(epsilon).unwrap()).unwrap();
            let [default, smooth] = [
                distance(|rng| default.draw(&wages, rng).unwrap(), exact, bounds),
                distance(|rng| smooth.draw(&wages, rng).unwrap(), exact, bounds),
            ];
            assert!(default <= 1.2 * smooth, "p = {level}, ε = {epsilon}: {default}, but {smooth}");
        }
    }
}
