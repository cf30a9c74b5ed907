//! How steep a score may be for a guarantee.

use core::num::NonZero;

use dp_core::rounding::{Enclosure, div_down};

/// The range of the losses that each of `rounds` releases may have so that all together are
/// ε-private: ε over their number, rounded down.
pub(super) fn range_for_epsilon(epsilon: f64, rounds: NonZero<u32>) -> f64 {
    div_down(epsilon, rounds.get().into())
}

/// The same for ρ-zCDP: a range of r is r²/8-zCDP, and so r = √(8ρ/rounds), rounded down.
pub(super) fn range_for_rho(rho: f64, rounds: NonZero<u32>) -> f64 {
    let each = Enclosure::point(rho) * Enclosure::point(8.0) / Enclosure::point(rounds.get().into());
    each.sqrt().lo()
}

/// The neighbours that a range must hold for, of the records of one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbours {
    /// A record is added or removed.
    Resized,
    /// A record is replaced by another one.
    Replaced,
}

/// The largest θ for which the losses of a release at this level span at most `range`, rounded
/// down.
///
/// **Theorem.** Let the score of a candidate v be u(v) = −dist(p·n, [#{x < v}, #{x ≤ v}]). When one
/// record is added, the changes of all scores lie in an interval of length 2·max(p, 1−p); when one
/// is replaced, in one of length 2. For p = 0 and p = 1 both have length 1. No shorter intervals
/// do.
///
/// *Proof.* Write u(v) = −dist(0, [A, B]) with A = #{x < v} − p·n and B = #{x ≤ v} − p·n. Both rise
/// with v, and B(v) ≤ A(v′) for v < v′. Let d(v) be the change of u(v) when the record r is added.
///
/// - For v < r both ends move by −p. So |d| ≤ p, and d > 0 only if A > 0.
/// - For v > r both move by 1 − p. So |d| ≤ 1 − p, and d > 0 only if B < 0.
/// - At v = r the end A moves by −p and B by 1 − p. The interval grows: d ≥ 0, and d ≤ p if A > 0,
///   d ≤ 1 − p if B < 0, and d = 0 else.
///
/// Let m = max(p, 1−p). Then −m ≤ d ≤ m everywhere, an interval of length 2m. None shorter will do
/// for ½ ≤ p < 1: let r be larger than all of many records. Where B ≤ 0, d = −p, and where A ≥ p,
/// d = p. For 0 < p ≤ ½ let r be smaller than all.
///
/// A record that is replaced does not move p·n, and moves each of A and B by −1, 0 or 1, all in one
/// direction: |d| ≤ 1. If it passes from the left of the target to the right, d = 1 right of the
/// target and d = −1 left of it.
///
/// For p = 1, A ≤ 0 and u = B = #{x ≤ v} − n. A record that is added takes one from it for v < r;
/// one that is replaced moves it by −1 or 0, or by 0 or 1, for all v alike. For p = 0 likewise. ∎
///
/// The loss of a release is θ·d(v) plus a constant, so it spans θ times that length: *bounded
/// range* (Durfee and Rogers 2019), which is r-privacy and r²/8-zCDP for a range of r.
pub(super) fn steepness(range: f64, level: f64, neighbours: Neighbours) -> f64 {
    let part = (Enclosure::ONE - Enclosure::point(level)).max(Enclosure::point(level));
    let span = match neighbours {
        _ if level == 0.0 || level == 1.0 => Enclosure::ONE,
        Neighbours::Resized => part + part,
        Neighbours::Replaced => Enclosure::point(2.0),
    };
    div_down(range, span.hi())
}
