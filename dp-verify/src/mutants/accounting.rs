//! Accountants that print less than was spent.
//!
//! An accountant is caught if the true δ at the ε that it prints is surely above the δ that it was
//! asked for. The truth for k runs of randomised response is a sum over a binomial law, which needs
//! no accountant.

use dp_accounting::renyi::smallest_epsilon;
use dp_accounting::{Composition, Event};
use dp_core::pairs::{DominatingPair, GaussianPair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Alpha, Approx, Delta, Epsilon, Error, Gdp, Guarantee, Mu, Pure, Zcdp};

use super::certified::certified;
use super::{Caught, Mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "an accountant that rounds losses down",
        mistake: "losses are rounded down to a grid before they are composed",
        right: "what is put on a grid is replaced by a law that dominates it",
        check: |_| on_a_grid(f64::floor),
    },
    Mutant {
        name: "an accountant that prints the lower end",
        mistake: "of the enclosure of ε the end is printed that shows how tight it is",
        right: "the upper end is what may be stated",
        check: |_| one_end(Enclosure::lo),
    },
    Mutant {
        name: "an accountant by the central limit theorem",
        mistake: "a thousand steps of DP-SGD are taken for the Gaussian mechanism that they tend to, with nothing added for the distance",
        right: "every error of an approximation is bounded and added",
        check: |_| central_limit(0.0),
    },
    Mutant {
        name: "a lower end that lies above the truth",
        mistake: "the largest loss of a sampled mechanism is computed by a form that cancels, and a part in 10¹² is taken off for the rounding",
        right: "the largest loss is enclosed, and the lower end is the lower one of that",
        check: |_| largest_loss(|loss, rate| loss + (rate + (Enclosure::ONE - rate) * (-loss).exp()).ln()),
    },
    Mutant {
        name: "a lower end that is only what one conversion proves",
        mistake: "the best ε that a conversion of ρ-zCDP proves is printed as the lower end, though another conversion proves less",
        right: "the lower end is that of Gaussian noise, which has the guarantee",
        check: |_| concentrated(|zcdp, asked| smallest_epsilon(|order| zcdp.divergence(order), asked).lo()),
    },
    Mutant {
        name: "groups that pay kδ",
        mistake: "for a group of k people an (ε,δ) guarantee is multiplied by k",
        right: "δ grows geometrically: (kε, δ(e^(kε) − 1)/(e^ε − 1))",
        check: |_| couples(|once| Ok(2.0 * once.delta().get())),
    },
];

/// Runs of randomised response, the ε of each, and the δ that is asked for.
const RUNS: u64 = 20;
const EACH: f64 = 0.1;
const DELTA: f64 = 1e-5;

fn responses() -> Result<Composition<AddRemove>, Error> {
    Ok(Composition::new().with(RandomizedResponsePair::binary(Epsilon::new(EACH)?), RUNS))
}

/// The probabilities that 0, 1, …, k of k responses are true under P, each with probability
/// e^ε/(1 + e^ε).
fn binomial() -> Vec<Enclosure> {
    let lie = Enclosure::ONE / (Enclosure::ONE + Enclosure::point(EACH).exp());
    let truth = Enclosure::ONE - lie;
    (0..RUNS).fold(vec![Enclosure::ONE], |law, _| {
        let after_a_lie = law.iter().map(|mass| *mass * lie).chain([Enclosure::ZERO]);
        let after_a_truth = [Enclosure::ZERO].into_iter().chain(law.iter().map(|mass| *mass * truth));
        after_a_lie.zip(after_a_truth).map(|(a, b)| a + b).collect()
    })
}

/// Encloses Σ mass·(1 − e^(ε−L))₊ over losses L with their masses.
fn delta(losses: impl Iterator<Item = (Enclosure, Enclosure)>, epsilon: f64) -> Enclosure {
    let of = |(mass, loss): (Enclosure, Enclosure)| {
        mass * (-(Enclosure::point(epsilon) - loss).exp_m1()).max(Enclosure::ZERO)
    };
    losses.map(of).fold(Enclosure::ZERO, |sum, term| sum + term)
}

/// The composed losses if a truth loses `gain` and a lie −`loss`.
fn losses(gain: Enclosure, loss: Enclosure) -> impl Iterator<Item = (Enclosure, Enclosure)> {
    let times = |count: u64| Enclosure::point(f64::from(u32::try_from(count).expect("at most 20")));
    (0..)
        .zip(binomial())
        .map(move |(truths, mass)| (mass, times(truths) * gain - times(RUNS - truths) * loss))
}

/// Encloses the true δ of all runs.
fn truth(epsilon: f64) -> Enclosure {
    let each = Enclosure::point(EACH);
    delta(losses(each, each), epsilon)
}

/// Judges two printed ε by the true δ.
fn judged(broken: f64, right: f64) -> Caught {
    let what = format!(
        "true δ of {RUNS} randomised responses of ε = {EACH} at the printed ε = {broken:.9}, not {right:.9}"
    );
    certified(&what, DELTA, truth(broken), truth(right))
}

/// Composes losses that were rounded to multiples of 0.03, and searches for the ε.
fn on_a_grid(round: impl Fn(f64) -> f64) -> Result<Caught, Error> {
    const STEP: f64 = 0.03;
    let rounded = |loss: f64| Enclosure::point(round(loss / STEP) * STEP);
    let (gain, loss) = (rounded(EACH), -rounded(-EACH));
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if delta(losses(gain, loss), middle).hi() > DELTA { low = middle } else { high = middle }
    }
    Ok(judged(high, responses()?.epsilon(Delta::new(DELTA)?).hi()))
}

/// Prints one end of what the library found.
fn one_end(end: impl Fn(Enclosure) -> f64) -> Result<Caught, Error> {
    let found = responses()?.epsilon(Delta::new(DELTA)?);
    Ok(judged(end(found), found.hi()))
}

/// DP-SGD with one record in a thousand in each step, by μ = q√(k(e^(1/σ²) − 1))
/// (Bu, Dong, Long and Su 2020), and `more`.
fn central_limit(more: f64) -> Result<Caught, Error> {
    const STEPS: u32 = 1000;
    let (rate, sigma, asked) = (0.001, 0.5_f64, Delta::new(DELTA)?);
    let mu = rate * (f64::from(STEPS) * sigma.powi(-2).exp_m1()).sqrt();
    let printed = Gdp::new(mu)?.at_delta(asked).epsilon().get() + more;
    let step = Event::poisson(rate, GaussianPair::with_noise_multiplier(sigma)?)?;
    let training = Composition::<AddRemove>::new().with(step, STEPS.into());
    // What Rényi divergences prove is found without the profile, by which it is judged here.
    let library = training.renyi_epsilon(asked).get();
    let truth = |epsilon: f64| Ok::<_, Error>(training.delta(Epsilon::new(epsilon)?));
    let what = format!("true δ of {STEPS} steps at the printed ε = {printed:.4}, not {library:.4}");
    Ok(certified(&what, DELTA, truth(printed)?, truth(library)?))
}

/// The lower end of ε at δ = 0 for two runs of randomised response on one record in 10⁹, over the
/// truth 2·ln(1 + q(e^ε − 1)).
fn largest_loss(form: impl Fn(Enclosure, Enclosure) -> Enclosure) -> Result<Caught, Error> {
    let (loss, rate) = (1.5, 1e-9);
    let point = Enclosure::point;
    let truth = point(2.0) * (point(rate) * point(loss).exp_m1()).ln_1p();
    let runs = Composition::<AddRemove>::new().with(Event::poisson(rate, Pure::new(loss)?)?, 2);
    let library = runs.epsilon(Delta::ZERO).lo();
    let printed = 2.0 * form(point(loss), point(rate)).hi() * (1.0 - 1e-12);
    let what = "the lower end of ε at δ = 0 over the largest loss of two sampled responses";
    // A part in 10⁸ more than one is for the rounding of the truth.
    Ok(certified(what, 1.0 + 1e-8, point(printed) / truth, point(library) / truth))
}

/// The δ that was asked for, over the true one at the lower end that `printed` finds for ρ-zCDP.
/// The true one is at least that of Gaussian noise with μ = √(2ρ), and at most what [`most_delta`]
/// proves.
fn concentrated(printed: impl Fn(Concentrated, Delta) -> f64) -> Result<Caught, Error> {
    const ASKED: f64 = 0.05;
    let (zcdp, asked) = (Concentrated { rho: 0.01 }, Delta::new(ASKED)?);
    let gaussian = GaussianPair::new(Mu::new((2.0 * zcdp.rho).sqrt())?);
    let over = |epsilon: f64| {
        let true_delta = Enclosure::new(gaussian.delta(epsilon).lo(), most_delta(zcdp, 8.0, epsilon));
        Enclosure::point(ASKED) / true_delta
    };
    let release = Composition::<AddRemove>::new().with(Zcdp::new(zcdp.rho)?, 1);
    let (broken, library) = (printed(zcdp, asked), release.epsilon(asked).lo());
    let what = format!(
        "δ = {ASKED} over the true δ of {}-zCDP at the lower end {broken:.5}, not {library:.5}",
        zcdp.rho
    );
    // A part in 10⁹ more than one is for roundings.
    Ok(certified(&what, 1.0 + 1e-9, over(broken), over(library)))
}

/// ρ-zCDP: divergences of at most αρ.
#[derive(Clone, Copy)]
struct Concentrated {
    rho: f64,
}

impl Concentrated {
    fn divergence(self, order: Alpha) -> Enclosure {
        Enclosure::point(self.rho) * Enclosure::point(order.get())
    }
}

/// A δ that the divergence of one order α proves at ε, by a search for the smallest that
/// [`is_proven`].
fn most_delta(zcdp: Concentrated, order: f64, epsilon: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if is_proven(zcdp, order, epsilon, middle) { high = middle } else { low = middle }
    }
    high
}

/// Whether the divergence of one order α proves that p − e^ε·q ≤ δ for the probabilities p and q of
/// every event on neighbours.
///
/// An event and its complement have no larger divergence than the whole output: M(p, q) =
/// p^α·q^(1−α) + (1−p)^α·(1−q)^(1−α) ≤ e^((α−1)αρ). M falls in q up to q = p. So if p − e^ε·q > δ
/// for some p, then M at (p, (p−δ)e^−ε) is at most the right side, too. Cells of p show that it is
/// larger everywhere: in each the first term is least at the smallest p with the largest q, and the
/// second at the largest p with the smallest q.
fn is_proven(zcdp: Concentrated, order: f64, epsilon: f64, delta: f64) -> bool {
    const CELLS: u32 = 2000;
    let point = Enclosure::point;
    let power = |base: Enclosure, exponent: f64| (base.ln() * point(exponent)).exp();
    let least = (point(order - 1.0) * point(order) * point(zcdp.rho)).exp().hi();
    let shrunk = point(-epsilon).exp();
    (0..CELLS).all(|cell| {
        let end = |cell: u32| delta + (1.0 - delta) * (f64::from(cell) / f64::from(CELLS));
        let (a, b) = (end(cell), end(cell + 1).min(1.0));
        let (small, large) = ((point(a) - point(delta)) * shrunk, (point(b) - point(delta)) * shrunk);
        let first = power(point(a), order) * power(large, 1.0 - order);
        let second = if b < 1.0 {
            power(point(1.0) - point(b), order) * power(point(1.0) - small, 1.0 - order)
        } else {
            Enclosure::ZERO
        };
        first.lo() + second.lo().max(0.0) > least * (1.0 + 1e-12)
    })
}

/// Couples under the Gaussian mechanism at μ = 1, which are that of μ = 2: the true δ at 2ε over
/// the δ that is stated of the guarantee for one.
fn couples(stated: impl Fn(&Approx) -> Result<f64, Error>) -> Result<Caught, Error> {
    let (one, two) = (Gdp::new(1.0)?, GaussianPair::new(Mu::new(2.0)?));
    let once = Approx::from_parts(Epsilon::new(1.0)?, one.delta_at(Epsilon::new(1.0)?));
    let over = |delta: f64| two.delta(2.0) / Enclosure::point(delta);
    let library = once.for_group(2).delta().get();
    let what = format!("true δ of couples under {once} over the δ that is stated");
    Ok(certified(&what, 1.0, over(stated(&once)?), over(library)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_caught;
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    #[test]
    fn what_is_right_is_not_caught() {
        assert!(!on_a_grid(f64::ceil).unwrap().caught);
        assert!(!one_end(Enclosure::hi).unwrap().caught);
        assert!(!central_limit(3.0).unwrap().caught);
        assert!(!largest_loss(|loss, rate| (rate * loss.exp_m1()).ln_1p()).unwrap().caught);
        let gaussian = |zcdp: Concentrated, asked| {
            Gdp::new((2.0 * zcdp.rho).sqrt()).unwrap().at_delta(asked).epsilon().get()
        };
        assert!(!concentrated(gaussian).unwrap().caught);
        assert!(!couples(|once| Ok(once.for_group(2).delta().get())).unwrap().caught);
    }

    /// The divergence of one order proves no less than what Gaussian noise, which has it, loses;
    /// and with both terms less than with one.
    #[test]
    fn one_order_proves_a_delta_that_is_above_that_of_gaussian_noise() {
        let zcdp = Concentrated { rho: 0.01 };
        let gaussian = GaussianPair::new(Mu::new(0.02_f64.sqrt()).unwrap());
        for order in [2.0, 8.0, 20.0] {
            for epsilon in [0.0, 0.05, 0.1, 0.3] {
                let proven = most_delta(zcdp, order, epsilon);
                assert!(gaussian.delta(epsilon).lo() <= proven && proven <= 1.0, "{order}, {epsilon}");
            }
        }
    }

    #[test]
    fn the_truth_of_one_run_is_that_of_the_pair() {
        // tanh(ε/2) at 0 for one run; here by all runs at once: masses add up to one, and no loss
        // exceeds the sum.
        let total = binomial().into_iter().fold(Enclosure::ZERO, |sum, mass| sum + mass);
        assert!(total.contains(1.0) && total.relative_width() < 1e-13);
        assert!(truth(2.0).hi() < 1e-14 && truth(1.99).lo() > 0.0);
    }
}
