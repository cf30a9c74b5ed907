//! The laws of the mechanisms, enclosed: what tests and claims compare draws with.

use dp_core::rounding::Enclosure;

/// The probabilities e^(uᵢ/b)/Σ e^(u_j/b) of the exponential mechanism.
#[must_use]
pub fn exponential(scores: &[f64], scale: f64) -> Vec<Enclosure> {
    let weights = taken(scores, scale);
    let total = weights.iter().fold(Enclosure::ZERO, |sum, weight| sum + *weight);
    weights.into_iter().map(|weight| (weight / total).probability()).collect()
}

/// The probabilities pᵢ·∫₀¹ ∏_(j≠i) (1 − t·p_j) dt of exponential noise, the product multiplied out
/// as a polynomial in t.
#[must_use]
pub fn exponential_noise(scores: &[f64], scale: f64) -> Vec<Enclosure> {
    let p = taken(scores, scale);
    let probability = |i: usize| {
        let mut polynomial = vec![Enclosure::ONE];
        for (_, p) in p.iter().enumerate().filter(|(j, _)| *j != i) {
            polynomial.push(Enclosure::ZERO);
            for power in (1..polynomial.len()).rev() {
                polynomial[power] = polynomial[power] - polynomial[power - 1] * *p;
            }
        }
        let integral =
            polynomial.into_iter().zip(1u8..).fold(Enclosure::ZERO, |sum, (coefficient, power)| {
                sum + coefficient / Enclosure::point(power.into())
            });
        (p[i] * integral).probability()
    };
    (0..scores.len()).map(probability).collect()
}

/// The probabilities of permute and flip, by all orders of at most eight candidates.
#[must_use]
pub fn permute_and_flip(scores: &[f64], scale: f64) -> Vec<Enclosure> {
    let p = taken(scores, scale);
    let mut totals = vec![Enclosure::ZERO; p.len()];
    let mut orders = 0u16;
    for_each_order(&mut (0..p.len()).collect::<Vec<_>>(), 0, &mut |order| {
        orders += 1;
        let mut refused = Enclosure::ONE;
        for i in order {
            totals[*i] = totals[*i] + refused * p[*i];
            refused = refused * (Enclosure::ONE - p[*i]);
        }
    });
    totals.into_iter().map(|total| (total / Enclosure::point(orders.into())).probability()).collect()
}

/// The probability that peeling selects this list of candidates, in this order.
#[cfg(test)]
pub(crate) fn peeling(scores: &[f64], scale: f64, selected: &[usize]) -> Enclosure {
    let mut left: Vec<usize> = (0..scores.len()).collect();
    selected.iter().fold(Enclosure::ONE, |product, chosen| {
        let scores: Vec<f64> = left.iter().map(|i| scores[*i]).collect();
        let place = left.iter().position(|i| i == chosen).expect("nobody is selected twice");
        left.remove(place);
        product * exponential(&scores, scale)[place]
    })
}

/// e^(−(best − uᵢ)/b).
fn taken(scores: &[f64], scale: f64) -> Vec<Enclosure> {
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let taken =
        |score: &f64| ((Enclosure::point(*score) - Enclosure::point(best)) / Enclosure::point(scale)).exp();
    scores.iter().map(taken).collect()
}

/// Calls `visit` with every order of the items from `from` on.
fn for_each_order(items: &mut [usize], from: usize, visit: &mut impl FnMut(&[usize])) {
    if from == items.len() {
        return visit(items);
    }
    for i in from..items.len() {
        items.swap(from, i);
        for_each_order(items, from + 1, visit);
        items.swap(from, i);
    }
}
