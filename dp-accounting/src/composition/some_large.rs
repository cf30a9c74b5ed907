//! What the event that some losses of one kind are large says.

use dp_core::Delta;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use super::answer::float;
use super::part::Part;
use super::question::Question;
use crate::contour::{Effort, many};

/// A lower bound on the answer to a question, from one kind of events alone: whoever looks only at
/// its runs learns no more than all of them show. Worth something where the noise of a part is
/// absurdly small beside that of others.
///
/// Let p = Pr(L > ℓ) under P. Under Q the same event has at most the probability p·e^−ℓ. That N ≥ j
/// of k losses exceed ℓ has under P the probability Pr(N ≥ j) of a binomial law, which rises with
/// p, and under Q at most w = C(k,j)·(p·e^−ℓ)ʲ, so
///
/// > δ(ε) ≥ Pr(N ≥ j) − w·e^ε,  hence ε ≥ ln((Pr(N ≥ j) − δ)/w).
pub(super) fn some_large(parts: &[Part<'_>], question: Question, effort: &Effort) -> f64 {
    let of = |part: &Part<'_>| {
        // An ε takes about seventy looks at the profile.
        if !effort.allows(part.evaluations_work(70.0 * float(MASSES.len()))) {
            return 0.0;
        }
        let (pair, count) = (part.lower_pair(), part.count());
        // Samples are rare, and so are their losses.
        let most = pair.delta(0.0).lo();
        let at = |share: &f64| {
            let loss = pair.epsilon(Delta::saturating(share * most)).get();
            let (loss, tail) = (Enclosure::point(loss), pair.tail(loss));
            if !(loss.hi().is_finite() && loss.lo() > 0.0 && tail.lo() > 0.0 && tail.hi() < 1.0) {
                return 0.0;
            }
            let [least, most] = [tail.lo(), tail.hi()].map(Enclosure::point);
            // j and ln C(k,j)
            let log_ways: Vec<(u64, Enclosure)> = (1..=MOST.min(count))
                .scan(Enclosure::ZERO, |log_ways, j| {
                    *log_ways = *log_ways + (many(count - j + 1) / many(j)).ln();
                    Some((j, *log_ways))
                })
                .collect();
            let (mut best, mut at_least) = (0.0f64, Enclosure::ZERO);
            for (j, log_ways) in log_ways.into_iter().rev() {
                let (chosen, left) = (many(j), many(count - j));
                at_least = at_least + (log_ways + chosen * least.ln() + left * (-least).ln_1p()).exp();
                if j == 1 {
                    // More than MOST of them, too.
                    at_least = Enclosure::point(
                        at_least.lo().max((-(many(count) * (-least).ln_1p()).exp_m1()).lo()),
                    );
                }
                let log_q = log_ways + chosen * (most.ln() - loss);
                let bound = match question {
                    Question::Epsilon(delta) => {
                        ((at_least - Enclosure::point(delta)).max(Enclosure::ZERO).ln() - log_q).lo()
                    }
                    Question::Delta(epsilon) => (at_least - (log_q + Enclosure::point(epsilon)).exp()).lo(),
                };
                best = best.max(bound);
            }
            best
        };
        MASSES.iter().map(at).fold(0.0, f64::max)
    };
    parts.iter().map(of).fold(0.0, f64::max)
}

/// δ of one run for which the threshold ℓ is its ε, in parts of δ(0).
const MASSES: [f64; 9] = [0.999, 0.9, 0.5, 0.1, 0.03, 9e-3, 1e-3, 1e-4, 1e-6];

/// Not more than this many of the losses.
const MOST: u64 = 30;
