//! One-dimensional searches. They find where to look; what is proven is proven there, by
//! evaluation.

use dp_core::search::golden_section;

/// About where a function that falls and then rises is lowest between two ends, and its value
/// there: golden sections down to a width of `precision`.
pub(crate) fn lowest_between(
    value: impl Fn(f64) -> f64,
    [left, right]: [f64; 2],
    precision: f64,
) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let widths = core::iter::successors(Some(right - left), |width| Some(width * GOLDEN));
    let steps = widths.take_while(|width| *width > precision).fold(0, |steps, _| steps + 1);
    golden_section(value, left, right, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_point_is_found_wherever_it_is() {
        for at in [-3.0, -0.2, 0.0, 1.7, 4.0] {
            let (found, value) = lowest_between(|x| (x - at) * (x - at), [-3.0, 4.0], 1e-6);
            assert!((found - at).abs() < 1e-5 && value == (found - at) * (found - at), "{at}: {found}");
        }
    }
}
