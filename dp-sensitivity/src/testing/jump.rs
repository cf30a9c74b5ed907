//! A query that is as sensitive as can be at one place and not at all elsewhere: a touchstone for
//! tests and claims.

use dp_core::{AddRemove, Error, Finite, L1, Query, Sensitivity, SensitivityIn};

use crate::LocalSensitivity;

/// 1000 if a number from 0 to n, which one step changes by one, has come to n/2, and 0 before; and
/// the number itself on top of that, where it is sloping.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    most: u64,
    slope: f64,
}

impl Jump {
    /// By how much the answer jumps.
    pub const HEIGHT: f64 = 1000.0;

    /// Flat on both sides of the jump.
    #[must_use]
    pub const fn new(most: u64) -> Self {
        Self { most, slope: 0.0 }
    }

    /// With the number itself on top of that.
    #[must_use]
    pub const fn sloping(most: u64) -> Self {
        Self { most, slope: 1.0 }
    }

    /// How many steps lead to a number from which one step changes the answer.
    #[must_use]
    pub const fn steps_to_the_edge(self, ones: u64) -> u64 {
        let edge = self.most / 2;
        if ones >= edge { ones - edge } else { edge - 1 - ones }
    }
}

impl Query for Jump {
    type Data = u64;
    type Answer = Finite;
    type Adjacency = AddRemove;

    fn answer(&self, ones: &u64) -> Result<Finite, Error> {
        #[allow(clippy::cast_precision_loss)] // small
        let ramp = self.slope * *ones as f64;
        Ok(Finite::or_zero(ramp + if *ones >= self.most / 2 { Self::HEIGHT } else { 0.0 }))
    }
}

impl SensitivityIn<L1> for Jump {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(self.slope + Self::HEIGHT).expect("a number")
    }
}

impl LocalSensitivity for Jump {
    fn local_at_distance(&self, ones: &u64, distance: u64) -> Result<f64, Error> {
        Ok(self.slope + if distance >= self.steps_to_the_edge(*ones) { Self::HEIGHT } else { 0.0 })
    }
}
