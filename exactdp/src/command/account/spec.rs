//! What a spec asks.

use dp_core::{Approx, Delta, Epsilon};

use super::document::Node;
use super::fields::{BadSpec, Fields, Range};
use super::mechanism::{Mechanism, PARTS, Part};

/// A spec that makes sense.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spec {
    pub(super) relation: Relation,
    /// How many records may differ.
    pub(super) group: u32,
    pub(super) steps: Vec<Step>,
    pub(super) asked: Asked,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Asked {
    One(Question),
    /// Some points of a curve.
    Curve(Vec<Question>),
    /// A parameter that meets a target.
    Solve(Solve, Approx),
}

/// A part of a composition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// On all records.
    All(Release),
    /// On each of several parts of the data, which no two share a record, all of these.
    Parallel(Vec<Vec<Release>>),
}

/// The neighbour relation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Relation {
    AddRemove,
    ReplaceOne,
}

/// Runs of a mechanism, on the data or on samples. What is to be found is `None`.
#[derive(Clone, Debug, PartialEq)]
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

/// One number of (ε,δ) at the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Question {
    EpsilonAt(Delta),
    DeltaAt(Epsilon),
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
        fields.only(&["adjacency", "group", "compose", "epsilon", "delta", "solve"])?;
        let relation = fields.word("adjacency", &RELATIONS)?;
        let group = u32::try_from(fields.whole("group", 1, u32::MAX.into())?.unwrap_or(1))
            .expect("the range was checked");
        let asked = Asked::read(&fields)?;
        let solve = match asked {
            Asked::Solve(solve, _) => Some(solve),
            _ => None,
        };
        let mut reader = Reader { relation, group, unknown: Unknown { solve, places: Vec::new() } };
        let steps: Vec<Step> = match fields.need("compose", "a list of mechanisms")? {
            Node::List(list) if list.is_empty() => {
                return Err(fields.bad("compose", "is empty: pass at least one mechanism"));
            }
            Node::List(list) => list
                .iter()
                .enumerate()
                .map(|(k, node)| reader.step(node, format!("compose[{k}]")))
                .collect::<Result<_, _>>()?,
            other => {
                return Err(fields.bad(
                    "compose",
                    &format!("must be a list of mechanisms, but {} was passed", other.describe()),
                ));
            }
        };
        reader.unknown.assert_one(&fields)?;
        let spec = Self { relation, group, steps, asked };
        match spec.alternatives() {
            Some(number) if number <= MOST_ALTERNATIVES => Ok(spec),
            _ => Err(fields.bad(
                "compose",
                &format!(
                    "has more than {MOST_ALTERNATIVES} combinations of parts: merge parts that are alike"
                ),
            )),
        }
    }

    /// In how many ways a record can lie in a part of each parallel step.
    fn alternatives(&self) -> Option<usize> {
        self.steps.iter().try_fold(1usize, |product, step| match step {
            Step::All(_) => Some(product),
            Step::Parallel(parts) => product.checked_mul(parts.len()),
        })
    }
}

/// More combinations of parts than this are not looked at.
const MOST_ALTERNATIVES: usize = 1000;

impl Asked {
    fn read(fields: &Fields<'_>) -> Result<Self, BadSpec> {
        let is_list = |name: &str| matches!(fields.get(name), Some(Node::List(_)));
        let (name, other) = match (is_list("epsilon"), is_list("delta")) {
            (false, false) => return Self::read_numbers(fields),
            (true, _) => ("epsilon", "delta"),
            (_, true) => ("delta", "epsilon"),
        };
        for besides in [other, "solve"] {
            if fields.get(besides).is_some() {
                return Err(
                    fields.bad(besides, &format!("must not be given beside a list of {name}: leave it out"))
                );
            }
        }
        let questions = if name == "epsilon" {
            let all = fields.numbers(name, Range::NonNegative)?;
            all.into_iter().map(|epsilon| Question::DeltaAt(Epsilon::saturating(epsilon))).collect()
        } else {
            let all = fields.numbers(name, Range::BelowOne)?;
            all.into_iter().map(|delta| Question::EpsilonAt(Delta::saturating(delta))).collect()
        };
        Ok(Self::Curve(questions))
    }

    fn read_numbers(fields: &Fields<'_>) -> Result<Self, BadSpec> {
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
            (None, Some(delta)) => Ok(Self::One(Question::EpsilonAt(delta))),
            (Some(epsilon), None) => Ok(Self::One(Question::DeltaAt(epsilon))),
            (Some(_), Some(_)) => Err(fields.bad(
                "epsilon",
                "and delta are both given: leave out the one to be found, or say what to `solve`",
            )),
            (None, None) => Err(fields.missing("delta", "it to learn epsilon, or epsilon to learn delta")),
        }
    }
}

/// What is known of a spec while its parts are read.
struct Reader {
    relation: Relation,
    group: u32,
    unknown: Unknown,
}

impl Reader {
    fn step(&mut self, node: &Node, place: String) -> Result<Step, BadSpec> {
        let fields = Fields::of(node, place.clone())?;
        if fields.word("kind", &PARTS)? != Part::Parallel {
            return self.release(node, place).map(Step::All);
        }
        fields.only(&["kind", "parts"])?;
        if self.relation != Relation::AddRemove {
            return Err(fields.bad(
                "kind",
                "must not be \"parallel\" under \"replace-one\", where a record may leave one part and enter another: list the two dearest parts in compose",
            ));
        }
        if self.group > 1 {
            return Err(fields.bad(
                "kind",
                "must not be \"parallel\" beside `group`, whose records may lie in several parts: list these parts in compose",
            ));
        }
        if self.unknown.solve.is_some() {
            return Err(
                fields.bad("kind", "must not be \"parallel\" beside `solve`: solve for each part by itself")
            );
        }
        let mut parts = Vec::new();
        for (node, place) in
            fields.list("parts", "a list of lists of mechanisms, one for each part of the data")?
        {
            let Node::List(list) = node else {
                let says = format!("must be a list of mechanisms, but {} was passed", node.describe());
                return Err(BadSpec::new(&place, &says));
            };
            let releases =
                list.iter().enumerate().map(|(k, node)| self.release(node, format!("{place}[{k}]")));
            parts.push(releases.collect::<Result<_, _>>()?);
        }
        Ok(Step::Parallel(parts))
    }

    fn release(&mut self, node: &Node, place: String) -> Result<Release, BadSpec> {
        let fields = Fields::of(node, place)?;
        let (relation, group, unknown) = (self.relation, self.group, &mut self.unknown);
        let alone = |name: &str| {
            let says = format!(
                "must not be {name} beside `group`: what it costs a group does not follow from what it costs one record"
            );
            if group == 1 { Ok(()) } else { Err(fields.bad("kind", &says)) }
        };
        let belongs = |name: &str, to: Relation, instead: &str| {
            let word = to.name();
            let says = format!(
                "must not be {name:?}, which belongs to the adjacency {word:?}: pass that adjacency, or take {instead:?}"
            );
            if relation == to { Ok(()) } else { Err(fields.bad("kind", &says)) }
        };
        let (sampling, mechanism) = match fields.word("kind", &PARTS)? {
            Part::Plain(kind) => {
                let mechanism = Mechanism::read(&fields, kind, &["count"], unknown)?;
                if !mechanism.has_groups() {
                    alone("a finite pair")?;
                }
                (Sampling::All, mechanism)
            }
            Part::Parallel => {
                let says =
                    "must not be \"parallel\" within a part: list the parts of parts beside each other";
                return Err(fields.bad("kind", says));
            }
            Part::Poisson => {
                alone("a sample")?;
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
                alone("a sample")?;
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
        Ok(Release { sampling, mechanism, count })
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
