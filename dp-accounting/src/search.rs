//! One-dimensional searches. They find where to look; what is proven is proven there, by
//! evaluation.

const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// About where a function that falls and then rises is lowest between two ends, and its value
/// there: golden sections down to a width of `precision`.
pub(crate) fn lowest_between(
    value: impl Fn(f64) -> f64,
    [mut left, mut right]: [f64; 2],
    precision: f64,
) -> (f64, f64) {
    let (mut inner_left, mut inner_right) = (right - GOLDEN * (right - left), left + GOLDEN * (right - left));
    let (mut value_left, mut value_right) = (value(inner_left), value(inner_right));
    while right - left > precision {
        if value_left <= value_right {
            (right, inner_right, value_right) = (inner_right, inner_left, value_left);
            inner_left = right - GOLDEN * (right - left);
            value_left = value(inner_left);
        } else {
            (left, inner_left, value_left) = (inner_left, inner_right, value_right);
            inner_right = left + GOLDEN * (right - left);
            value_right = value(inner_right);
        }
    }
    if value_left <= value_right { (inner_left, value_left) } else { (inner_right, value_right) }
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
