//! Averages over windows.

/// Averages over the same Gaussian windows along both axes.
pub(super) struct Windows {
    count: usize,
    /// For each window the first pixel that it sees, and the weights of the pixels from there on.
    windows: Vec<(usize, Vec<f32>)>,
}

/// A window ends at so many widths from its middle; what is beyond would be a twentieth of a
/// percent.
const REACH: f64 = 3.5;

impl Windows {
    /// Windows around these places of an axis of `side` pixels; `width` is the standard deviation.
    /// The weights of each add up to 1.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "pixels")]
    pub(super) fn new(side: usize, places: &[f64], width: f64) -> Self {
        let window = |place: &f64| {
            let near = |i: &usize| (*i as f64 - place).abs() <= REACH * width;
            let seen: Vec<usize> = (0..side).filter(near).collect();
            let weight = |i: &usize| libm::exp(-0.5 * ((*i as f64 - place) / width).powi(2));
            let sum: f64 = seen.iter().map(weight).sum();
            let weights = seen.iter().map(|i| (weight(i) / sum) as f32).collect();
            (seen.first().copied().unwrap_or(0), weights)
        };
        Self { count: places.len(), windows: places.iter().map(window).collect() }
    }

    /// The averages of an image over all pairs of windows, row by row. `rows` is scratch space.
    pub(super) fn average(&self, image: &[f32], side: usize, rows: &mut Vec<f32>, out: &mut [f32]) {
        rows.clear();
        for (first, weights) in &self.windows {
            let start = rows.len();
            rows.resize(start + side, 0.0);
            for (weight, row) in weights.iter().zip(image[first * side..].chunks_exact(side)) {
                rows[start..].iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
            }
        }
        for (out, row) in out.chunks_exact_mut(self.count).zip(rows.chunks_exact(side)) {
            for (out, (first, weights)) in out.iter_mut().zip(&self.windows) {
                *out = weights.iter().zip(&row[*first..]).map(|(weight, x)| weight * x).sum();
            }
        }
    }
}
