//! The least ladder of winsorised means, which lie where two gaps open at a time.
//!
//! With p and q the first and the last rank that stay, p < q, m records beyond each and M = m + 1,
//! n times the mean rises by at most
//!
//! > U(y) = M·(y₍q+1₎ − y₍p₎) − m·(y₍q₎ − y₍p+1₎)
//!
//! when one record of y is replaced, and falls by at most the same with p − 1 and q − 1 in the
//! place of p and q. Let x₍₀₎ and x₍ₙ₊₁₎ be the bounds.
//!
//! **Theorem.** For k < n the largest U(y) over all y with n − k records of x is the largest, over
//! s ≤ p and t ≤ n − q with k − (q − p) < s + t ≤ k, of
//!
//! > M·(x₍q+1+t₎ − x₍p−s₎) − m·(x₍j+w−1₎ − x₍j₎), where w = q − p + s + t − k, and j from p − s + 1
//! > to p − s + 1 + k is the one for which this is largest.
//!
//! *Proof.* Let y have c₁ records of x among its p first, c₂ among the q − p next ones and c₃ among
//! the others. Then y₍p₎ ≥ x₍c₁₎ and y₍q+1₎ ≤ x₍n+1−c₃₎; and from y₍p+1₎ to y₍q₎ there are c₂
//! records of x that have c₁ others below and c₃ above. With s = p − c₁ and t = n − q − c₃ this is
//! the expression for w = c₂, with s + t ≤ k since c₂ ≤ q − p, and more records are no closer
//! together: take as few as c₁ + c₂ + c₃ ≥ n − k allows. If that is none, U(y) is M times a
//! difference that some s and t with w = 1 have, too. All are reached: leave p − s records, the w
//! from j on and the t-th largest and those above; put s of the k others to the lower bound, t to
//! the upper one, and the rest beside the j-th record. ∎
//!
//! That is O(k²) for one k, since the windows of successive s differ by one j at each end.

/// Records in units, in order where they are within reach of the two ranks, the bounds of records,
/// and how many are pulled in on either side.
pub(crate) struct TwoGaps<'a> {
    pub(crate) ordered: &'a [f64],
    pub(crate) bounds: (f64, f64),
    pub(crate) pulled: usize,
}

impl TwoGaps<'_> {
    /// A⁽ᵏ⁾ of n times the mean, in units, rounded up to a float. There are at least two ranks that
    /// stay.
    pub(crate) fn at_distance(&self, distance: usize) -> f64 {
        let (n, m) = (self.ordered.len(), self.pulled);
        let largest = if distance >= n {
            self.heaviest() * (self.record(n + 1) - self.record(0))
        } else {
            self.up((m + 1, n - m), distance).max(self.up((m, n - m - 1), distance))
        };
        // The least float that is no less. Both terms are below 2¹²⁷.
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
        let nearest = largest as f64;
        #[allow(clippy::cast_possible_truncation)] // below 2¹²⁷
        if (nearest as i128) < largest { nearest.next_up() } else { nearest }
    }

    /// M.
    fn heaviest(&self) -> i128 {
        i128::try_from(self.pulled).expect("at most 64 bits") + 1
    }

    /// A record by its rank, from 1.
    fn record(&self, rank: usize) -> i128 {
        let value = match rank {
            0 => self.bounds.0,
            rank if rank > self.ordered.len() => self.bounds.1,
            rank => self.ordered[rank - 1],
        };
        #[allow(clippy::cast_possible_truncation)] // whole numbers up to 2⁶²
        let integer = value as i64;
        integer.into()
    }

    /// The largest U.
    fn up(&self, (p, q): (usize, usize), k: usize) -> i128 {
        let (n, heaviest) = (self.ordered.len(), self.heaviest());
        let mut largest = 0;
        for both in (k + 1).saturating_sub(q - p)..=k.min(p + n - q) {
            let kept = q - p + both - k;
            let (least, most) = (both.saturating_sub(n - q), both.min(p));
            let spreads: Vec<i128> = (p - most + 1..=p - least + 1 + k)
                .map(|j| self.record(j + kept - 1) - self.record(j))
                .collect();
            // Each range of k + 1 of these contains the one at k, for they are fewer than twice as
            // many: minima from there to the left and to the right.
            let minima = |spread: &mut dyn Iterator<Item = &i128>| -> Vec<i128> {
                spread
                    .scan(i128::MAX, |least, &here| {
                        *least = here.min(*least);
                        Some(*least)
                    })
                    .collect()
            };
            let left = minima(&mut spreads[..=k].iter().rev());
            let right = minima(&mut spreads[k..].iter());
            for s in least..=most {
                let start = most - s;
                let closest = left[k - start].min(right[start]);
                let wide = self.record(q + 1 + both - s) - self.record(p - s);
                largest = largest.max(heaviest * wide - (heaviest - 1) * closest);
            }
        }
        largest
    }
}
