//! A sample without replacement of a mechanism of which only a Rényi curve is known.

use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Epsilon, Error, Guarantee, Rdp};

use super::table::{from_bounds, integer_orders};

/// The curve of a mechanism on a random batch of `batch` of `size` records, under replace-one, from
/// its curve ε(α) under replace-one and its largest loss ε(∞), infinite if there is none.
///
/// **Theorem** (Wang, Balle and Kasiviswanathan 2019, Theorem 9). With γ = b/n, at every integer
/// order n ≥ 2,
///
/// > e^((n−1)ε'(n)) ≤ 1 + γ²C(n,2)·min(4(e^ε(2)−1), e^ε(2)·m(2))
/// > + Σ_{j≥3} γ^j C(n,j)·e^((j−1)ε(j))·m(j),  m(j) = min(2, (e^ε(∞)−1)^j).
///
/// And never more than the curve itself, nor than the largest loss ln(1 + γ(e^ε(∞)−1)) of the
/// sampled mechanism. The result is a table of integers, up to 1024.
///
/// # Errors
/// [`Error::OutOfRange`] when there are no records, [`Error::Above`] when there are fewer than are
/// sampled.
pub fn without_replacement(curve: &Rdp, largest: Epsilon, size: u64, batch: u64) -> Result<Rdp, Error> {
    let share = share(size, batch)?;
    if batch == 0 {
        return Ok(Rdp::perfect());
    }
    if batch == size {
        return Ok(curve.clone());
    }
    let divergence =
        |j: u16| Enclosure::point(curve.divergence(Alpha::saturating(f64::from(j))).min(largest.get()));
    let top = integer_orders().last().unwrap_or(2);
    // ln of what stands beside γ^j·C(n,j).
    let spread = Enclosure::point(largest.get()).exp_m1();
    let log_spread = spread.ln();
    let factors: Vec<Enclosure> = (2..=top)
        .map(|j| {
            let power = Enclosure::point(f64::from(j));
            let least = (power * log_spread).min(Enclosure::point(2.0).ln());
            let general = (power - Enclosure::ONE) * divergence(j) + least;
            if j > 2 { general } else { general.min((Enclosure::point(4.0) * divergence(2).exp_m1()).ln()) }
        })
        .collect();
    let mixed = (share * spread).ln_1p().hi();
    let bounds = integer_orders().map(|n| {
        let below = Enclosure::point(f64::from(n - 1));
        let mut weight = share.ln() + Enclosure::point(f64::from(n)).ln();
        let terms: Vec<Enclosure> = (2..=n)
            .zip(&factors)
            .map(|(j, &factor)| {
                weight = weight + share.ln() + Enclosure::point(f64::from(n + 1 - j)).ln()
                    - Enclosure::point(f64::from(j)).ln();
                weight + factor
            })
            .collect();
        let peak = Enclosure::point(terms.iter().map(|term| term.hi()).fold(0.0, f64::max));
        let sum = terms.iter().fold((-peak).exp(), |sum, &term| sum + (term - peak).exp());
        let bound = (peak + sum.ln()) / below;
        let own = divergence(n).hi().min(mixed);
        (Alpha::saturating(f64::from(n)), if bound.hi().is_nan() { own } else { bound.hi().min(own) })
    });
    from_bounds(bounds)
}

/// Encloses b/n.
fn share(size: u64, batch: u64) -> Result<Enclosure, Error> {
    let trivial = dp_core::pairs::GaussianPair::new(dp_core::Mu::ZERO);
    Ok(crate::sampling::WithoutReplacement::new(trivial, size, batch)?.share())
}
