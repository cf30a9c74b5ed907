//! Means, variances, and how many standard errors lie between two means.

/// The number, mean and variance of a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    count: f64,
    mean: f64,
    /// The sum of squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// By Welford's recurrence, which does not subtract large numbers.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        values.fold(Self::default(), |Self { count, mean, squares }, value| {
            let count = count + 1.0;
            let next = mean + (value - mean) / count;
            Self { count, mean: next, squares: squares + (value - mean) * (value - next) }
        })
    }

    pub(super) const fn mean(&self) -> f64 {
        self.mean
    }

    /// The squared standard error of the mean.
    fn squared_error(&self) -> f64 {
        if self.count < 2.0 { 0.0 } else { self.squares / (self.count - 1.0) / self.count }
    }

    /// Welch's t; zero where both samples are constant and agree, or one is empty.
    pub(super) fn t(&self, other: &Self) -> f64 {
        let difference = self.mean - other.mean;
        if self.count == 0.0 || other.count == 0.0 || difference == 0.0 {
            return 0.0;
        }
        difference / (self.squared_error() + other.squared_error()).sqrt().max(f64::MIN_POSITIVE)
    }
}

/// The observations up to a quantile of all of them, both classes taken together.
pub(super) fn cropped(observations: &[(bool, f64)], kept: f64) -> Vec<(bool, f64)> {
    let mut values: Vec<f64> = observations.iter().map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in a list"
    )]
    let place = (values.len() as f64 * kept) as usize;
    let Some(limit) = values.get(place.min(values.len().saturating_sub(1))) else { return vec![] };
    observations.iter().filter(|(_, value)| value <= limit).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_is_that_of_the_formula() {
        // Means 3 and 6, variances 2.5 and 1: (3 − 6)/√(2.5/5 + 1/3).
        let (a, b) =
            (Moments::of([1.0, 2.0, 3.0, 4.0, 5.0].into_iter()), Moments::of([5.0, 6.0, 7.0].into_iter()));
        let expected = -3.0 / (0.5_f64 + 1.0 / 3.0).sqrt();
        assert!((a.t(&b) - expected).abs() < 1e-12, "{}", a.t(&b));
        assert_eq!(a.t(&a), 0.0);
        assert_eq!(a.t(&Moments::default()), 0.0);
    }

    #[test]
    fn the_slowest_are_cropped_whichever_class_they_are_of() {
        let observations: Vec<_> = (0..100).map(|i| (i % 2 == 0, f64::from(i))).collect();
        let kept = cropped(&observations, 0.95);
        assert_eq!(kept.len(), 96);
        assert!(kept.iter().all(|(_, value)| *value <= 95.0));
        assert!(cropped(&[], 0.95).is_empty());
    }
}
