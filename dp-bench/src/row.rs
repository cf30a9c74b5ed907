//! What is measured, beside what, and what is asked of it.

use serde::Serialize;

use crate::{Peer, Work};

/// The part of the workspace that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// Exact samplers.
    Samplers,
    /// Noise on answers.
    Mechanisms,
    /// The best of many.
    Selection,
    /// Smooth sensitivities.
    Sensitivity,
    /// What compositions cost.
    Accounting,
    /// Training.
    Learning,
}

impl Area {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Samplers,
        Self::Mechanisms,
        Self::Selection,
        Self::Sensitivity,
        Self::Accounting,
        Self::Learning,
    ];
}

/// Makes the work when it is wanted: some of it holds a lot of memory.
pub type Make = Box<dyn Fn() -> Work>;

/// One piece of our work, with a floor that does less, and a peer that does the same.
pub struct Row {
    /// Where it belongs.
    pub area: Area,
    /// What is done.
    pub name: String,
    /// What a time is the time of.
    pub unit: &'static str,
    /// Our work.
    pub ours: Make,
    /// The work that a machine needs for something like it at the least, and what that is.
    pub floor: Option<(&'static str, Make)>,
    /// The same work by a peer in this process, where it was built.
    pub peer: Option<(&'static str, Work)>,
    /// What is asked of the row.
    pub limits: Limits,
}

/// What is asked of a row; each may be absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Limits {
    /// The largest quotient of our time and that of the floor.
    pub at_most_floors: Option<f64>,
    /// The least quotient of the peer's time and ours.
    pub at_least_times_faster: Option<f64>,
    /// The largest time in nanoseconds.
    pub at_most_ns: Option<f64>,
}

impl Row {
    /// A row without a floor, a peer, or limits.
    pub fn new(
        area: Area,
        name: impl Into<String>,
        unit: &'static str,
        ours: impl Fn() -> Work + 'static,
    ) -> Self {
        let (name, ours) = (name.into(), Box::new(ours));
        Self { area, name, unit, ours, floor: None, peer: None, limits: Limits::default() }
    }

    /// The row beside a floor.
    #[must_use]
    pub fn floor(self, name: &'static str, floor: impl Fn() -> Work + 'static) -> Self {
        Self { floor: Some((name, Box::new(floor))), ..self }
    }

    /// The row beside opendp, where that was built; it must be faster by this factor.
    #[must_use]
    pub fn beside(self, at_least: f64, peer: Peer) -> Self {
        Self { peer: peer.work().map(|work| ("opendp", work)), ..self }.times_faster(at_least)
    }

    /// The row that may take as long as this many of its floors.
    #[must_use]
    pub fn at_most(mut self, floors: f64) -> Self {
        self.limits.at_most_floors = Some(floors);
        self
    }

    /// The row that must be faster than its peer by this factor; the peer may be another process.
    #[must_use]
    pub fn times_faster(mut self, times: f64) -> Self {
        self.limits.at_least_times_faster = Some(times);
        self
    }

    /// The row that may take this many nanoseconds.
    #[must_use]
    pub fn within_ns(mut self, nanoseconds: f64) -> Self {
        self.limits.at_most_ns = Some(nanoseconds);
        self
    }
}
