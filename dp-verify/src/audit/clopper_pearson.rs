//! Bounds on a probability from a count, which hold whatever the probability is
//! (Clopper and Pearson 1934).
//!
//! Of n draws k lay in the event. The lower bound is the largest p for which k or more would still
//! be rarer than `failure`; whoever returns *any* p with Pr(Bin(n, p) ≥ k) ≤ `failure` is on the
//! safe side, because the probability rises with p. So the search below need not be trusted: what
//! it returns was judged by [`upper_tail`], which never says too little.

use dp_core::rounding::{Enclosure, add_up, div_up, mul_up, sub_down};

/// How close the search comes, relatively. It stops on the safe side.
const PRECISION: f64 = 1e-8;

/// With probability at least 1 − `failure` at most the probability of which `successes` of `trials`
/// draws are evidence.
pub(crate) fn lower(successes: u64, trials: u64, failure: f64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let ways = ln_binomial(trials, successes);
    let rare = |p: f64| {
        let p = Enclosure::point(p);
        upper_tail(successes, trials, ways, p, Enclosure::ONE - p) <= failure
    };
    let (mut good, mut bad) = (0.0, share(successes, trials));
    while bad - good > PRECISION * bad {
        let middle = good + 0.5 * (bad - good);
        if rare(middle) { good = middle } else { bad = middle }
    }
    good
}

/// With probability at least 1 − `failure` at least the probability of which `successes` of
/// `trials` draws are evidence.
pub(crate) fn upper(successes: u64, trials: u64, failure: f64) -> f64 {
    let failures = trials - successes;
    if failures == 0 {
        return 1.0;
    }
    let ways = ln_binomial(trials, failures);
    // At most k draws in the event are at least n − k outside of it.
    let rare = |q: f64| {
        let q = Enclosure::point(q);
        upper_tail(failures, trials, ways, Enclosure::ONE - q, q) <= failure
    };
    let (mut bad, mut good) = (share(successes, trials), 1.0);
    while good - bad > PRECISION * good {
        let middle = bad + 0.5 * (good - bad);
        if rare(middle) { good = middle } else { bad = middle }
    }
    good
}

/// At least Pr(Bin(n, p) ≥ k), for k ≥ 1 and `ways` = ln(n choose k); of use where p < k/n, and 1
/// elsewhere.
///
/// The first term is e^(ways + k·ln p + (n−k)·ln(1−p)), in enclosures. Each following term is the
/// one before it times (n−j)/(j+1) · p/(1−p), a ratio r that falls with j, so that all terms after
/// the last that is added are below that one's r/(1 − r).
fn upper_tail(k: u64, n: u64, ways: Enclosure, p: Enclosure, not_p: Enclosure) -> f64 {
    let logarithm = ways + real(k) * p.ln() + if k == n { Enclosure::ZERO } else { real(n - k) * not_p.ln() };
    let odds = (p / not_p).hi();
    let mut term = logarithm.exp().hi();
    let mut sum = term;
    for j in k..n {
        let ratio = mul_up(div_up(real(n - j).hi(), real(j + 1).hi()), odds);
        if ratio >= 1.0 {
            return 1.0;
        }
        let rest = div_up(mul_up(term, ratio), sub_down(1.0, ratio));
        if rest <= 1e-12 * sum {
            return add_up(sum, rest).min(1.0);
        }
        term = mul_up(term, ratio);
        sum = add_up(sum, term);
    }
    sum.min(1.0)
}

/// Encloses ln(n choose k).
fn ln_binomial(n: u64, k: u64) -> Enclosure {
    if k == 0 || k == n {
        return Enclosure::ZERO;
    }
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// Encloses ln n!: by multiplication for n ≤ 20, whose factorials are floats, and beyond by
/// Stirling's series n·ln n − n + ½·ln(2πn) + 1/12n − 1/360n³ + 1/1260n⁵ − …, which lies between
/// any two successive partial sums.
fn ln_factorial(n: u64) -> Enclosure {
    if n <= 20 {
        return real((1..=n).product()).ln();
    }
    let pi = Enclosure::new(std::f64::consts::PI, std::f64::consts::PI.next_up());
    let n = real(n);
    let cube = n * n.square();
    let below =
        Enclosure::ONE / (Enclosure::point(12.0) * n) - Enclosure::ONE / (Enclosure::point(360.0) * cube);
    let above = below + Enclosure::ONE / (Enclosure::point(1260.0) * cube * n.square());
    n * n.ln() - n
        + (Enclosure::point(2.0) * pi * n).ln() * Enclosure::point(0.5)
        + Enclosure::new(below.lo(), above.hi())
}

/// The float nearest to k/n, where the searches begin.
fn share(k: u64, n: u64) -> f64 {
    real(k).hi() / real(n).hi()
}

/// An integer as a real number. All integers here are counts of draws, or factorials up to 20! =
/// 2¹⁸·odd: floats all of them.
fn real(n: u64) -> Enclosure {
    #[allow(clippy::cast_precision_loss, reason = "below 2⁵³, or a factorial whose odd part is")]
    Enclosure::point(n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pr(Bin(n, p) = k) in plain floats, for small n.
    fn mass(n: u64, k: u64, p: f64) -> f64 {
        let ways: f64 = (0..k).map(|i| share(n - i, i + 1)).product();
        let power = |base: f64, times: u64| (0..times).fold(1.0, |power, _| power * base);
        ways * power(p, k) * power(1.0 - p, n - k)
    }

    #[test]
    fn the_bounds_hold_as_often_as_they_say_and_not_much_more_often() {
        // Coverage, exactly: over all counts and all probabilities of a grid. The worst p of a grid
        // this fine comes close to `failure`.
        for n in [1_u64, 2, 7, 25] {
            for failure in [0.2, 0.01] {
                let bounds: Vec<_> = (0..=n).map(|k| (lower(k, n, failure), upper(k, n, failure))).collect();
                let (mut worst_lower, mut worst_upper) = (0.0_f64, 0.0_f64);
                for step in 1..2000 {
                    let p = f64::from(step) / 2000.0;
                    let wrong = |bad: &dyn Fn((f64, f64)) -> bool| -> f64 {
                        (0..=n).zip(&bounds).filter(|(_, pair)| bad(**pair)).map(|(k, _)| mass(n, k, p)).sum()
                    };
                    worst_lower = worst_lower.max(wrong(&|(lower, _)| lower > p));
                    worst_upper = worst_upper.max(wrong(&|(_, upper)| upper < p));
                }
                for worst in [worst_lower, worst_upper] {
                    assert!(worst <= failure + 1e-9 && worst > 0.9 * failure, "n = {n}, {failure}: {worst}");
                }
            }
        }
    }

    #[test]
    fn they_agree_with_values_of_thirty_digits() {
        // Roots of the regularised incomplete beta function, by mpmath.
        for (k, n, failure, low, high) in VALUES {
            let (ours_low, ours_high) = (lower(k, n, failure), upper(k, n, failure));
            assert!(ours_low <= low && ours_low >= low * (1.0 - 1e-6), "{k} of {n}: {ours_low} {low}");
            assert!(ours_high >= high && ours_high <= high * (1.0 + 1e-6), "{k} of {n}: {ours_high} {high}");
        }
    }

    #[test]
    fn nothing_seen_says_nothing_and_all_seen_not_everything() {
        assert_eq!(lower(0, 10, 0.1), 0.0);
        assert_eq!(upper(10, 10, 0.1), 1.0);
        assert!((upper(0, 10, 0.1) - (1.0 - 0.1_f64.powf(0.1))).abs() < 1e-7);
        assert!((lower(10, 10, 0.1) - 0.1_f64.powf(0.1)).abs() < 1e-7);
    }

    const VALUES: [(u64, u64, f64, f64, f64); 7] = [
        (1, 50, 1e-2, 0.000_200_986_516_573_376_36, 0.125_523_716_458_552_73),
        (3, 10, 0.05, 0.087_264_433_914_150_31, 0.606_624_216_105_413_4),
        (40, 1000, 1e-9, 0.012_994_225_846_074_136, 0.089_351_088_033_063_1),
        (500, 1000, 1e-8, 0.411_492_884_411_464_87, 0.588_507_115_588_535_1),
        (17, 100_000, 1e-10, 2.078_355_195_312_042_7e-5, 0.000_592_236_493_241_104_9),
        (99_990, 100_000, 1e-10, 0.999_534_438_911_217_4, 0.999_995_272_577_511_6),
        (300_000, 1_000_000, 5e-9, 0.297_377_817_113_428_53, 0.302_631_076_293_537_86),
    ];
}
