//! How far one record can move the answer on *these* data, and on data near to them.

use dp_core::{Error, Finite, L1, Query, SensitivityIn};

use crate::local::smoothness::{LEAST_BOUND, LEAST_WEIGHT, Smoothness};

/// A query of one number that knows its local sensitivity, and that at every distance.
///
/// The local sensitivity LS(x) is the largest |f(x) − f(y)| over the neighbours y of x, and that at
/// distance k is A⁽ᵏ⁾(x), the largest LS(y) over all y that k steps lead to. None of them is
/// private: they go into [smooth noise](crate::smooth),
/// [propose-test-release](crate::ProposeTestRelease) or a report for the owner of the data. Noise
/// in proportion to LS(x) itself is not private at all (claim S1).
///
/// # Contract
/// For all x, for all neighbours y of x, and for all k, exactly as floats are computed and whatever
/// the records hold:
/// - [`local_at_distance(x, 0)`](Self::local_at_distance) ≥ |f(x) − f(y)|, `f` being what
///   [`answer`](Query::answer) computes;
/// - `local_at_distance(x, k)` ≤ `local_at_distance(y, k + 1)`, and it rises with k (a "ladder");
/// - it is at most the [global sensitivity](SensitivityIn), and errors depend on public facts only.
///
/// A ladder is all that smooth bounds and propose-test-release need. Implementations say whether
/// theirs is the least one, A⁽ᵏ⁾ up to rounding.
///
/// # A query of your own
/// State its global sensitivity as `impl<N: Subadditive> SensitivityIn<N> for …`: an answer of one
/// number has the same in all norms with a triangle inequality, and
/// [`comparison`](crate::comparison) asks for ℓ1 and ℓ2.
///
/// Checked as S2 and S3 by `cargo xtask verify`.
#[diagnostic::on_unimplemented(
    message = "the local sensitivity of `{Self}` is not known",
    label = "no local sensitivity",
    note = "medians, quantiles, trimmed means, deviations, triangles and others have one; implement `LocalSensitivity` for a query of your own, or use noise for its global sensitivity, `.with(…)`"
)]
pub trait LocalSensitivity: Query<Answer = Finite> + SensitivityIn<L1> {
    /// A⁽ᵏ⁾(x), rounded up: no data set within k steps of these has a larger local sensitivity.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn local_at_distance(&self, data: &Self::Data, distance: u64) -> Result<f64, Error>;

    /// LS(x), rounded up.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn local(&self, data: &Self::Data) -> Result<f64, Error> {
        self.local_at_distance(data, 0)
    }

    /// The smooth sensitivity S(x) = max_k e^(−βk)·A⁽ᵏ⁾(x), rounded up (claims S2, S3).
    ///
    /// **Theorem.** S(x) ≥ LS(x), and S(x) ≤ e^β·S(y) for all neighbours x, y: it is a β-smooth
    /// bound, and for the least ladder the smallest one.
    ///
    /// *Proof.* For the k that attains S(x), w(k)·A⁽ᵏ⁾(x) ≤ w(k)·A⁽ᵏ⁺¹⁾(y) ≤ e^β·w(k+1)·A⁽ᵏ⁺¹⁾(y) ≤
    /// e^β·S(y). [`Smoothness::weight`] covers the rounding of the two products. If S is β-smooth
    /// and at least LS, then LS(z) ≤ S(z) ≤ e^(βk)·S(x) for all z within k steps of x, so S(x) ≥
    /// e^(−βk)·A⁽ᵏ⁾(x).
    ///
    /// This one asks for A⁽ᵏ⁾ at every k that may count, of which there may be 600/β; queries that
    /// know a faster way have it.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn smooth(&self, data: &Self::Data, beta: Smoothness) -> Result<f64, Error> {
        let global = self.sensitivity().value();
        // A constant below, so that the search ends: it is smooth, and so is the larger of two
        // smooth bounds.
        let (mut largest, mut distance) = (LEAST_BOUND.max(LEAST_WEIGHT * global), 0);
        while beta.weight(distance) * global > largest {
            let here = self.local_at_distance(data, distance)?;
            largest = largest.max(beta.weight(distance) * here);
            distance += 1;
        }
        Ok(largest)
    }
}
