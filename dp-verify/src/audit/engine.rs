//! A lower bound on ε from draws alone.
//!
//! Two samplers are (ε,δ)-indistinguishable if P(S) ≤ e^ε·Q(S) + δ for every event S. So one event
//! whose probability is surely at least p under one sampler and surely at most q under the other
//! shows that ε ≥ ln((p − δ)/q). Which event shows most is learned from the first half of the
//! draws, and its probabilities are bounded from the second half, which knows nothing of the first:
//! the bound holds however badly the event was chosen, and is good if it was chosen well.
//!
//! By the lemma of Neyman and Pearson the best events are those where the likelihood ratio passes a
//! threshold. A quarter of the draws orders the labels by their estimated ratio; the next quarter,
//! which did not take part in the ordering and so is not flattered by it, chooses the threshold and
//! the direction.

use std::collections::HashMap;

use dp_core::rounding::{div_down, ln_down, sub_down};
use dp_mechanisms::rng::Insecure;

use super::clopper_pearson;

/// A label of an output: outputs with the same label are not distinguished.
pub(crate) type Label = u64;

/// A sampler whose outputs are labelled.
pub(crate) type Sampler<'a> = dyn FnMut(&mut Insecure) -> Label + 'a;

/// What draws show of the least ε that two samplers can have.
#[derive(Clone, Debug)]
pub(crate) struct LowerBound {
    /// The privacy loss ε is at least this, except with the probability of failure that was asked
    /// for. Zero when the draws show nothing, and never infinite: an event that was not seen under
    /// one sampler may still have a small probability.
    pub(crate) epsilon: f64,
    /// The event that shows it, in words, and under which of the two samplers it is likelier.
    pub(crate) event: String,
    /// The event has at least the one probability under the sampler where it is likelier, and at
    /// most the other under the other one.
    pub(crate) probabilities: (f64, f64),
    /// How many outputs were drawn from each sampler.
    pub(crate) draws: u64,
}

/// Bounds ε from below, at `delta`, by `draws` outputs of each sampler; wrong with probability at
/// most `failure`.
///
/// `describe` says in words which outputs have a label. Draws are those of the generator of `seed`.
pub(crate) fn lower_bound(
    x: &mut Sampler<'_>,
    y: &mut Sampler<'_>,
    draws: u64,
    delta: f64,
    failure: f64,
    seed: u64,
    describe: &dyn Fn(Label) -> String,
) -> LowerBound {
    let rng = &mut Insecure::seeded(seed);
    let (quarter, judged) = (draws / 4, draws - 2 * (draws / 4));
    // The event and its direction do not depend on the second half, so one lower and one upper
    // bound are all that can fail.
    let failure = failure / 2.0;

    let ratios = Ratios::learn(&tally(x, quarter, rng), &tally(y, quarter, rng));
    let event = ratios.choose(&tally(x, quarter, rng), &tally(y, quarter, rng), quarter, delta, failure);

    let mut count =
        |sampler: &mut Sampler<'_>| (0..judged).map(|_| u64::from(event.contains(sampler(rng)))).sum::<u64>();
    let (in_x, in_y) = (count(x), count(y));
    let (often, seldom) = if event.likelier_under_first { (in_x, in_y) } else { (in_y, in_x) };
    let (p, q) = if judged == 0 {
        (0.0, 1.0)
    } else {
        (clopper_pearson::lower(often, judged, failure), clopper_pearson::upper(seldom, judged, failure))
    };
    LowerBound {
        epsilon: loss(p, q, delta),
        event: format!("{}, likelier on the {}", event.describe(describe), event.likelier()),
        probabilities: (p, q),
        draws,
    }
}

/// ln((p − δ)/q), rounded down; zero where that shows nothing.
fn loss(p: f64, q: f64, delta: f64) -> f64 {
    let surplus = sub_down(p, delta);
    if surplus <= q { 0.0 } else { ln_down(div_down(surplus, q)).max(0.0) }
}

/// How often each label was drawn.
fn tally(sampler: &mut Sampler<'_>, draws: u64, rng: &mut Insecure) -> HashMap<Label, u64> {
    let mut counts = HashMap::new();
    for _ in 0..draws {
        *counts.entry(sampler(rng)).or_insert(0) += 1;
    }
    counts
}

/// Logarithms of the likelihood ratios of the labels, first sampler over second, as far as a sample
/// tells them. A label that was not seen has 0.
struct Ratios(HashMap<Label, f64>);

impl Ratios {
    /// One draw is added to every count: a label seen once on one side and never on the other is
    /// not thought to be a proof.
    fn learn(x: &HashMap<Label, u64>, y: &HashMap<Label, u64>) -> Self {
        let smoothed =
            |counts: &HashMap<Label, u64>, label: &Label| real(counts.get(label).unwrap_or(&0) + 1);
        let ratio = |label: &Label| (*label, (smoothed(x, label) / smoothed(y, label)).ln());
        Self(x.keys().chain(y.keys()).map(ratio).collect())
    }

    fn of(&self, label: Label) -> f64 {
        self.0.get(&label).copied().unwrap_or(0.0)
    }

    /// The event above a threshold on these ratios, or below one, that shows the largest ε on a
    /// fresh sample of `draws` outputs each, after the discount for chance.
    fn choose(
        self,
        x: &HashMap<Label, u64>,
        y: &HashMap<Label, u64>,
        draws: u64,
        delta: f64,
        failure: f64,
    ) -> Event {
        let mut levels: Vec<(f64, u64, u64)> = x.iter().map(|(label, n)| (self.of(*label), *n, 0)).collect();
        levels.extend(y.iter().map(|(label, n)| (self.of(*label), 0, *n)));
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));

        let (mut best, mut likelier_under_first, mut threshold) = (f64::NEG_INFINITY, true, f64::INFINITY);
        for first in [false, true] {
            let (mut in_x, mut in_y) = (0, 0);
            // Labels with one ratio go together.
            for level in levels.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
                in_x += level.iter().map(|(_, n, _)| n).sum::<u64>();
                in_y += level.iter().map(|(_, _, n)| n).sum::<u64>();
                let (often, seldom) = if first { (in_x, in_y) } else { (in_y, in_x) };
                let shown = discounted(often, seldom, draws, delta, failure);
                if shown > best {
                    (best, likelier_under_first, threshold) = (shown, first, level[0].0);
                }
            }
            levels.reverse();
        }
        Event { ratios: self, threshold, likelier_under_first }
    }
}

/// ln((p − δ)/q) for shares moved against us as far as chance may have moved them for us, by
/// Wilson's intervals at √(2·ln(1/failure)) standard deviations. It ranks candidates and proves
/// nothing. Where p does not exceed δ, events that come closer to that rank higher.
fn discounted(often: u64, seldom: u64, draws: u64, delta: f64, failure: f64) -> f64 {
    let n = real(draws.max(1));
    let z = (-2.0 * failure.ln()).max(1.0).sqrt();
    let wilson = |k: u64, side: f64| {
        let k = real(k);
        ((k + z * z / 2.0 + side * z * (k * (1.0 - k / n) + z * z / 4.0).sqrt()) / (n + z * z))
            .clamp(0.0, 1.0)
    };
    let surplus = wilson(often, -1.0) - delta;
    if surplus > 0.0 { (surplus / wilson(seldom, 1.0)).ln() } else { -1e3 + surplus }
}

/// A set of labels: those with a ratio from the threshold on.
struct Event {
    ratios: Ratios,
    threshold: f64,
    likelier_under_first: bool,
}

impl Event {
    fn contains(&self, label: Label) -> bool {
        self.holds(self.ratios.of(label))
    }

    fn holds(&self, ratio: f64) -> bool {
        if self.likelier_under_first { ratio >= self.threshold } else { ratio <= self.threshold }
    }

    fn likelier(&self) -> &'static str {
        if self.likelier_under_first { "first" } else { "second" }
    }

    /// The labels of the event, or those that it leaves out if labels that were never seen belong
    /// to it.
    fn describe(&self, describe: &dyn Fn(Label) -> String) -> String {
        let open = self.holds(0.0);
        let mut listed: Vec<Label> = self
            .ratios
            .0
            .iter()
            .filter(|(_, ratio)| self.holds(**ratio) != open)
            .map(|(label, _)| *label)
            .collect();
        listed.sort_unstable();
        let words = runs(&listed, describe);
        match (open, words.is_empty()) {
            (true, true) => "any output".into(),
            (true, false) => format!("any output but {words}"),
            (false, true) => "no output".into(),
            (false, false) => words,
        }
    }
}

/// Sorted labels in words, successive ones as ranges, the first few of them.
fn runs(labels: &[Label], describe: &dyn Fn(Label) -> String) -> String {
    const SHOWN: usize = 6;
    let runs: Vec<&[Label]> = labels.chunk_by(|a, b| a.checked_add(1) == Some(*b)).collect();
    let mut words: Vec<String> = runs
        .iter()
        .take(SHOWN)
        .map(|run| match run {
            [one] => describe(*one),
            [first, .., last] => format!("{} to {}", describe(*first), describe(*last)),
            [] => String::new(),
        })
        .collect();
    if runs.len() > SHOWN {
        words.push(format!("and {} more like these", runs.len() - SHOWN));
    }
    words.join(", ")
}

#[allow(clippy::cast_precision_loss, reason = "counts of draws stay below 2⁵³")]
fn real(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    /// Labels 0, 1, … with these probabilities, in 2⁻³² parts as good as exactly.
    fn finite(probabilities: &'static [f64]) -> impl FnMut(&mut Insecure) -> Label {
        move |rng| {
            let mut u = f64::from(rng.next_u32()) / 4_294_967_296.0;
            let mut label = 0;
            for p in probabilities {
                if u < *p {
                    return label;
                }
                (u, label) = (u - p, label + 1);
            }
            label - 1
        }
    }

    fn name(label: Label) -> String {
        format!("<{label}>")
    }

    fn bound(
        x: &'static [f64],
        y: &'static [f64],
        draws: u64,
        delta: f64,
        failure: f64,
        seed: u64,
    ) -> LowerBound {
        lower_bound(&mut finite(x), &mut finite(y), draws, delta, failure, seed, &name)
    }

    #[test]
    fn the_loss_is_found_in_both_directions() {
        // False alarms have probability 10⁻⁹ by construction; to fall short by 0.2 is 6 standard
        // deviations.
        let (few, many): (&[f64], &[f64]) = (&[0.35, 0.6, 0.05], &[0.5, 0.2, 0.3]);
        for (x, y, event) in
            [(many, few, "<2>, likelier on the first"), (few, many, "<2>, likelier on the second")]
        {
            let (found, truth) = (bound(x, y, 100_000, 0.0, 1e-9, 1), 6.0_f64.ln());
            assert!(found.epsilon <= truth && found.epsilon > truth - 0.2, "{found:?}");
            assert_eq!((found.event.as_str(), found.draws), (event, 100_000));
        }
        // Both answers of a response prove the same.
        let found = bound(&[0.75, 0.25], &[0.25, 0.75], 100_000, 0.0, 1e-9, 1);
        assert!(found.epsilon <= 3.0_f64.ln() && found.epsilon > 1.0, "{found:?}");
    }

    #[test]
    fn what_delta_covers_is_no_evidence_and_what_it_does_not_is() {
        // One output in fifty cannot come from the other sampler.
        let (x, y): (&[f64], &[f64]) = (&[0.98, 0.02], &[1.0, 0.0]);
        assert_eq!(bound(x, y, 40_000, 0.021, 1e-9, 2).epsilon, 0.0);
        // About ln((0.018 − 0.01)/0.0001) = 4.4, after a discount of six standard deviations.
        let found = bound(x, y, 400_000, 0.01, 1e-9, 2);
        assert!(found.epsilon > 3.0 && found.event.starts_with("<1>"), "{found:?}");
        assert!(found.probabilities.0 <= 0.02, "{found:?}");
    }

    #[test]
    fn bounds_are_wrong_as_seldom_as_they_say() {
        // The truth is ln 1.5 for the best event. If the bounds were as bad as allowed, 400 runs
        // would be wrong 60 times with failure = 0.1 with a probability of 10⁻³, and 260 times with
        // failure = 0.5 with one below 10⁻⁸. They are better, because both ends of a ratio are
        // seldom wrong at once: about one in six times at 0.5, so that fewer than ten would show a
        // bound that is never wrong.
        let truth = 1.5_f64.ln();
        let wrong = |failure: f64| {
            (0..400)
                .filter(|seed| bound(&[0.6, 0.4], &[0.4, 0.6], 400, 0.0, failure, *seed).epsilon > truth)
                .count()
        };
        assert!(wrong(0.1) < 60, "{} of 400", wrong(0.1));
        assert!((10..260).contains(&wrong(0.5)), "{} of 400", wrong(0.5));
        // And the same sampler twice has ε = 0.
        let wrong = (0..400)
            .filter(|seed| bound(&[0.6, 0.4], &[0.6, 0.4], 400, 0.0, 0.1, *seed).epsilon > 0.0)
            .count();
        assert!(wrong < 60, "{wrong} of 400");
    }

    #[test]
    fn many_labels_that_were_seen_once_prove_nothing() {
        // Every output is new: all that a first sample says about it is chance. False alarms: 10⁻⁹.
        let mut fresh = |rng: &mut Insecure| rng.next_u64();
        let mut again = |rng: &mut Insecure| rng.next_u64();
        assert_eq!(lower_bound(&mut fresh, &mut again, 20_000, 0.0, 1e-9, 3, &name).epsilon, 0.0);
        // But what is never new stands out among them.
        let mut stuck = |rng: &mut Insecure| if rng.next_u32() < u32::MAX / 2 { 7 } else { rng.next_u64() };
        let found = lower_bound(&mut fresh, &mut stuck, 20_000, 0.0, 1e-9, 3, &name);
        assert!(found.epsilon > 3.0 && found.event == "<7>, likelier on the second", "{found:?}");
    }

    #[test]
    fn events_are_told_in_few_words() {
        let told = |labels: &[Label]| runs(labels, &name);
        assert_eq!(told(&[1, 2, 3, 7, 9, 10]), "<1> to <3>, <7>, <9> to <10>");
        assert!(told(&[1, 3, 5, 7, 9, 11, 13, 15]).ends_with("<11>, and 2 more like these"));
        assert_eq!(told(&[]), "");
    }

    #[test]
    fn no_draws_no_bound() {
        let found = bound(&[1.0], &[1.0], 0, 0.0, 1e-9, 1);
        assert_eq!((found.epsilon, found.probabilities), (0.0, (0.0, 1.0)));
    }
}
