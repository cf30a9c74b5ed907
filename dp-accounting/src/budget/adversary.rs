//! The best adaptive adversary against a filter or an odometer, by exhaustive search.
//!
//! Steps are (ε,δ)-randomised response: with probability δ the loss is infinite, else one of two
//! answers, of loss ε and −ε, the first with probability e^ε/(1+e^ε). They simulate every
//! (ε,δ)-private step. The adversary sees its loss and chooses the next step, or stops. What it can
//! reach depends only on how often each kind of step had which answer, so that the search is a
//! recursion over those counts, and exact up to the rounding of floats.

use std::collections::HashMap;

use dp_core::{AddRemove, Approx, Delta, Epsilon, Guarantee, Pure, Rdp, Relax};

use super::{Account, AdvancedBudget, Budget, Odometer};

/// How often each kind of step had a positive and a negative loss.
type Counts = Vec<(u32, u32)>;

struct Game<'a, F, G> {
    kinds: &'a [(f64, f64)],
    /// Whether the filter lets these numbers of steps happen, by kind.
    allowed: F,
    /// What the adversary gains by stopping at a loss, after these numbers of steps; at one, it
    /// stops.
    gain: G,
    seen: HashMap<Counts, f64>,
    admitted: HashMap<Vec<u32>, bool>,
}

impl<'a, F: Fn(&[u32]) -> bool, G: Fn(f64, &[u32]) -> f64> Game<'a, F, G> {
    fn new(kinds: &'a [(f64, f64)], allowed: F, gain: G) -> Self {
        Self { kinds, allowed, gain, seen: HashMap::new(), admitted: HashMap::new() }
    }

    /// The most that any strategy gains on average under P.
    fn value(&mut self, counts: &Counts) -> f64 {
        if let Some(&known) = self.seen.get(counts) {
            return known;
        }
        let steps: Vec<u32> = counts.iter().map(|(up, down)| up + down).collect();
        let loss =
            counts.iter().zip(self.kinds).map(|(c, kind)| (f64::from(c.0) - f64::from(c.1)) * kind.0).sum();
        let mut best = (self.gain)(loss, &steps);
        if best < 1.0 {
            for (i, &(epsilon, delta)) in self.kinds.iter().enumerate() {
                let mut next = steps.clone();
                next[i] += 1;
                let admitted = match self.admitted.get(&next) {
                    Some(known) => *known,
                    None => {
                        let admitted = (self.allowed)(&next);
                        self.admitted.insert(next, admitted);
                        admitted
                    }
                };
                if admitted {
                    let (mut up, mut down) = (counts.clone(), counts.clone());
                    up[i].0 += 1;
                    down[i].1 += 1;
                    let high = epsilon.exp() / (1.0 + epsilon.exp());
                    let rest = high * self.value(&up) + (1.0 - high) * self.value(&down);
                    best = best.max(delta + (1.0 - delta) * rest);
                }
            }
        }
        self.seen.insert(counts.clone(), best);
        best
    }

    fn play(mut self) -> f64 {
        self.value(&vec![(0, 0); self.kinds.len()])
    }
}

fn costs(kinds: &[(f64, f64)], steps: &[u32]) -> Vec<Approx> {
    let kinds = kinds.iter().zip(steps);
    kinds
        .flat_map(|(&(e, d), n)| {
            vec![Approx::from_parts(Epsilon::new(e).unwrap(), Delta::new(d).unwrap()); *n as usize]
        })
        .collect()
}

/// Whether an account pays for all of these.
fn pays(mut account: impl Account<Approx>, costs: &[Approx]) -> bool {
    costs.iter().all(|cost| account.charge(cost).is_ok())
}

/// δ(ε) of the best adversary.
fn worst_delta(kinds: &[(f64, f64)], epsilon: f64, allowed: impl Fn(&[Approx]) -> bool) -> f64 {
    let excess = |loss: f64, _: &[u32]| (1.0 - (epsilon - loss).exp()).max(0.0);
    Game::new(kinds, |steps| allowed(&costs(kinds, steps)), excess).play()
}

/// A budget of which nothing is spent. To find its order takes longer than to spend it.
fn advanced(epsilon: f64, delta: f64, reserve: f64) -> AdvancedBudget<AddRemove> {
    let total = Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap());
    AdvancedBudget::with_reserve(total, Delta::new(reserve).unwrap()).unwrap()
}

#[test]
fn the_game_knows_what_is_known() {
    // One step of randomised response, and two: the profile of the pair and of its square.
    let kinds = [(1.0, 0.0)];
    let one = worst_delta(&kinds, 0.5, |costs| costs.len() <= 1);
    let exact = Pure::new(1.0).unwrap().delta_at(Epsilon::new(0.5).unwrap()).get();
    assert!((one - exact).abs() < 1e-12);
    let high = 1f64.exp() / (1.0 + 1f64.exp());
    let two = worst_delta(&kinds, 0.5, |costs| costs.len() <= 2);
    // Stopping after a loss of 1 forgoes nothing at two steps of equal ε: (1,1) has all of the
    // excess.
    assert!((two - high * high * (1.0 - (0.5f64 - 2.0).exp())).abs() < 1e-12);
    // A filter that is basic composition leaves no excess at all but for failures.
    let kinds = [(0.25, 0.0), (0.125, 0.001)];
    let basic = |costs: &[Approx]| pays(Budget::<_, AddRemove>::new(Approx::new(1.0, 0.004).unwrap()), costs);
    let delta = worst_delta(&kinds, 1.0, basic);
    assert!(delta <= 0.004 && delta > 0.003_9, "{delta}");
}

#[test]
fn no_adversary_beats_the_advanced_filter() {
    for (epsilon, delta, reserve, kinds) in [
        (1.0, 0.2, 0.2, vec![(0.3, 0.0)]),
        (1.0, 0.3, 0.3, vec![(0.25, 0.0), (0.5, 0.0)]),
        (1.0, 0.1, 0.05, vec![(0.2, 0.0), (0.3, 0.02)]),
        (0.5, 0.5, 0.25, vec![(0.2, 0.0), (0.0, 0.05)]),
        (2.0, 0.05, 0.05, vec![(0.3, 0.0), (1.0, 0.0)]),
        (0.3, 0.4, 0.4, vec![(0.15, 0.0), (0.25, 0.0), (0.6, 0.0)]),
    ] {
        let reached = worst_delta(&kinds, epsilon, |costs| pays(advanced(epsilon, delta, reserve), costs));
        assert!(reached <= delta, "ε {epsilon} δ {delta} {kinds:?}: {reached}");
        let steps = kinds.iter().map(|kind| (epsilon / kind.0).min(1e3)).fold(0.0, f64::max);
        let fits = |n: u32| pays(advanced(epsilon, delta, reserve), &costs(&kinds[..1], &[n]));
        assert!(steps == 1e3 || fits(3), "the filter pays for something");
    }
}

#[test]
fn the_bound_is_not_idle() {
    // Small steps and a large δ: the adversary gets within a factor of three of what the theorem
    // allows.
    let kinds = [(0.1, 0.0)];
    let reached = worst_delta(&kinds, 0.3, |costs| pays(advanced(0.3, 0.3, 0.3), costs));
    assert!(reached > 0.1 && reached <= 0.3, "{reached}");
}

/// All of δ for failures while Σε ≤ ε, and δ' for the loss beyond: each condition is valid alone,
/// "either" is not.
#[test]
fn choosing_the_condition_later_without_a_split_is_broken() {
    let (epsilon, delta) = (1.0, 0.05);
    let kinds = [(0.1, 0.0), (0.0, delta)];
    let basic = |costs: &[Approx]| {
        pays(
            Budget::<_, AddRemove>::new(Approx::from_parts(
                Epsilon::new(epsilon).unwrap(),
                Delta::new(delta).unwrap(),
            )),
            costs,
        )
    };
    let beyond = |costs: &[Approx]| pays(advanced(epsilon, delta, delta), costs);
    let either = worst_delta(&kinds, epsilon, |costs| basic(costs) || beyond(costs));
    assert!(either > delta, "{either}");
    for alone in [worst_delta(&kinds, epsilon, basic), worst_delta(&kinds, epsilon, beyond)] {
        assert!(alone <= delta + 1e-12, "{alone}");
    }
}

/// The loss allowed for without its mean ½Σε²: what the proof of advanced composition must not
/// forget.
#[test]
fn a_filter_without_the_mean_is_broken() {
    let (epsilon, delta) = (6.0, 0.3);
    let no_mean = |costs: &[Approx]| {
        let squares: f64 = costs.iter().map(|cost| cost.epsilon().get().powi(2)).sum();
        (2.0 * (1.0f64 / delta).ln() * squares).sqrt() <= epsilon
    };
    let reached = worst_delta(&[(0.5, 0.0)], epsilon, no_mean);
    assert!(reached > delta, "{reached}");
}

/// The probability that the best adversary, at some time within `rounds`, has a loss above the
/// reading.
fn crossing(kinds: &[(f64, f64)], rounds: u32, reading: impl Fn(&[Approx]) -> f64) -> f64 {
    let readings = std::cell::RefCell::new(HashMap::new());
    let passed = |loss: f64, steps: &[u32]| {
        let mut readings = readings.borrow_mut();
        let read = *readings.entry(steps.to_vec()).or_insert_with(|| reading(&costs(kinds, steps)));
        f64::from(u8::from(loss > read + 1e-9)) // losses are sums of floats
    };
    Game::new(kinds, |steps| steps.iter().sum::<u32>() <= rounds, passed).play()
}

fn odometer(delta: f64, costs: &[Approx]) -> f64 {
    let mut odometer = Odometer::<AddRemove>::new(Delta::new(delta).unwrap());
    costs.iter().for_each(|cost| odometer.charge(cost).unwrap());
    odometer.epsilon().get()
}

#[test]
fn no_adversary_outruns_the_odometer() {
    for (delta, kinds, rounds) in [
        (0.3, vec![(0.3, 0.0)], 60),
        (0.5, vec![(0.1, 0.0), (0.5, 0.0)], 12),
        (0.1, vec![(0.3, 0.0), (0.7, 0.0)], 12),
    ] {
        let reached = crossing(&kinds, rounds, |costs| odometer(delta, costs));
        assert!(reached <= delta, "δ {delta} {kinds:?}: {reached}");
    }
    assert!(crossing(&[(0.3, 0.0)], 60, |costs| odometer(0.3, costs)) > 0.02); // and not because it reads far too much
}

/// A bound for a fixed time, read at all times: the running zCDP or Rényi sum seen at δ.
#[test]
fn reading_a_bound_for_one_time_at_all_times_is_broken() {
    let delta = 0.3f64;
    let fixed = |costs: &[Approx]| {
        let step = |cost: &Approx| Relax::<Rdp>::relaxed(&Pure::from(cost.epsilon()));
        let sum = costs.iter().fold(Rdp::perfect(), |sum, cost| sum.compose(&step(cost)));
        // Pr(L > ε) ≤ δ at a fixed time, by the best order for that time.
        let orders = (-80..=80).map(|k| 1.0 + (f64::from(k) / 8.0).exp2());
        orders
            .map(|order| sum.divergence(dp_core::Alpha::new(order).unwrap()) - delta.ln() / (order - 1.0))
            .fold(f64::INFINITY, f64::min)
    };
    let reached = crossing(&[(0.3, 0.0)], 200, fixed);
    assert!(reached > delta, "{reached}");
}
