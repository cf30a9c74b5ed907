//! What tests and claims compare with: hostile neighbours, and ladders by listing all data sets.

#[cfg(test)]
pub(crate) mod attack;
pub(crate) mod brute;
pub(crate) mod jump;
#[cfg(test)]
mod root_ladder_brute;
