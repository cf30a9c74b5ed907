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
/// Let p = Pr(L > ℓ) under P. Under Q the same event has at most the probability p·e^−ℓ. That at
/// least j of k losses exceed ℓ has a probability of at least C(k,j)·pʲ(1−p)^(k−j) under P, and of
/// at most C(k,j)·(p·e^−ℓ)ʲ under Q, so with w = C(k,j)·pʲ
///
/// > δ(ε) ≥ w·((1−p)^(k−j) − e^(ε−jℓ)),  hence ε ≥ jℓ + ln((1−p)^(k−j) − δ/w).
pub(super) fn some_large(parts: &[Part<'_>], question: Question, effort: &Effort) -> f64 {
    let of = |part: &Part<'_>| {
        // An ε takes about seventy looks at the profile.
        if !effort.allows(part.evaluations_work(70.0 * float(MASSES.len()))) {
            return 0.0;
        }
        let (pair, count) = (part.lower_pair(), part.count());
        let at = |delta: &f64| {
            let loss = pair.epsilon(Delta::saturating(*delta)).get();
            let (loss, tail) = (Enclosure::point(loss), pair.tail(loss));
            if !(loss.hi().is_finite() && loss.lo() > 0.0 && tail.lo() > 0.0 && tail.hi() < 1.0) {
                return 0.0;
            }
            let (mut best, mut log_ways) = (0.0f64, Enclosure::ZERO);
            for j in 1..=MOST.min(count) {
                let (chosen, left) = (many(j), many(count - j));
                log_ways = log_ways + (many(count - j + 1) / chosen).ln();
                let [least, most] = [tail.lo(), tail.hi()].map(Enclosure::point);
                // ln of C·pʲ(1−p)^(k−j) under P at least, and of C·pʲ·e^(−jℓ) under Q at most.
                let log_p = log_ways + chosen * least.ln() + left * (-most).ln_1p();
                let log_q = log_ways + chosen * (most.ln() - loss);
                let bound = match question {
                    Question::Epsilon(delta) => {
                        let part = Enclosure::point(delta) / log_p.exp();
                        (log_p + (-part).ln_1p() - log_q).lo()
                    }
                    Question::Delta(epsilon) => {
                        (log_p.exp() - (log_q + Enclosure::point(epsilon)).exp()).lo()
                    }
                };
                best = best.max(bound);
            }
            best
        };
        MASSES.iter().map(at).fold(0.0, f64::max)
    };
    parts.iter().map(of).fold(0.0, f64::max)
}

/// δ of one run for which the threshold ℓ is its ε.
const MASSES: [f64; 8] = [0.9, 0.5, 0.1, 0.03, 9e-3, 1e-3, 1e-4, 1e-6];

/// Not more than so many of the losses.
const MOST: u64 = 30;
