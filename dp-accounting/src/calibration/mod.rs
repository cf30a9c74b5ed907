//! How little noise, how large a sample, how many steps: parameters for a target (ε,δ).
//!
//! [`least`] is for parameters in which δ falls, such as the scale of noise; [`largest`] for those
//! in which it rises, such as the rate of sampling; [`largest_count`] for numbers of steps. Each
//! takes the whole composition as a function of the parameter, so that whatever else is released
//! counts too.
//!
//! **What is proven.** The composition at the returned value was evaluated, and the upper end of
//! its δ(ε) is at most the target: nothing rests on the search, nor on the composition being
//! monotone. [`Calibrated::fails`] is a value close to it at which the lower end of δ(ε) exceeds
//! the target; the two differ by 1e-6 of themselves at most, or (counts) by one, unless the
//! accountant's own enclosures are wider than that.
//!
//! ```
//! use dp_accounting::{Composition, Event, calibration};
//! use dp_core::pairs::GaussianPair;
//! use dp_core::rounding::div_up;
//! use dp_core::{AddRemove, Approx, Mu};
//!
//! // 625 batches at rate 0.032: how much noise, in units of the clipping norm, for (8, 1e-5)?
//! let training = |sigma: f64| {
//!     let noise = GaussianPair::new(Mu::saturating(div_up(1.0, sigma)));
//!     Ok(Composition::<AddRemove>::new().with(Event::poisson(0.032, noise)?, 625))
//! };
//! let found = calibration::least(training, Approx::new(8.0, 1e-5)?)?;
//! assert!(found.value > 0.815_988_887 && found.value < 0.815_989_7);
//! assert!(found.delta.hi() <= 1e-5);
//! assert!(found.fails.is_some_and(|sigma| sigma > found.value * (1.0 - 1e-6)));
//! # Ok::<(), dp_core::Error>(())
//! ```

mod judge;
mod narrow;

use dp_core::adjacency::Adjacency;
use dp_core::rounding::Enclosure;
use dp_core::{Approx, Error};

use crate::Composition;
use judge::{COARSE, Judge, Verdict};
use narrow::{Values, narrow};

/// A parameter that meets a target, and one close to it that does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated<T> {
    /// Meets the target.
    pub value: T,
    /// Encloses δ at the target's ε for this value; the upper end is at most the target's δ.
    pub delta: Enclosure,
    /// The closest value that was found to miss the target for sure; `None` when none was found.
    pub fails: Option<T>,
}

/// Parameters are looked for between this and its inverse, unless they have a bound of their own.
pub const SMALLEST: f64 = f64::from_bits((1023 - 512) << 52);

/// Numbers of steps are looked for up to this.
pub const MOST_STEPS: u64 = 1_000_000_000_000;

/// The least positive parameter at which the composition meets the target, for a parameter that
/// lowers δ as it grows, such as a noise multiplier.
///
/// When all of [[`SMALLEST`], 1/`SMALLEST`] meet it, the answer is `SMALLEST`, and
/// [`fails`](Calibrated::fails) is `None`.
///
/// # Errors
/// [`Error::Unreachable`] when none of them does; and the errors of `make`, which is asked for
/// parameters all over that range.
pub fn least<A: Adjacency>(
    make: impl Fn(f64) -> Result<Composition<A>, Error>,
    target: Approx,
) -> Result<Calibrated<f64>, Error> {
    let judge = Judge::new(target, make);
    outwards(&judge, 1.0, (SMALLEST, 1.0 / SMALLEST))
}

/// The largest positive parameter up to `most` at which the composition meets the target, for a
/// parameter that raises δ as it grows, such as a sampling rate.
///
/// When `most` itself meets it, it is the answer, and [`fails`](Calibrated::fails) is `None`. Rates
/// of sampling have `most` = 1.
///
/// # Errors
/// [`Error::OutOfRange`] unless `most` lies between [`SMALLEST`] and 1/`SMALLEST`;
/// [`Error::Unreachable`] when no parameter from `SMALLEST` on meets the target; and the errors of
/// `make`.
pub fn largest<A: Adjacency>(
    make: impl Fn(f64) -> Result<Composition<A>, Error>,
    most: f64,
    target: Approx,
) -> Result<Calibrated<f64>, Error> {
    if !(SMALLEST..=1.0 / SMALLEST).contains(&most) {
        return Err(Error::OutOfRange {
            argument: "the largest parameter",
            allowed: "[2^-512, 2^512]",
            found: most,
        });
    }
    let judge = Judge::new(target, make);
    outwards(&judge, most, (most, SMALLEST))
}

/// The largest number of steps with which the composition meets the target, up to [`MOST_STEPS`];
/// zero when a single one is too many.
///
/// # Errors
/// [`Error::Unreachable`] when not even zero steps meet it, and the errors of `make`.
pub fn largest_count<A: Adjacency>(
    make: impl Fn(u64) -> Result<Composition<A>, Error>,
    target: Approx,
) -> Result<Calibrated<u64>, Error> {
    // Counts up to 2⁵³ are floats.
    let judge = Judge::new(target, |count: f64| make(whole(count)));
    #[allow(clippy::cast_precision_loss, reason = "10¹² is a float")]
    let most = MOST_STEPS as f64;
    let first = judge.at(1.0, COARSE)?;
    let found = if first.meets() {
        match walk(&judge, first, most, Values::Whole)? {
            Walk::Crossed(last, next) => narrow(&judge, last, next, Values::Whole)?,
            Walk::Ended(last) => Calibrated { value: last.value, delta: last.delta, fails: None },
        }
    } else {
        let none = judge.at(0.0, COARSE)?;
        if !none.meets() {
            return Err(UNREACHABLE);
        }
        Calibrated { value: 0.0, delta: none.delta, fails: first.fails().then_some(1.0) }
    };
    Ok(Calibrated { value: whole(found.value), delta: found.delta, fails: found.fails.map(whole) })
}

const UNREACHABLE: Error = Error::Unreachable {
    request: "this (ε,δ), whatever the value of the parameter,",
    instead: "allow a larger epsilon or delta, or spend less on the rest of the composition",
};

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers from 0 to 10¹²")]
fn whole(count: f64) -> u64 {
    count as u64
}

/// Looks from `start` towards the better or the worse of the two ends until one value meets the
/// target and one does not.
fn outwards<A: Adjacency>(
    judge: &Judge<impl Fn(f64) -> Result<Composition<A>, Error>>,
    start: f64,
    (worst, best): (f64, f64),
) -> Result<Calibrated<f64>, Error> {
    let first = judge.at(start, COARSE)?;
    match walk(judge, first, if first.meets() { worst } else { best }, Values::Real)? {
        Walk::Crossed(last, next) if first.meets() => narrow(judge, last, next, Values::Real),
        Walk::Crossed(last, next) => narrow(judge, next, last, Values::Real),
        Walk::Ended(last) if first.meets() => {
            Ok(Calibrated { value: last.value, delta: last.delta, fails: None })
        }
        Walk::Ended(_) => Err(UNREACHABLE),
    }
}

/// How a walk ended.
enum Walk {
    /// Between these two the verdict changes.
    Crossed(Verdict, Verdict),
    /// It does not change up to the end.
    Ended(Verdict),
}

/// Looks from one value towards an end, in steps that grow, until the verdict changes.
///
/// A step is where the last two values say that the boundary is, and a bit beyond it: values far
/// beyond it may be hard to evaluate. It is no longer than the square of what would be the next one
/// otherwise, so that an end is reached in a dozen steps.
fn walk<A: Adjacency>(
    judge: &Judge<impl Fn(f64) -> Result<Composition<A>, Error>>,
    first: Verdict,
    end: f64,
    values: Values,
) -> Result<Walk, Error> {
    let (mut last, mut step, mut longest) = (first, core::f64::consts::LN_2, core::f64::consts::LN_2);
    while last.value != end {
        let factor = libm::exp(step.copysign(end - last.value));
        let candidate = (last.value * factor).clamp(last.value.min(end), last.value.max(end));
        let value = if values == Values::Whole { libm::ceil(candidate) } else { candidate };
        let next = judge.at(value, COARSE)?;
        if next.meets() != first.meets() {
            return Ok(Walk::Crossed(last, next));
        }
        longest *= 2.0;
        let predicted = 1.25 * step * next.excess() / (last.excess() - next.excess());
        step = if predicted > 0.0 { predicted.clamp(core::f64::consts::LN_2, longest) } else { longest };
        last = next;
    }
    Ok(Walk::Ended(last))
}
