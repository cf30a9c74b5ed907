//! Sums of squares of floats.

/// Σ xᵢ² in eight parallel sums. The squares are exact (48 bits), and the additions in `f64` have a
/// relative error of at most n·2⁻⁵³.
pub(crate) fn square_norm(values: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for (sum, x) in sums.iter_mut().zip(eight) {
            *sum += f64::from(*x) * f64::from(*x);
        }
    }
    let rest: f64 = rest.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_count_once() {
        for n in 0..30_u8 {
            let values: Vec<f32> = (0..n).map(|i| 1.0 + f32::from(i)).collect();
            let n = f64::from(n);
            assert_eq!(square_norm(&values), n * (n + 1.0) * (2.0 * n + 1.0) / 6.0);
        }
        assert!(square_norm(&[f32::NAN, 1.0]).is_nan() && square_norm(&[1.0, f32::INFINITY]).is_infinite());
    }
}
