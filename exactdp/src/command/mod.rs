//! What the command `exactdp` answers: `cargo install --path exactdp --features cli`.

pub mod account;
#[cfg(feature = "cli")]
pub mod ledger;
#[cfg(feature = "cli")]
pub mod query;
