//! Queries and smooth noise.

use dp_core::{AddRemove, Bounds, Query};
use dp_sensitivity::smooth::{ArsinhNormal, PolyPlace, PolynomialTail, SmoothStudentT};
use dp_sensitivity::{
    Gram, Histogram, KStars, Mean, MostFrequent, PredictionVariance, Quantile, SecondMoment, Smoothness,
    StandardDeviation, Sum, TrimmedMean, Variance, WinsorisedMean,
};

use super::{COUNTS, NUMBERS, pairs, short};

#[test]
fn queries() {
    for (x, y) in pairs(&NUMBERS) {
        let _ = (
            Histogram::between([x, y]).map(|h| h.answer(&[x, y, 0.5])),
            PredictionVariance::<Vec<f64>>::new(&[x], y, 1.0),
        );
        let Ok(bounds) = Bounds::new(x, y) else { continue };
        let _ = Sum::new(bounds).answer(&NUMBERS);
        for level in NUMBERS {
            let _ = Quantile::new(bounds, level).map(|quantile| quantile.answer(&NUMBERS));
        }
        for count in COUNTS {
            let _ = (
                Mean::new(bounds).under_replace_one(count).map(|mean| mean.answer(&[x])),
                Variance::new(bounds).under_replace_one(count).map(|v| v.answer(&[x, y])),
            );
            let _ = (
                StandardDeviation::new(bounds).under_replace_one(count),
                Sum::new(bounds).under_replace_one(count),
            );
            let _ = (
                TrimmedMean::new(bounds, 3, count),
                WinsorisedMean::new(bounds, count, 1),
                TrimmedMean::new(bounds, count, count),
            );
        }
    }
    for x in NUMBERS {
        let _ = (
            Smoothness::new(x),
            SecondMoment::new(x),
            ArsinhNormal::with_sigma(0.5, x),
            ArsinhNormal::rho(x),
            PolyPlace::epsilon(x),
        );
        let _ = (
            PolyPlace::with_gamma(x, 4.0),
            PolyPlace::with_gamma(1.0, x),
            PolynomialTail::with_gamma(x, x),
            SmoothStudentT::with_degrees(1.0, x),
        );
    }
    for count in COUNTS {
        let _ = (
            Gram::<Vec<f64>, AddRemove>::new(count, 1.0),
            Histogram::new(count, |x: &usize| *x),
            MostFrequent::votes(count, |_: &u8| vec![1]),
            KStars::new(7, short(count)),
        );
    }
}
