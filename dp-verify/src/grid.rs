//! Numbers over which a check goes or a picture is drawn.

/// This many numbers in equal steps, both ends among them.
///
/// ```
/// let tenths: Vec<f64> = dp_verify::grid::in_steps(0.0, 1.0, 11).collect();
/// assert_eq!((tenths[0], tenths[5], tenths[10]), (0.0, 0.5, 1.0));
/// ```
pub fn in_steps(first: f64, last: f64, count: u16) -> impl Iterator<Item = f64> + Clone {
    let steps = f64::from(count.max(2) - 1);
    (0..count).map(move |k| {
        let part = f64::from(k) / steps;
        first * (1.0 - part) + last * part
    })
}

/// This many positive numbers in equal ratios, both ends among them up to rounding.
///
/// ```
/// let powers: Vec<f64> = dp_verify::grid::in_ratios(1.0, 100.0, 3).collect();
/// assert!((powers[1] - 10.0).abs() < 1e-12);
/// ```
pub fn in_ratios(first: f64, last: f64, count: u16) -> impl Iterator<Item = f64> + Clone {
    in_steps(libm::log(first), libm::log(last), count).map(libm::exp)
}
