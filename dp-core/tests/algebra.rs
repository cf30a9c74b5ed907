//! The laws of `Guarantee`, on random instances of every notion.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test

use dp_core::{Alpha, Approx, Curve, Delta, Epsilon, Gdp, Guarantee, Points, Pure, Rdp, Zcdp};
use proptest::prelude::*;

/// How much upward rounding may add, relatively.
const ROUNDING: f64 = 1e-12;

/// A notion in numbers, so that two guarantees that differ by rounding can be compared.
trait Coordinates: Guarantee {
    fn coordinates(&self) -> Vec<f64>;
}

impl Coordinates for Pure {
    fn coordinates(&self) -> Vec<f64> {
        vec![Pure::epsilon(*self).get()]
    }
}

impl Coordinates for Approx {
    fn coordinates(&self) -> Vec<f64> {
        vec![Approx::epsilon(*self).get(), Approx::delta(*self).get()]
    }
}

impl Coordinates for Zcdp {
    fn coordinates(&self) -> Vec<f64> {
        // Lines are compared at order one and in the limit.
        vec![self.xi().get() + self.rho().get(), self.rho().get()]
    }
}

impl Coordinates for Gdp {
    fn coordinates(&self) -> Vec<f64> {
        vec![self.mu().get()]
    }
}

impl Coordinates for Rdp {
    fn coordinates(&self) -> Vec<f64> {
        [1.01, 1.5, 2.0, 8.0, 100.0].map(|order| self.divergence(Alpha::new(order).unwrap())).to_vec()
    }
}

fn close(a: &impl Coordinates, b: &impl Coordinates) -> bool {
    a.coordinates()
        .iter()
        .zip(b.coordinates())
        .all(|(x, y)| *x == y || (x - y).abs() <= ROUNDING * x.abs().max(y.abs()))
}

/// Not above, in any coordinate, up to rounding.
fn below<G: Coordinates>(a: &G, b: &G) -> bool {
    a.coordinates().iter().zip(b.coordinates()).all(|(x, y)| *x <= y * (1.0 + ROUNDING))
}

fn assert_laws<G: Coordinates>(a: &G, b: &G, c: &G) {
    // Composition: commutative, associative, neutral element, monotone.
    assert!(close(&a.compose(b), &b.compose(a)), "{a} and {b} do not commute");
    assert!(close(&a.compose(b).compose(c), &a.compose(&b.compose(c))), "{a}, {b}, {c} do not associate");
    assert_eq!(&a.compose(&G::perfect()), a);
    assert_eq!(&G::perfect().compose(a), a);
    assert!(a.is_at_most(&a.compose(b)) || below(a, &a.compose(b)), "{a} is more than {a} with {b}");
    if a.is_at_most(b) {
        assert!(below(&a.compose(c), &b.compose(c)), "composition with {c} is not monotone from {a} to {b}");
    }

    // Order: reflexive, joins are above, transitive through the join.
    assert!(a.is_at_most(a) && G::perfect().is_at_most(a));
    let join = a.join(b);
    assert!(a.is_at_most(&join) && b.is_at_most(&join), "{join} is not above {a} and {b}");
    assert!(close(&join, &b.join(a)));

    // Counting and groups.
    assert_eq!(a.times(0), G::perfect());
    assert!(close(&a.times(1), a) && close(&a.times(3), &a.compose(a).compose(a)));
    assert!(close(&a.for_group(1), a) && a.for_group(0) == G::perfect());
    assert!(below(&a.for_group(2), &a.for_group(3)), "a larger group of {a} has less");

    // Views: δ falls in ε, ε falls in δ, each undoes the other on the safe side.
    let (small, large) = (Epsilon::new(0.3).unwrap(), Epsilon::new(2.0).unwrap());
    assert!(a.delta_at(large).get() <= a.delta_at(small).get() * (1.0 + 1e-9));
    for delta in [1e-9, 1e-3] {
        let delta = Delta::new(delta).unwrap();
        let epsilon = a.epsilon_at(delta);
        assert!(a.epsilon_at(Delta::new(0.1).unwrap()).get() <= epsilon.get() * (1.0 + 1e-9) + 1e-300);
        if !epsilon.is_infinite() {
            assert!(
                a.delta_at(epsilon).get() <= delta.get() * (1.0 + 1e-6),
                "{a}: δ({epsilon}) is above {delta}"
            );
        }
        // More privacy loss never looks like less.
        assert!(epsilon.get() <= a.compose(b).epsilon_at(delta).get() * (1.0 + 1e-9));
    }
}

fn pure() -> impl Strategy<Value = Pure> {
    prop_oneof![Just(0.0), 1e-6..5.0f64, 5.0..300.0f64].prop_map(|e| Pure::new(e).unwrap())
}

fn approx() -> impl Strategy<Value = Approx> {
    (prop_oneof![Just(0.0), 1e-6..5.0f64], prop_oneof![Just(0.0), 1e-12..1e-4f64])
        .prop_map(|(e, d)| Approx::new(e, d).unwrap())
}

fn zcdp() -> impl Strategy<Value = Zcdp> {
    (prop_oneof![Just(0.0), 1e-6..1.0f64], prop_oneof![Just(0.0), 1e-6..3.0f64])
        .prop_map(|(xi, rho)| Zcdp::with_offset(xi, rho).unwrap())
}

fn gdp() -> impl Strategy<Value = Gdp> {
    prop_oneof![Just(0.0), 1e-6..5.0f64].prop_map(|mu| Gdp::new(mu).unwrap())
}

fn rdp() -> impl Strategy<Value = Rdp> {
    let epsilon = || (1e-3..3.0f64).prop_map(|e| Epsilon::new(e).unwrap());
    let curve = prop_oneof![
        zcdp().prop_map(Curve::Line),
        pure().prop_map(Curve::Pure),
        epsilon().prop_map(|shift| Curve::Laplace { shift }),
        epsilon().prop_map(|range| Curve::BoundedRange { range }),
        (1e-3..1.0f64).prop_map(|rho| {
            let entries = [1.5, 2.0, 4.0, 8.0, 32.0, 128.0, 512.0];
            let point = |order: f64| (Alpha::new(order).unwrap(), Epsilon::new(order * rho).unwrap());
            Curve::Points(Points::new(entries.map(point).to_vec()).unwrap())
        }),
    ];
    prop::collection::vec(curve, 0..3)
        .prop_map(|curves| curves.into_iter().fold(Rdp::perfect(), |sum, c| sum.compose(&c.into())))
}

proptest! {
    #[test]
    fn pure_obeys_the_laws(a in pure(), b in pure(), c in pure()) {
        assert_laws(&a, &b, &c);
    }

    #[test]
    fn approx_obeys_the_laws(a in approx(), b in approx(), c in approx()) {
        assert_laws(&a, &b, &c);
    }

    #[test]
    fn zcdp_obeys_the_laws(a in zcdp(), b in zcdp(), c in zcdp()) {
        assert_laws(&a, &b, &c);
    }

    #[test]
    fn gdp_obeys_the_laws(a in gdp(), b in gdp(), c in gdp()) {
        assert_laws(&a, &b, &c);
    }

    #[test]
    fn rdp_obeys_the_laws(a in rdp(), b in rdp(), c in rdp()) {
        assert_laws(&a, &b, &c);
    }

    /// Relaxing each and composing is never tighter than composing and relaxing where the stronger
    /// notion composes exactly: Gaussians.
    #[test]
    fn relaxing_then_composing_is_never_tighter_than_the_truth(a in gdp(), b in gdp(), delta in 1e-12..1e-2f64) {
        let delta = Delta::new(delta).unwrap();
        let truth = a.compose(&b).epsilon_at(delta).get();
        let zcdp = a.relax::<Zcdp>().compose(&b.relax());
        let rdp = a.relax::<Rdp>().compose(&b.relax());
        prop_assert!(truth <= zcdp.epsilon_at(delta).get() * (1.0 + 1e-12));
        prop_assert!(truth <= rdp.epsilon_at(delta).get() * (1.0 + 1e-12));
        let half = Delta::new(delta.get() / 2.0).unwrap();
        let approx = a.at_delta(half).compose(&b.at_delta(half));
        prop_assert!(truth <= approx.epsilon().get() * (1.0 + 1e-12));
    }

    /// Pure guarantees: the relaxations of the parts cover the exact composition of the worst
    /// mechanisms, randomised responses.
    #[test]
    fn relaxed_pure_guarantees_cover_randomised_response(k in 1u32..12, epsilon in 0.01..1.5f64, view in 0.0..8.0f64) {
        // k responses with the same ε: the number of likelier answers is binomial.
        let mut profile = 0.0;
        let likely = 1.0 / (1.0 + (-epsilon).exp());
        for j in 0..=k {
            let choose = (0..j).fold(1.0, |c, i| c * f64::from(k - i) / f64::from(i + 1));
            let mass = choose * likely.powi(j.cast_signed()) * (1.0 - likely).powi((k - j).cast_signed());
            let loss = epsilon * (2.0 * f64::from(j) - f64::from(k));
            profile += mass * (1.0 - (view - loss).exp()).max(0.0);
        }
        let pure = Pure::new(epsilon).unwrap();
        let at = Epsilon::new(view).unwrap();
        let covers = |delta: Delta| profile <= delta.get() * (1.0 + 1e-9) + 1e-15;
        prop_assert!(covers(pure.times(k.into()).delta_at(at)));
        prop_assert!(covers(pure.relax::<Gdp>().times(k.into()).delta_at(at)));
        prop_assert!(covers(pure.relax::<Zcdp>().times(k.into()).delta_at(at)));
        prop_assert!(covers(pure.relax::<Rdp>().times(k.into()).delta_at(at)));
    }
}
