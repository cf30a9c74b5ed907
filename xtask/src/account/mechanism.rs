//! A mechanism as a spec describes it. A parameter that is to be found is `None`.

use super::document::Node;
use super::fields::{BadSpec, Fields, Range};
use super::spec::Unknown;

/// What is run on the data, or on a sample of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mechanism {
    Gaussian { sigma: Option<f64>, sensitivity: f64 },
    Laplace { scale: Option<f64>, sensitivity: f64 },
    DiscreteGaussian { sigma: Option<f64>, sensitivity: u32 },
    DiscreteLaplace { scale: Option<f64>, sensitivity: u32 },
    RandomizedResponse { epsilon: f64 },
    Pure { epsilon: f64 },
    Approx { epsilon: f64, delta: f64 },
    Zcdp { rho: f64 },
}

/// The kinds of mechanisms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Gaussian,
    Laplace,
    DiscreteGaussian,
    DiscreteLaplace,
    RandomizedResponse,
    Pure,
    Approx,
    Zcdp,
}

/// What a part of a composition may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Plain(Kind),
    Poisson,
    WithoutReplacement,
}

/// As they are written.
pub(super) const PARTS: [(&str, Part); 10] = [
    ("gaussian", Part::Plain(Kind::Gaussian)),
    ("laplace", Part::Plain(Kind::Laplace)),
    ("discrete-gaussian", Part::Plain(Kind::DiscreteGaussian)),
    ("discrete-laplace", Part::Plain(Kind::DiscreteLaplace)),
    ("randomized-response", Part::Plain(Kind::RandomizedResponse)),
    ("pure", Part::Plain(Kind::Pure)),
    ("approx", Part::Plain(Kind::Approx)),
    ("zcdp", Part::Plain(Kind::Zcdp)),
    ("poisson", Part::Poisson),
    ("without-replacement", Part::WithoutReplacement),
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
            Kind::RandomizedResponse | Kind::Pure => &["kind", "epsilon"],
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
            Kind::RandomizedResponse => {
                Self::RandomizedResponse { epsilon: number("epsilon", Range::NonNegative)? }
            }
            Kind::Pure => Self::Pure { epsilon: number("epsilon", Range::NonNegative)? },
            Kind::Approx => Self::Approx {
                epsilon: number("epsilon", Range::NonNegative)?,
                delta: number("delta", Range::Probability)?,
            },
            Kind::Zcdp => Self::Zcdp { rho: number("rho", Range::NonNegative)? },
        })
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
