//! How surprising counts are under given probabilities, by a theorem that holds for any number of
//! draws.

/// A bound on the probability that draws of a law with these cell probabilities fit it as badly as
/// the counts do, or worse.
///
/// **Theorem** (Agrawal 2020). Let D be the relative entropy of the observed frequencies of n draws
/// in d + 1 cells from their true probabilities. Then E e^(λnD) ≤ (1 − λ)^−d for 0 ≤ λ < 1.
/// Markov's inequality at λ = 1 − d/x gives Pr(nD ≥ x) ≤ e^(d − x)·(x/d)^d for x ≥ d.
///
/// 2nD is the likelihood ratio statistic, close to Pearson's χ². Unlike the usual reading off the
/// χ² law, no large numbers are needed.
pub(crate) fn p_value(counts: &[u64], probabilities: &[f64]) -> f64 {
    assert_eq!(counts.len(), probabilities.len());
    #[allow(clippy::cast_precision_loss)] // far fewer than 2⁵³ draws
    let (counts, cells): (Vec<f64>, f64) =
        (counts.iter().map(|count| *count as f64).collect(), counts.len() as f64);
    let draws: f64 = counts.iter().sum();
    let terms = counts.iter().zip(probabilities).filter(|(count, _)| **count > 0.0);
    let divergence: f64 = terms.map(|(count, p)| count * (count / (draws * p)).ln()).sum();
    let d = cells - 1.0;
    if divergence <= d { 1.0 } else { (d - divergence + d * (divergence / d).ln()).exp() }
}
