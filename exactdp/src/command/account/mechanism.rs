//! A mechanism as a spec describes it. A parameter that is to be found is `None`.

use dp_core::pairs::FinitePair;
use dp_core::{Alpha, Epsilon, Points};

use super::document::Node;
use super::fields::{BadSpec, Fields, Range};
use super::spec::Unknown;

/// What is run on the data, or on a sample of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mechanism {
    Gaussian { sigma: Option<f64>, sensitivity: f64 },
    Laplace { scale: Option<f64>, sensitivity: f64 },
    DiscreteGaussian { sigma: Option<f64>, sensitivity: u32 },
    DiscreteLaplace { scale: Option<f64>, sensitivity: u32 },
    RandomizedResponse { epsilon: f64, answers: u32 },
    BoundedRange { range: f64 },
    Finite(FinitePair),
    Pure { epsilon: f64 },
    Approx { epsilon: f64, delta: f64 },
    Gdp { mu: f64 },
    Zcdp { rho: f64 },
    Renyi(Points),
}

/// The kinds of mechanisms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Gaussian,
    Laplace,
    DiscreteGaussian,
    DiscreteLaplace,
    RandomizedResponse,
    BoundedRange,
    Finite,
    Pure,
    Approx,
    Gdp,
    Zcdp,
    Renyi,
}

/// What a part of a composition may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Plain(Kind),
    Poisson,
    WithoutReplacement,
    Parallel,
}

/// As they are written.
pub(super) const PARTS: [(&str, Part); 15] = [
    ("gaussian", Part::Plain(Kind::Gaussian)),
    ("laplace", Part::Plain(Kind::Laplace)),
    ("discrete-gaussian", Part::Plain(Kind::DiscreteGaussian)),
    ("discrete-laplace", Part::Plain(Kind::DiscreteLaplace)),
    ("randomized-response", Part::Plain(Kind::RandomizedResponse)),
    ("bounded-range", Part::Plain(Kind::BoundedRange)),
    ("finite", Part::Plain(Kind::Finite)),
    ("pure", Part::Plain(Kind::Pure)),
    ("approx", Part::Plain(Kind::Approx)),
    ("gdp", Part::Plain(Kind::Gdp)),
    ("zcdp", Part::Plain(Kind::Zcdp)),
    ("rdp", Part::Plain(Kind::Renyi)),
    ("poisson", Part::Poisson),
    ("without-replacement", Part::WithoutReplacement),
    ("parallel", Part::Parallel),
];

impl Mechanism {
    /// Reads the mechanism that is sampled.
    pub(super) fn read_sampled(node: &Node, place: String, unknown: &mut Unknown) -> Result<Self, BadSpec> {
        let fields = Fields::of(node, place)?;
        let kind = match fields.word("kind", &PARTS)? {
            Part::Plain(Kind::Zcdp) => {
                return Err(fields.bad(
                    "kind",
                    "must not be \"zcdp\": what a sample of it costs does not follow from rho",
                ));
            }
            Part::Plain(Kind::Renyi) => {
                return Err(fields.bad(
                    "kind",
                    "must not be \"rdp\": what a sample of it costs does not follow from some orders",
                ));
            }
            Part::Parallel => {
                return Err(fields.bad(
                    "kind",
                    "must not be \"parallel\": pass one mechanism, and put the samples into the parts",
                ));
            }
            Part::Plain(kind) => kind,
            Part::Poisson | Part::WithoutReplacement => {
                return Err(fields.bad(
                    "kind",
                    "must not be a sample again: sample once, at the product of the two rates",
                ));
            }
        };
        if fields.get("count").is_some() {
            return Err(
                fields.bad("count", "must stand beside `of`, not in it: each run draws a sample of its own")
            );
        }
        Self::read(&fields, kind, &[], unknown)
    }

    /// Reads the fields of a kind; others than these and `more` are refused.
    pub(super) fn read(
        fields: &Fields<'_>,
        kind: Kind,
        more: &[&str],
        unknown: &mut Unknown,
    ) -> Result<Self, BadSpec> {
        let known: &[&str] = match kind {
            Kind::Gaussian | Kind::DiscreteGaussian => &["kind", "sigma", "sensitivity"],
            Kind::Laplace | Kind::DiscreteLaplace => &["kind", "scale", "sensitivity"],
            Kind::Approx => &["kind", "epsilon", "delta"],
            Kind::Zcdp => &["kind", "rho"],
            Kind::RandomizedResponse => &["kind", "epsilon", "answers"],
            Kind::BoundedRange => &["kind", "range"],
            Kind::Finite => &["kind", "p", "q"],
            Kind::Pure => &["kind", "epsilon"],
            Kind::Gdp => &["kind", "mu"],
            Kind::Renyi => &["kind", "orders"],
        };
        fields.only(&[known, more].concat())?;
        let number = |name: &str, range: Range| {
            fields.number(name, range)?.ok_or_else(|| fields.missing(name, &range.number()))
        };
        let real = || Ok::<_, BadSpec>(fields.number("sensitivity", Range::Positive)?.unwrap_or(1.0));
        let whole = || {
            let shift = fields.whole("sensitivity", 1, u32::MAX.into())?.unwrap_or(1);
            Ok::<_, BadSpec>(u32::try_from(shift).expect("the range was checked"))
        };
        let mut noise = |name: &str| unknown.number(fields, name, Range::Positive);
        Ok(match kind {
            Kind::Gaussian => Self::Gaussian { sigma: noise("sigma")?, sensitivity: real()? },
            Kind::Laplace => Self::Laplace { scale: noise("scale")?, sensitivity: real()? },
            Kind::DiscreteGaussian => {
                Self::DiscreteGaussian { sigma: noise("sigma")?, sensitivity: whole()? }
            }
            Kind::DiscreteLaplace => Self::DiscreteLaplace { scale: noise("scale")?, sensitivity: whole()? },
            Kind::RandomizedResponse => Self::RandomizedResponse {
                epsilon: number("epsilon", Range::NonNegative)?,
                answers: u32::try_from(fields.whole("answers", 2, u32::MAX.into())?.unwrap_or(2))
                    .expect("the range was checked"),
            },
            Kind::BoundedRange => Self::BoundedRange { range: number("range", Range::NonNegative)? },
            Kind::Finite => finite(fields)?,
            Kind::Gdp => Self::Gdp { mu: number("mu", Range::NonNegative)? },
            Kind::Renyi => Self::Renyi(orders(fields)?),
            Kind::Pure => Self::Pure { epsilon: number("epsilon", Range::NonNegative)? },
            Kind::Approx => Self::Approx {
                epsilon: number("epsilon", Range::NonNegative)?,
                delta: number("delta", Range::Probability)?,
            },
            Kind::Zcdp => Self::Zcdp { rho: number("rho", Range::NonNegative)? },
        })
    }

    /// Whether its cost for a group of records follows from that for one.
    pub(super) fn has_groups(&self) -> bool {
        !matches!(self, Self::Finite(_))
    }

    /// The sensitivity, if its noise is to be found: noise is looked for in units of it.
    pub(super) fn unit(&self) -> Option<f64> {
        match *self {
            Self::Gaussian { sigma: None, sensitivity } | Self::Laplace { scale: None, sensitivity } => {
                Some(sensitivity)
            }
            Self::DiscreteGaussian { sigma: None, sensitivity }
            | Self::DiscreteLaplace { scale: None, sensitivity } => Some(sensitivity.into()),
            _ => None,
        }
    }
}

/// The weights of two distributions.
fn finite(fields: &Fields<'_>) -> Result<Mechanism, BadSpec> {
    let [p, q] = [fields.numbers("p", Range::NonNegative)?, fields.numbers("q", Range::NonNegative)?];
    if p.len() != q.len() {
        let says =
            format!("and p have {} and {} entries: list a weight for each outcome in both", q.len(), p.len());
        return Err(fields.bad("q", &says));
    }
    for (name, weights) in [("p", &p), ("q", &q)] {
        let sum: f64 = weights.iter().sum();
        if sum == 0.0 || sum.is_infinite() {
            return Err(
                fields.bad(name, "must have a positive and finite sum: pass weights, such as probabilities")
            );
        }
    }
    match FinitePair::new(&p, &q) {
        Ok(pair) => Ok(Mechanism::Finite(pair)),
        Err(error) => Err(fields.bad("p", &format!("and q are no pair: {error}"))),
    }
}

/// Pairs of an order and a bound, at rising orders.
fn orders(fields: &Fields<'_>) -> Result<Points, BadSpec> {
    let mut points: Vec<(Alpha, Epsilon)> = Vec::new();
    for (node, place) in fields.list("orders", "a list of pairs [α, ε]")? {
        let Node::List(pair) = node else {
            let says = format!("must be a pair [α, ε], but {} was passed", node.describe());
            return Err(BadSpec::new(&place, &says));
        };
        let [alpha, epsilon] = &pair[..] else {
            let says = format!("must be a pair [α, ε], but a list of {} was passed", pair.len());
            return Err(BadSpec::new(&place, &says));
        };
        let alpha = Alpha::saturating(Range::AboveOne.number_at(alpha, &format!("{place}[0]"))?);
        let epsilon = Epsilon::saturating(Range::NonNegative.number_at(epsilon, &format!("{place}[1]"))?);
        if points.last().is_some_and(|(before, _)| *before >= alpha) {
            return Err(BadSpec::new(
                &place,
                "must have a larger order than the pair before it: sort them by order",
            ));
        }
        points.push((alpha, epsilon));
    }
    Points::new(points).map_err(|error| fields.bad("orders", &format!("are no table: {error}")))
}
