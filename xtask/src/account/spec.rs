//! What a spec asks.

use dp_core::{Approx, Delta, Epsilon};

use super::document::Node;
use super::fields::{BadSpec, Fields, Range};
use super::mechanism::{Mechanism, PARTS, Part};

/// A spec that makes sense.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spec {
    pub(super) relation: Relation,
    pub(super) releases: Vec<Release>,
    pub(super) question: Question,
}

/// The neighbour relation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Relation {
    AddRemove,
    ReplaceOne,
}

/// Runs of a mechanism, on the data or on samples. What is to be found is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Release {
    pub(super) sampling: Sampling,
    pub(super) mechanism: Mechanism,
    pub(super) count: Option<u64>,
}

/// What the mechanism sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sampling {
    All,
    Poisson { rate: Option<f64> },
    WithoutReplacement { records: u64, batch: u64 },
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Question {
    EpsilonAt(Delta),
    DeltaAt(Epsilon),
    Solve(Solve, Approx),
}

/// A parameter that can be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Solve {
    Sigma,
    Scale,
    Rate,
    Count,
}

const RELATIONS: [(&str, Relation); 2] =
    [("add-remove", Relation::AddRemove), ("replace-one", Relation::ReplaceOne)];

const SOLVES: [(&str, Solve); 4] =
    [("sigma", Solve::Sigma), ("scale", Solve::Scale), ("rate", Solve::Rate), ("count", Solve::Count)];

impl Spec {
    /// Reads a spec.
    pub(super) fn read(node: &Node) -> Result<Self, BadSpec> {
        let fields = Fields::of(node, String::new())?;
        fields.only(&["adjacency", "compose", "epsilon", "delta", "solve"])?;
        let relation = fields.word("adjacency", &RELATIONS)?;
        let question = Question::read(&fields)?;
        let solve = match question {
            Question::Solve(solve, _) => Some(solve),
            _ => None,
        };
        let mut unknown = Unknown { solve, places: Vec::new() };
        let releases = match fields.need("compose", "a list of mechanisms")? {
            Node::List(list) if list.is_empty() => {
                return Err(fields.bad("compose", "is empty: pass at least one mechanism"));
            }
            Node::List(list) => list
                .iter()
                .enumerate()
                .map(|(k, node)| Release::read(node, format!("compose[{k}]"), relation, &mut unknown))
                .collect::<Result<_, _>>()?,
            other => {
                return Err(fields.bad(
                    "compose",
                    &format!("must be a list of mechanisms, but {} was passed", other.describe()),
                ));
            }
        };
        unknown.assert_one(&fields)?;
        Ok(Self { relation, releases, question })
    }
}

impl Question {
    fn read(fields: &Fields<'_>) -> Result<Self, BadSpec> {
        let epsilon = fields.number("epsilon", Range::NonNegative)?.map(Epsilon::saturating);
        let delta = fields.number("delta", Range::BelowOne)?.map(Delta::saturating);
        if fields.get("solve").is_some() {
            let solve = fields.word("solve", &SOLVES)?;
            return match (epsilon, delta) {
                (Some(epsilon), Some(delta)) => Ok(Self::Solve(solve, Approx::from_parts(epsilon, delta))),
                (None, _) => Err(fields.bad("epsilon", "is missing: `solve` needs both epsilon and delta")),
                (_, None) => Err(fields.bad("delta", "is missing: `solve` needs both epsilon and delta")),
            };
        }
        match (epsilon, delta) {
            (None, Some(delta)) => Ok(Self::EpsilonAt(delta)),
            (Some(epsilon), None) => Ok(Self::DeltaAt(epsilon)),
            (Some(_), Some(_)) => Err(fields.bad(
                "epsilon",
                "and delta are both given: leave out the one to be found, or say what to `solve`",
            )),
            (None, None) => Err(fields.missing("delta", "it to learn epsilon, or epsilon to learn delta")),
        }
    }
}

impl Release {
    fn read(node: &Node, place: String, relation: Relation, unknown: &mut Unknown) -> Result<Self, BadSpec> {
        let fields = Fields::of(node, place)?;
        let belongs = |name: &str, to: Relation, instead: &str| {
            let word = to.name();
            let says = format!(
                "must not be {name:?}, which belongs to the adjacency {word:?}: pass that adjacency, or take {instead:?}"
            );
            if relation == to { Ok(()) } else { Err(fields.bad("kind", &says)) }
        };
        let (sampling, mechanism) = match fields.word("kind", &PARTS)? {
            Part::Plain(kind) => (Sampling::All, Mechanism::read(&fields, kind, &["count"], unknown)?),
            Part::Poisson => {
                belongs("poisson", Relation::AddRemove, "without-replacement")?;
                fields.only(&["kind", "rate", "of", "count"])?;
                let rate = unknown.number(&fields, "rate", Range::Probability)?;
                (
                    Sampling::Poisson { rate },
                    Mechanism::read_sampled(
                        fields.need("of", "the mechanism that is run on a sample")?,
                        fields.path("of"),
                        unknown,
                    )?,
                )
            }
            Part::WithoutReplacement => {
                belongs("without-replacement", Relation::ReplaceOne, "poisson")?;
                fields.only(&["kind", "n", "batch", "of", "count"])?;
                let need = |name: &str, least: u64, most: u64| {
                    fields.whole(name, least, most)?.ok_or_else(|| fields.missing(name, "a whole number"))
                };
                let records = need("n", 1, u64::MAX)?;
                let sampling = Sampling::WithoutReplacement { records, batch: need("batch", 1, records)? };
                (
                    sampling,
                    Mechanism::read_sampled(
                        fields.need("of", "the mechanism that is run on a sample")?,
                        fields.path("of"),
                        unknown,
                    )?,
                )
            }
        };
        let count = match fields.whole("count", 0, u64::MAX)? {
            None if unknown.solve == Some(Solve::Count) => unknown.note(&fields, "count"),
            count => count.or(Some(1)),
        };
        Ok(Self { sampling, mechanism, count })
    }
}

/// What is to be found, and where it was missing so far.
pub(super) struct Unknown {
    solve: Option<Solve>,
    places: Vec<String>,
}

impl Unknown {
    /// A number that may be the one to be found.
    pub(super) fn number(
        &mut self,
        fields: &Fields<'_>,
        name: &str,
        range: Range,
    ) -> Result<Option<f64>, BadSpec> {
        match fields.number(name, range)? {
            None if self.solve.is_some_and(|solve| solve.name() == name) => Ok(self.note(fields, name)),
            None => Err(fields.missing(name, &range.number())),
            given => Ok(given),
        }
    }

    fn note<T>(&mut self, fields: &Fields<'_>, name: &str) -> Option<T> {
        self.places.push(fields.path(name));
        None
    }

    fn assert_one(&self, fields: &Fields<'_>) -> Result<(), BadSpec> {
        let Some(solve) = self.solve else { return Ok(()) };
        let name = solve.name();
        match &self.places[..] {
            [_] => Ok(()),
            [] => Err(fields.bad(
                "solve",
                &format!(
                    "asks for {name}, but no part of compose lacks it: leave it out where it is to be found"
                ),
            )),
            [first, second, ..] => Err(fields.bad(
                "solve",
                &format!(
                    "asks for one {name}, but {first} and {second} are both missing: fill in all but one"
                ),
            )),
        }
    }
}

impl Solve {
    /// As it is written.
    pub(super) fn name(self) -> &'static str {
        SOLVES.iter().find(|(_, solve)| *solve == self).expect("all are there").0
    }
}

impl Relation {
    /// As it is written.
    pub(super) fn name(self) -> &'static str {
        RELATIONS.iter().find(|(_, relation)| *relation == self).expect("all are there").0
    }
}
