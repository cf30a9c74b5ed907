//! What the clock tells: whether the duration of a draw depends on a private input.
//!
//! For each mechanism an ordinary input is compared with inputs that an attacker would choose:
//! subnormal numbers, huge ones, both sides of powers of two and of boundaries of grids, ties,
//! scores that are far apart. Both are drawn on with *the same random words* ([`quads`]), so that
//! only the input differs, and the order is random. An input *shows* if two measurements, one after
//! the other, say so; each must be significant and large: see [`Quads::shows`]. Where an input
//! shows, the run fails.
//!
//! Controls that draw as this library once did must show, or the run fails as well ([`controls`]).
//!
//! Durations by the magnitude of the noise ([`by_magnitude`]) are reported and decide nothing. So
//! is a sampler of the kind that computes with fractions of long integers, for comparison.

mod by_magnitude;
mod controls;
mod fractions;
mod quads;
mod subjects;
mod welch;

use std::time::Duration;

use dp_mechanisms::rng::Insecure;

use self::quads::Quads;

/// What a measurement of durations should find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// No input shows.
    Even,
    /// It is a control: an input shows.
    Shows,
    /// It is reported for comparison.
    Reported,
}

/// Durations of two classes of draws.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    /// What was timed.
    pub(crate) sampler: &'static str,
    /// The two classes in words.
    pub(crate) classes: String,
    /// By how many standard errors they differ, positive where the first class is slower.
    pub(crate) deviations: f64,
    /// By what part of a duration they differ.
    pub(crate) effect: f64,
    /// Nanoseconds of a draw in each class.
    pub(crate) nanoseconds: (f64, f64),
    /// The number of draws.
    pub(crate) draws: u64,
    /// Whether the classes can be distinguished.
    pub(crate) shows: bool,
    pub(crate) expected: Expected,
}

impl Timing {
    /// Whether it is as it should be.
    pub(crate) fn as_expected(&self) -> bool {
        match self.expected {
            Expected::Even => !self.shows,
            Expected::Shows => self.shows,
            Expected::Reported => true,
        }
    }
}

/// Times all samplers, for about `seconds` seconds in total.
pub(crate) fn measure(seconds: f64) -> Vec<Timing> {
    let mut tests = subjects::all();
    tests.extend(controls::all());
    tests.extend(by_magnitude::all());
    let shares: u32 = tests.iter().map(|test| test.comparisons).sum();
    let each = Duration::from_secs_f64(seconds.clamp(0.0, 3600.0) / f64::from(shares.max(1)));
    tests.into_iter().map(|test| (test.run)(each)).collect()
}

/// What is measured of one sampler.
struct Test {
    /// How many comparisons it makes.
    comparisons: u32,
    /// Makes them, each within a time, and says what the worst one has found.
    run: Box<dyn FnOnce(Duration) -> Timing>,
}

/// Compares the first input with all others.
fn by_input<I: 'static, T: 'static>(
    sampler: &'static str,
    expected: Expected,
    batch: u32,
    inputs: Vec<(&'static str, I)>,
    draw: impl Fn(&I, &mut Insecure) -> T + 'static,
) -> Test {
    let comparisons = u32::try_from(inputs.len() - 1).expect("a few inputs");
    let run = move |time: Duration| {
        let mut inputs = inputs.into_iter();
        let (ordinary, first) = inputs.next().expect("an ordinary input");
        let measured = |seed, second: &I| Quads::measure(seed, batch, time, [&first, second], &draw);
        let worst = inputs
            .enumerate()
            .map(|(place, (name, second))| {
                let found = measured(place as u64, &second);
                // What shows must show again: a measurement that was disturbed is not the last
                // word.
                let shows = found.shows() && measured(!(place as u64), &second).shows();
                (shows, found, name)
            })
            .max_by(|a, b| {
                (a.0, a.1.effect().abs())
                    .partial_cmp(&(b.0, b.1.effect().abs()))
                    .expect("effects are numbers")
            });
        let (shows, found, name) = worst.expect("another input");
        Timing {
            sampler,
            classes: format!("{ordinary} and {name}"),
            deviations: found.deviations(),
            effect: found.effect(),
            nanoseconds: found.nanoseconds(),
            draws: found.draws(),
            shows,
            expected,
        }
    };
    Test { comparisons, run: Box::new(run) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_samplers_are_timed() {
        // Too short to judge by, but for the controls: their durations differ by factors.
        let found = measure(0.5);
        for timing in &found {
            assert!(
                timing.deviations.is_finite() && timing.effect.is_finite() && timing.draws > 0,
                "{timing:?}"
            );
            assert!(timing.nanoseconds.0 > 0.0 && timing.nanoseconds.1 > 0.0, "{timing:?}");
            assert!(timing.expected != Expected::Shows || timing.shows, "{timing:?}");
        }
        let named = |name: &str| found.iter().filter(|timing| timing.sampler.starts_with(name)).count();
        assert!(
            named("Laplace") >= 2 && named("bounded Laplace") == 2 && named("fractions") == 1,
            "{found:?}"
        );
    }
}
