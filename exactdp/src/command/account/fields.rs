//! The fields of an object, each taken with its path.

use std::fmt;

use super::document::Node;

/// What is wrong with a spec, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSpec(String);

impl BadSpec {
    /// A sentence that begins with the place.
    pub(super) fn new(place: &str, says: &str) -> Self {
        let place = if place.is_empty() { "the spec" } else { place };
        Self(format!("{place} {says}"))
    }
}

impl fmt::Display for BadSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSpec {}

/// An object at a place.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    place: String,
    all: &'a [(String, Node)],
}

impl<'a> Fields<'a> {
    /// The fields of a node.
    pub(super) fn of(node: &'a Node, place: String) -> Result<Self, BadSpec> {
        match node {
            Node::Object(all) => Ok(Self { place, all }),
            other => {
                Err(BadSpec::new(&place, &format!("must be an object, but {} was passed", other.describe())))
            }
        }
    }

    /// The path to a field.
    pub(super) fn path(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    /// Refuses fields other than these.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), BadSpec> {
        match self.all.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            Some((name, _)) => {
                Err(self.bad(name, &format!("is not known here: there may be {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// A complaint about a field.
    pub(super) fn bad(&self, name: &str, says: &str) -> BadSpec {
        BadSpec::new(&self.path(name), says)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        self.all.iter().find(|(field, _)| field == name).map(|(_, node)| node)
    }

    /// A field that must be there, and what to pass if it is not.
    pub(super) fn need(&self, name: &str, pass: &str) -> Result<&'a Node, BadSpec> {
        self.get(name).ok_or_else(|| self.missing(name, pass))
    }

    /// Says that a field is not there, and what it would be.
    pub(super) fn missing(&self, name: &str, pass: &str) -> BadSpec {
        self.bad(name, &format!("is missing: pass {pass}"))
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, BadSpec> {
        let list = || {
            let list: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            format!("one of {}", list.join(", "))
        };
        let node = self.get(name).ok_or_else(|| self.missing(name, &list()))?;
        let meant = match node {
            Node::Text(text) => words.iter().find(|(word, _)| word == text),
            _ => None,
        };
        meant
            .map(|(_, value)| *value)
            .ok_or_else(|| self.bad(name, &format!("must be {}, but {} was passed", list(), node.describe())))
    }

    /// A number in a range, if it is there.
    pub(super) fn number(&self, name: &str, range: Range) -> Result<Option<f64>, BadSpec> {
        self.get(name).map(|node| range.number_at(node, &self.path(name))).transpose()
    }

    /// A list that is not empty and not too long, and what to pass if there is none: its nodes,
    /// with their places.
    pub(super) fn list(&self, name: &str, pass: &str) -> Result<Vec<(&'a Node, String)>, BadSpec> {
        match self.need(name, pass)? {
            Node::List(list) if list.is_empty() => {
                Err(self.bad(name, &format!("is empty: pass {pass}, with at least one in it")))
            }
            Node::List(list) if list.len() > MOST_IN_LIST => {
                Err(self.bad(name, &format!("has {} in it: pass at most {MOST_IN_LIST}", list.len())))
            }
            Node::List(list) => Ok(list
                .iter()
                .enumerate()
                .map(|(k, node)| (node, format!("{}[{k}]", self.path(name))))
                .collect()),
            other => Err(self.bad(name, &format!("must be {pass}, but {} was passed", other.describe()))),
        }
    }

    /// A list of numbers in a range.
    pub(super) fn numbers(&self, name: &str, range: Range) -> Result<Vec<f64>, BadSpec> {
        let list = self.list(name, &format!("a list of numbers from {}", range.described().0))?;
        list.iter().map(|(node, place)| range.number_at(node, place)).collect()
    }

    /// A whole number from `least` to `most`, if it is there.
    pub(super) fn whole(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, BadSpec> {
        let Some(node) = self.get(name) else { return Ok(None) };
        let value = match node {
            Node::Whole(value) => Some(*value),
            // 1e4 is a whole number, too.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole, and below 2⁵³
            Node::Number(value) if (0.0..9e15).contains(value) && value.fract() == 0.0 => Some(*value as u64),
            _ => None,
        };
        value.filter(|value| (least..=most).contains(value)).map(Some).ok_or_else(|| {
            self.bad(
                name,
                &format!("must be a whole number from {least} to {most}, but {} was passed", node.describe()),
            )
        })
    }
}

/// Longer lists are not read.
const MOST_IN_LIST: usize = 10_000;

/// Where a number must lie.
#[derive(Clone, Copy, Debug)]
pub(super) enum Range {
    Positive,
    AboveOne,
    NonNegative,
    Probability,
    BelowOne,
}

impl Range {
    /// What a number from it is called.
    pub(super) fn number(self) -> String {
        format!("a number from {}", self.described().0)
    }

    /// A number from it.
    pub(super) fn number_at(self, node: &Node, place: &str) -> Result<f64, BadSpec> {
        let value = match node {
            #[allow(clippy::cast_precision_loss)] // the nearest float, as for all numbers
            Node::Whole(value) => *value as f64,
            Node::Number(value) => *value,
            Node::Text(_) => {
                let says = "was passed: write it without quotation marks, and with a decimal point";
                return Err(BadSpec::new(
                    place,
                    &format!("must be a number, but {} {says}", node.describe()),
                ));
            }
            _ => {
                let says = format!("must be a number, but {} was passed", node.describe());
                return Err(BadSpec::new(place, &says));
            }
        };
        let (allowed, contains) = self.described();
        if contains(value) {
            Ok(value)
        } else {
            Err(BadSpec::new(place, &format!("must lie in {allowed}, but {} was passed", node.describe())))
        }
    }

    fn described(self) -> (&'static str, fn(f64) -> bool) {
        match self {
            Self::Positive => ("(0, ∞)", |value| value > 0.0 && value.is_finite()),
            Self::AboveOne => ("(1, ∞)", |value| value > 1.0 && value.is_finite()),
            Self::NonNegative => ("[0, ∞)", |value| value >= 0.0 && value.is_finite()),
            Self::Probability => ("[0, 1]", |value| (0.0..=1.0).contains(&value)),
            Self::BelowOne => ("[0, 1)", |value| (0.0..1.0).contains(&value)),
        }
    }
}
