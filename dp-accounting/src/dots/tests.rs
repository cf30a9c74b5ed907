use super::*;
use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, FinitePair, GaussianPair, LaplacePair,
    RandomizedResponsePair,
};
use dp_core::{Epsilon, Mu, Scale};

impl Dots {
    /// Encloses the profile.
    fn profile(&self, epsilon: f64) -> Enclosure {
        let terms = self.losses.iter().zip(&self.masses).filter(|(loss, _)| **loss > epsilon);
        terms.fold(Enclosure::point(self.infinite), |sum, (&loss, &mass)| {
            sum - Enclosure::point(mass) * (Enclosure::point(epsilon) - Enclosure::point(loss)).exp_m1()
        })
    }

    fn total(&self) -> f64 {
        self.masses.iter().sum::<f64>() + self.infinite
    }
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn uniform(first: f64, last: f64, cells: u32) -> Vec<f64> {
    (0..=cells).map(|j| first + (last - first) * f64::from(j) / f64::from(cells)).collect()
}

/// A pair, and the ends of a grid that fits it.
fn pairs() -> Vec<(&'static str, Box<dyn DominatingPair>, f64, f64)> {
    vec![
        ("Laplace", Box::new(LaplacePair::new(epsilon(1.0))), -1.0, 1.0),
        ("small Laplace", Box::new(LaplacePair::new(epsilon(1e-3))), -1e-3, 1e-3),
        ("large Laplace", Box::new(LaplacePair::new(epsilon(30.0))), -30.0, 30.0),
        ("Gaussian", Box::new(GaussianPair::new(Mu::new(1.0).unwrap())), -9.5, 10.5),
        ("small Gaussian", Box::new(GaussianPair::new(Mu::new(0.01).unwrap())), -0.1, 0.1),
        ("large Gaussian", Box::new(GaussianPair::new(Mu::new(6.0).unwrap())), -40.0, 80.0),
        ("response", Box::new(RandomizedResponsePair::binary(epsilon(0.7))), -0.7, 0.7),
        ("response of 5", Box::new(RandomizedResponsePair::new(epsilon(2.0), 5).unwrap()), -2.0, 2.0),
        (
            "discrete Laplace",
            Box::new(DiscreteLaplacePair::new(Scale::new(2.0).unwrap(), 3).unwrap()),
            -1.5,
            1.5,
        ),
        (
            "discrete Gaussian",
            Box::new(DiscreteGaussianPair::new(Scale::new(2.0).unwrap(), 1).unwrap()),
            -3.0,
            3.125,
        ),
        (
            "finite",
            Box::new(FinitePair::new(&[5.0, 2.0, 1.0, 0.3], &[1.0, 2.0, 3.0, 1.1]).unwrap()),
            -2.0,
            2.0,
        ),
        ("with a loss", Box::new(FinitePair::new(&[5.0, 2.0, 0.01], &[1.0, 2.0, 0.0]).unwrap()), -2.0, 2.0),
        ("bounded range", Box::new(BoundedRangePair::new(epsilon(1.5))), -1.5, 1.5),
    ]
}

/// Arguments between, on and outside of the grid points, from a fixed congruential sequence.
fn arguments(grid: &[f64], count: u32) -> Vec<f64> {
    let (first, last) = (grid[0], grid[grid.len() - 1]);
    let mut state = 12_345u32;
    let mut arguments: Vec<f64> = (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            first + (last - first) * (f64::from(state) / 4_294_967_296.0 * 1.3 - 0.15)
        })
        .collect();
    arguments.extend([first, last, first.next_down(), last.next_up(), -800.0, 800.0, f64::NEG_INFINITY]);
    arguments.extend([last.next_down(), grid[grid.len() / 2], grid[grid.len() / 3].next_up()]);
    arguments
}

#[test]
fn both_sides_bound_the_profile_everywhere() {
    for (name, pair, first, last) in pairs() {
        for (cells, shift) in [(1, 0.0), (7, 0.0), (60, 0.0), (60, 0.37), (400, 0.0)] {
            let shift = shift * (last - first) / f64::from(cells);
            let grid = uniform(first + shift, last + shift, cells);
            let (upper, lower) = (above(&*pair, &grid), below(&*pair, &grid));
            for dots in [&upper, &lower] {
                assert!(dots.losses.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(dots.masses.iter().all(|mass| mass.is_finite() && *mass >= 0.0));
            }
            assert!((upper.total() - 1.0).abs() < 1e-12 && lower.total() <= 1.0 + 1e-12, "{name} {cells}");
            for argument in arguments(&grid, 40) {
                // The dots are exact reals: only their profile's enclosure is wide, and the pair's.
                let truth = pair.delta(argument);
                let (high, low) = (upper.profile(argument), lower.profile(argument));
                assert!(
                    high.hi() >= truth.lo(),
                    "{name}, {cells} cells, {argument}: {high:?} above {truth:?}"
                );
                assert!(low.lo() <= truth.hi(), "{name}, {cells} cells, {argument}: {low:?} below {truth:?}");
                // On the corners, where the two touch, this can fail by an ulp.
                assert!(
                    high.hi() >= truth.hi() * (1.0 - 1e-13) || truth.relative_width() > 1e-14,
                    "{name}, {cells} cells, {argument}: {high:?} above {truth:?}"
                );
            }
        }
    }
}

#[test]
fn the_factor_that_rounding_costs_is_tiny() {
    for (name, pair, first, last) in pairs() {
        for cells in [50, 1000, 20_000] {
            if name == "discrete Gaussian" && cells > 1000 {
                continue; // its profile is a sum
            }
            let grid = uniform(first, last, cells);
            let (upper, lower) = (above(&*pair, &grid), below(&*pair, &grid));
            let excess = upper.total() - 1.0;
            assert!(excess < 2e-16 * f64::from(cells) + 1e-14, "{name}, {cells} cells: {excess:e}");
            let missing = 1.0 - lower.total(); // the discrete Gaussian has 1e-10 left of its grid
            assert!(
                missing < 2e-16 * f64::from(cells) + 1e-14 || name == "discrete Gaussian",
                "{name}, {cells} cells: {missing:e}"
            );
        }
    }
}

#[test]
fn atoms_on_grid_points_cost_nothing() {
    let cases: [(Box<dyn DominatingPair>, f64, u32); 3] = [
        (Box::new(RandomizedResponsePair::binary(epsilon(0.75))), 0.75, 2),
        (Box::new(RandomizedResponsePair::new(epsilon(0.75), 9).unwrap()), 0.75, 6),
        (Box::new(DiscreteLaplacePair::new(Scale::new(4.0).unwrap(), 3).unwrap()), 0.75, 6),
    ];
    for (pair, limit, cells) in cases {
        let grid = uniform(-limit, limit, cells);
        let mut lowered = grid.clone();
        *lowered.last_mut().unwrap() = limit.next_down(); // see `below`
        let (upper, lower) = (above(&*pair, &grid), below(&*pair, &lowered));
        for argument in arguments(&grid, 100) {
            let truth = pair.delta(argument);
            assert!(upper.profile(argument).lo() <= truth.hi() * (1.0 + 1e-13) + 1e-15);
            assert!(lower.profile(argument).hi() >= truth.lo() * (1.0 - 1e-13) - 1e-15, "{argument}");
        }
    }
}

/// The largest gap between the two sides over some arguments, relative to the profile.
fn gap(pair: &dyn DominatingPair, grid: &[f64], lowered: &[f64], arguments: &[f64]) -> f64 {
    let (upper, lower) = (above(pair, grid), below(pair, lowered));
    let gap = |&argument: &f64| {
        (upper.profile(argument).hi() - lower.profile(argument).lo()) / pair.delta(argument).hi()
    };
    arguments.iter().map(gap).fold(0.0, f64::max)
}

#[test]
fn halving_the_cells_quarters_the_gap() {
    for (name, pair, first, last) in pairs() {
        if !["Laplace", "Gaussian", "bounded range"].contains(&name) {
            continue;
        }
        let places: Vec<f64> = (1..16).map(|k| last * (0.01 + 0.04 * f64::from(k))).collect();
        let gaps = [100, 200, 400].map(|cells| {
            let grid = uniform(first, last, cells);
            let lowered: Vec<f64> = grid.iter().map(|t| t - 1e-14).collect();
            gap(&*pair, &grid, &lowered, &places)
        });
        assert!(gaps[1] < gaps[0] * 0.3 && gaps[2] < gaps[1] * 0.3, "{name}: {gaps:?}");
    }
}

#[test]
fn far_tails_stay_relatively_accurate() {
    let pair = GaussianPair::new(Mu::new(1.0).unwrap());
    let grid = uniform(-20.0, 39.0, 20_000);
    let places = [5.0, 11.0, 20.0, 30.0, 36.0]; // δ(36) is near 1e-278
    assert!(gap(&pair, &grid, &grid, &places) < 1e-2);
}

#[test]
fn extremes_are_sound() {
    let gaussian = GaussianPair::new(Mu::new(1.0).unwrap());
    let nothing = GaussianPair::new(Mu::ZERO);
    let everything = LaplacePair::new(Epsilon::INFINITE);
    let huge = LaplacePair::new(epsilon(700.0));
    let grids: [&[f64]; 7] = [
        &[],
        &[0.0],
        &[-700.0, 700.0],
        &[1.0, 1.0f64.next_up(), 1.0f64.next_up().next_up()],
        &[-1e300, 0.0, 1e300],
        &[0.5, 0.5 + 1e-13, 0.6, 1.0],
        &[800.0, 900.0],
    ];
    for grid in grids {
        for pair in [&gaussian as &dyn DominatingPair, &nothing, &everything, &huge] {
            let (upper, lower) = (above(pair, grid), below(pair, grid));
            for argument in [-1e3, -3.0, -1e-9, 0.0, 0.1, 0.5, 0.55, 1.0, 1.1, 4.0, 699.0, 750.0, 1e4] {
                let truth = pair.delta(argument);
                assert!(upper.profile(argument).hi() >= truth.lo(), "{grid:?} {argument}");
                assert!(lower.profile(argument).lo() <= truth.hi(), "{grid:?} {argument}");
            }
        }
    }
    assert_eq!(above(&gaussian, &[]).infinite, 1.0);
    assert_eq!(below(&gaussian, &[]).infinite, 0.0);
    assert_eq!(below(&everything, &[]).infinite, 1.0);
    assert_eq!(above(&nothing, &[0.0]), Dots { losses: vec![0.0], masses: vec![1.0], infinite: 0.0 });
}
