//! Notions that can be written down.

use dp_core::{Approx, Gdp, Guarantee, Pure, Rdp, Zcdp};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A notion with a name, whose values survive the disk.
///
/// # Contract
/// No two notions have the same name. What is written reads back as an equal value; a ledger checks
/// that before it writes.
pub trait Recorded: Guarantee + Serialize + DeserializeOwned {
    /// The name of the notion in a ledger.
    const NAME: &'static str;
}

impl Recorded for Pure {
    const NAME: &'static str = "pure";
}

impl Recorded for Approx {
    const NAME: &'static str = "approximate";
}

impl Recorded for Zcdp {
    const NAME: &'static str = "zero-concentrated";
}

impl Recorded for Rdp {
    const NAME: &'static str = "Rényi";
}

impl Recorded for Gdp {
    const NAME: &'static str = "Gaussian";
}
