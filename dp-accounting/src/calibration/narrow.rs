//! From a wide bracket to a narrow one, in few evaluations.

use dp_core::Error;
use dp_core::adjacency::Adjacency;

use super::Calibrated;
use super::judge::{Judge, Verdict};
use crate::Composition;

/// What values a parameter may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Values {
    Real,
    Whole,
}

/// The relative distance between what meets the target and what fails that is good enough.
const ENOUGH: f64 = 9e-7;
/// How far to either side of the supposed boundary the last two evaluations are, in parts of that.
const ASIDE: f64 = 0.22;
/// Bisection of [2⁻⁵¹², 2⁵¹²] down to 2⁻²⁰ takes 30 steps, and every third one is a bisection at
/// least.
const MOST_EVALUATIONS: u32 = 100;

/// A value that meets the target, not far from one that does not, from a bracket of any width.
///
/// Each step interpolates the boundary and looks a little beyond it, on the side where less is
/// known: as far as the last guess may be wrong. So both ends of the bracket close in on it, where
/// the secant method alone would move one of them only. A bracket that does not halve in three
/// steps is bisected (in the logarithm).
pub(super) fn narrow<A: Adjacency>(
    judge: &Judge<impl Fn(f64) -> Result<Composition<A>, Error>>,
    mut meets: Verdict,
    mut misses: Verdict,
    values: Values,
) -> Result<Calibrated<f64>, Error> {
    let farthest = misses.value;
    let mut fails = misses.fails().then_some(misses.value);
    let mut third: Option<Verdict> = None;
    let mut previous_guess = f64::INFINITY;
    let mut widths = [f64::INFINITY; 3];
    for _ in 0..MOST_EVALUATIONS {
        let (here, there) = (libm::log(meets.value), libm::log(misses.value));
        let width = (here - there).abs();
        let slope = (meets.excess() - misses.excess()).abs() / width;
        // No finer than the accountant can tell.
        let enough = ENOUGH.max(judge.limit() / (ASIDE * slope)).min(1.0);
        let aside = ASIDE * enough;
        if close(meets.value, misses.value, enough, values) || judge.is_spent() {
            break;
        }
        let guess = interpolated(&meets, &misses, third.as_ref());
        let doubt = (0.3 * (guess - previous_guess).abs()).clamp(aside, (0.1 * width).max(aside));
        let known_less = if (here - guess).abs() > (there - guess).abs() { here } else { there };
        // Where an enclosure says nothing there is nothing to interpolate.
        let blind = meets.delta.relative_width().max(misses.delta.relative_width()) > 0.5;
        let slow = blind || width > widths[0] / 2.0;
        let log = if slow { f64::midpoint(here, there) } else { guess + doubt.copysign(known_less - guess) };
        (widths, previous_guess) = ([widths[1], widths[2], width], guess);

        let Some(value) = between(libm::exp(log), meets.value, misses.value, values) else { break };
        // As accurate as the excess that is to be expected there; the verdict sees to the rest.
        let found = judge.at(value, slope * (log - guess).abs().max(aside))?;
        if found.fails() {
            fails = Some(value);
        }
        if found.meets() {
            third = Some(core::mem::replace(&mut meets, found));
        } else {
            third = Some(core::mem::replace(&mut misses, found));
        }
    }
    let fails = nearest_failure(judge, meets.value, fails, farthest, values)?;
    Ok(Calibrated { value: meets.value, delta: meets.delta, fails })
}

/// Whether nothing worth looking at lies between.
fn close(a: f64, b: f64, enough: f64, values: Values) -> bool {
    let gap = (a - b).abs();
    gap <= enough * a.min(b) || (values == Values::Whole && gap <= 1.0)
}

/// The candidate, or what is next to it, strictly between two values; `None` when there is nothing.
fn between(candidate: f64, a: f64, b: f64, values: Values) -> Option<f64> {
    let (low, high) = (a.min(b), a.max(b));
    let candidate = match values {
        Values::Real => candidate,
        Values::Whole if high - low < 2.0 => return None,
        Values::Whole => libm::round(candidate).clamp(low + 1.0, high - 1.0),
    };
    let candidate = if low < candidate && candidate < high { candidate } else { f64::midpoint(low, high) };
    (low < candidate && candidate < high).then_some(candidate)
}

/// Where the excess is supposed to be zero, in the logarithm of the parameter, within the bracket:
/// by a parabola for the inverse function through three points where they are in order, or else by
/// a straight line.
fn interpolated(meets: &Verdict, misses: &Verdict, third: Option<&Verdict>) -> f64 {
    let (a, b) = (libm::log(meets.value), libm::log(misses.value));
    let (at_a, at_b) = (meets.excess(), misses.excess());
    let line = a + (b - a) * (at_a / (at_a - at_b));
    let parabola = third.map(|third| {
        let (c, at_c) = (libm::log(third.value), third.excess());
        let slope = |x: f64, y: f64, at_x: f64, at_y: f64| (x - y) / (at_x - at_y);
        let (first, second) = (slope(a, b, at_a, at_b), slope(b, c, at_b, at_c));
        // Newton's form at excess 0. A slope of the other sign, or a much larger one, is a plateau
        // or a cliff.
        let bent = (second - first) / (at_c - at_a);
        if second * first > 0.0 { a - at_a * first + at_a * at_b * bent } else { f64::NAN }
    });
    let inside = |x: f64| a.min(b) < x && x < a.max(b);
    match parabola {
        Some(x) if inside(x) => x,
        _ if inside(line) => line,
        _ => f64::midpoint(a, b),
    }
}

/// A value at which the target is missed for sure, as near to one that meets it as can be found:
/// where the accountant's enclosures are wider than the search is fine, the way leads back.
fn nearest_failure<A: Adjacency>(
    judge: &Judge<impl Fn(f64) -> Result<Composition<A>, Error>>,
    value: f64,
    known: Option<f64>,
    farthest: f64,
    values: Values,
) -> Result<Option<f64>, Error> {
    let end = known.unwrap_or(farthest);
    if known.is_some_and(|known| close(value, known, ENOUGH, values)) {
        return Ok(known);
    }
    let mut away = ENOUGH;
    while away < libm::log(end / value).abs() && !judge.is_spent() {
        let candidate = value * libm::exp(away.copysign(end - value));
        match between(candidate, value, end, values) {
            Some(candidate) if judge.at(candidate, ENOUGH)?.fails() => return Ok(Some(candidate)),
            _ => away *= 4.0,
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_candidates_are_the_nearest_strictly_between() {
        for (low, high) in (1..9u8).flat_map(|low| (low + 1..10).map(move |high| (low, high))) {
            for candidate in (-2..24i32).map(|k| f64::from(k) * 0.49) {
                let inside = (low + 1..high).map(f64::from);
                let nearest = inside.min_by(|x, y| (x - candidate).abs().total_cmp(&(y - candidate).abs()));
                for (a, b) in [(low, high), (high, low)] {
                    assert_eq!(between(candidate, a.into(), b.into(), Values::Whole), nearest);
                }
            }
        }
    }

    #[test]
    fn real_candidates_outside_become_the_middle() {
        for (candidate, expected) in [(1.5, 1.5), (1.0, 2.0), (3.0, 2.0), (7.0, 2.0), (-7.0, 2.0)] {
            assert_eq!(between(candidate, 3.0, 1.0, Values::Real), Some(expected));
        }
        assert_eq!(between(1.0, 1.0, 1f64.next_up(), Values::Real), None);
    }
}
