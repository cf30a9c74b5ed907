use super::*;

fn unit(scale: f64, width: f64, shift: f64) -> BoundedLaplacePair {
    BoundedLaplacePair::new(Scale::new(scale).unwrap(), Bounds::new(0.0, width).unwrap(), shift).unwrap()
}

/// δ(P_a ‖ P_a') by the definition, in plain floats: the best half-line, its probabilities from the
/// distribution function.
fn direct(a: f64, other: f64, width: f64, epsilon: f64) -> f64 {
    let normaliser = |a: f64| 1.0 - 0.5 * ((-a).exp() + (a - width).exp());
    let below = |a: f64, v: f64| {
        let mass = if v < a {
            0.5 * ((v - a).exp() - (-a).exp())
        } else {
            1.0 - 0.5 * (-a).exp() - 0.5 * (a - v).exp()
        };
        mass / normaliser(a)
    };
    let loss = |v: f64| (v - other).abs() - (v - a).abs() + (normaliser(other) / normaliser(a)).ln();
    // The loss is monotone in v: bisect for the place where it passes ε.
    let falls = a <= other;
    if (falls && loss(0.0) <= epsilon) || (!falls && loss(width) <= epsilon) {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, width);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (loss(middle) > epsilon) == falls { low = middle } else { high = middle }
    }
    let (p, q) = (below(a, low), below(other, low));
    let (p, q) = if falls { (p, q) } else { (1.0 - p, 1.0 - q) };
    p - epsilon.exp() * q
}

const CASES: [(f64, f64); 5] = [(4.0, 1.0), (1.0, 0.9), (0.3, 0.05), (10.0, 3.0), (2.0, 2.0)];

#[test]
fn the_profile_is_the_supremum_over_all_neighbours() {
    for (width, shift) in CASES {
        let pair = unit(1.0, width, shift);
        for share in [0.0, 0.9, 0.99] {
            let epsilon = pair.max_loss() * share;
            let delta = pair.delta(epsilon);
            assert!(delta.relative_width() < 1e-7, "w {width} s {shift} ε {epsilon}: {delta:?}");
            let mut best = 0.0f64;
            for i in 0..=120 {
                let share = f64::from(i) / 120.0;
                let a = width * share * share; // denser at the end, where the worst places are for large ε
                for other in [a - shift, a - 0.7 * shift, a + 0.4 * shift, a + shift] {
                    if (0.0..=width).contains(&other) {
                        best = best.max(direct(a, other, width, epsilon));
                    }
                }
            }
            assert!(best <= delta.hi() + 1e-14, "w {width} s {shift} ε {epsilon}: {delta:?} {best:e}");
            assert!(best >= delta.lo() * 0.98 - 1e-14, "w {width} s {shift} ε {epsilon}: {delta:?} {best:e}");
        }
    }
}

#[test]
fn known_profiles() {
    // mpmath, 30 digits: golden-section search of the closed form over a.
    for (width, shift, epsilon, truth) in REFERENCE {
        let delta = unit(1.0, width, shift).delta(epsilon);
        assert!(
            delta.lo() <= truth * (1.0 + 1e-13) && delta.hi() >= truth * (1.0 - 1e-13),
            "{width} {shift} {epsilon}: {delta:?} {truth:e}"
        );
        assert!(delta.hi() <= truth * (1.0 + 1e-7), "{width} {shift} {epsilon}: {delta:?} {truth:e}");
    }
}

const REFERENCE: [(f64, f64, f64, f64); 8] = [
    (4.0, 1.0, 1.0, 0.06921391252145373),
    (1.0, 0.9, 0.5, 0.07453596055668883),
    (0.3, 0.05, 0.05, 0.004749091235614067),
    (10.0, 3.0, 3.25, 0.0470116192352669),
    (30.0, 0.5, 0.1, 0.18154161378869274),
    (2.0, 2.0, 1.0, 0.1790498892168176),
    (4.0, 1.0, 1.375, 0.003936913332636514),
    (6.0, 0.01, 0.01, 0.0012421720138408596),
];

#[test]
fn profiles_fall_stay_within_limits_and_are_convex() {
    for (width, shift) in [(4.0, 1.0), (0.3, 0.05)] {
        let pair = unit(1.0, width, shift);
        let points: Vec<f64> = (-6..=7).map(|k| pair.max_loss() * f64::from(k) / 6.0).collect();
        let deltas: Vec<Enclosure> = points.iter().map(|epsilon| pair.delta(*epsilon)).collect();
        for (epsilon, delta) in points.iter().zip(&deltas) {
            assert!(delta.hi() <= 1.0 && delta.hi() >= -epsilon.exp_m1() * (1.0 - 1e-15));
        }
        for k in 1..points.len() - 1 {
            assert!(deltas[k].lo() <= deltas[k - 1].hi());
            let [before, here, after] = [k - 1, k, k + 1].map(|k| points[k].exp());
            let share = (here - before) / (after - before);
            let chord = deltas[k - 1].hi() * (1.0 - share) + deltas[k + 1].hi() * share;
            assert!(deltas[k].lo() <= chord * (1.0 + 1e-12), "not convex at {}", points[k]);
        }
    }
    // In the units of the bounds only the ratios count.
    let (one, seven) = (unit(1.0, 4.0, 1.0).delta(1.0), unit(7.0, 28.0, 7.0).delta(1.0));
    assert!((one.hi() / seven.hi() - 1.0).abs() < 1e-7);
}

#[test]
fn tails_integrate_to_the_profile() {
    let pair = unit(1.0, 1.0, 0.9);
    // δ(p) = ∫_p^∞ e^(p−t)·Pr(L > t) dt, between its lower and upper sums.
    let (start, pieces) = (0.5 * pair.max_loss(), 12);
    let at = |k: i32| start + (pair.max_loss() - start) * f64::from(k) / f64::from(pieces);
    let tails: Vec<Enclosure> = (0..=pieces).map(|k| pair.tail(at(k))).collect();
    let (mut below, mut above) = (0.0, 0.0);
    for (k, window) in (0..pieces).zip(tails.windows(2)) {
        let weight = (start - at(k)).exp() - (start - at(k + 1)).exp();
        below += weight * window[1].lo();
        above += weight * window[0].hi();
        assert!(window[0].relative_width() < 0.01, "{:?}", window[0]);
    }
    let delta = pair.delta(start);
    assert!(below <= delta.hi() && delta.lo() <= above && above < 1.3 * below, "{below} {delta:?} {above}");
    assert_eq!(pair.tail(-9.0), Enclosure::ONE);
    assert_eq!(pair.tail(9.0), Enclosure::ZERO);
}

#[test]
fn divergences_bound_each_member_of_the_family() {
    let (width, shift) = (1.0, 0.9);
    let pair = unit(1.0, width, shift);
    let order = 4.0;
    let enclosure = pair.renyi(Alpha::new(order).unwrap());
    assert!(enclosure.relative_width() < 0.1 && enclosure.hi() <= pair.max_loss(), "{enclosure:?}");
    let members = (0..=8).map(|i| {
        let a = (width - shift) * f64::from(i) / 8.0;
        divergence(a, a + shift, width, order).max(divergence(a + shift, a, width, order))
    });
    let largest = members.fold(0.0, f64::max);
    assert!(largest <= enclosure.hi() && largest > 0.8 * enclosure.lo(), "{largest} {enclosure:?}");
}

/// D_α(P_a ‖ P_a') by the midpoint rule.
fn divergence(a: f64, other: f64, width: f64, order: f64) -> f64 {
    let density = |a: f64, v: f64| (-(v - a).abs()).exp() / (2.0 - (-a).exp() - (a - width).exp());
    let cells = 4000;
    let step = width / f64::from(cells);
    let sum: f64 = (0..cells)
        .map(|k| {
            let v = (f64::from(k) + 0.5) * step;
            density(a, v) * (density(a, v) / density(other, v)).powf(order - 1.0) * step
        })
        .sum();
    sum.ln() / (order - 1.0)
}

#[test]
fn the_least_scales_meet_their_targets_and_smaller_ones_do_not() {
    let bounds = Bounds::new(-3.0, 7.0).unwrap();
    for (epsilon, delta, by) in [(1.0, 1e-3, 1.0), (3.0, 0.1, 20.0), (0.0, 0.01, 2.0)] {
        let (e, d) = (Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap());
        let b = BoundedLaplacePair::least_scale(bounds, by, e, d).unwrap();
        let at = |b: f64| BoundedLaplacePair::new(Scale::new(b).unwrap(), bounds, by).unwrap();
        assert!(at(b).delta(epsilon).hi() <= delta);
        assert!(at(b * (1.0 - 1e-6)).delta(epsilon).lo() > delta, "{epsilon} {delta}: {b}");
        if epsilon > 0.0 {
            let pure = BoundedLaplacePair::least_pure_scale(bounds, by, e).unwrap();
            assert!(at(pure).max_loss() <= epsilon && pure >= b);
            assert!(at(pure * (1.0 - 1e-9)).limit().lo() > epsilon);
        }
    }
    let nothing = BoundedLaplacePair::least_scale(bounds, 1.0, Epsilon::ZERO, Delta::ZERO).unwrap();
    assert!(nothing.is_infinite());
    assert!(BoundedLaplacePair::least_pure_scale(bounds, 1.0, Epsilon::ZERO).unwrap().is_infinite());
    assert!(BoundedLaplacePair::least_pure_scale(bounds, f64::NAN, Epsilon::ZERO).is_err());
}

#[test]
fn extreme_parameters_are_sound() {
    assert_eq!(unit(1.0, 4.0, 0.0).max_loss(), 0.0);
    assert_eq!(unit(1.0, 4.0, 0.0).delta(0.0), Enclosure::ZERO);
    // More than the width is the width: C_w = C_0 and the loss is w.
    let capped = unit(1.0, 4.0, 1e9);
    assert!((4.0..4.000_000_001).contains(&capped.max_loss()));
    assert_eq!(capped.delta(4.1), Enclosure::ZERO);
    // A wide interval is all but unbounded in its middle, and one-sided at its ends, where ln 2
    // joins the loss.
    let wide = unit(1.0, 1e9, 1.0);
    assert!((wide.max_loss() - 1.0 - (2.0 - (-1f64).exp()).ln()).abs() < 1e-12);
    let delta = wide.delta(0.3);
    assert!(delta.hi() >= -(-0.35f64).exp_m1() && delta.relative_width() < 1e-7, "{delta:?}");
    for (scale, width, shift) in [
        (1e-300, 1e300, 1.0),
        (1e300, 1e-300, 1e-300),
        (1e-5, 1.0, 1.0),
        (1e12, 1.0, 0.1),
        (1.0, 1.0, 1e-300),
    ] {
        let pair = unit(scale, width, shift);
        for epsilon in [-1.0, 1e-13, 1e6] {
            let delta = pair.delta(epsilon);
            assert!((0.0..=1.0).contains(&delta.hi()), "{scale:e} {width:e} {shift:e}: {delta:?}");
            assert!(pair.tail(epsilon).hi() <= 1.0);
        }
    }
}
