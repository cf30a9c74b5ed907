//! What the command `exactdp` answers: `cargo install --path exactdp --features cli`.

pub mod account;
