//! Differentially private learning.
//!
//! This crate is empty so far. It will hold gradient descent with the a_h schedule, DP-SGD, regression from private statistics, and the planners
//! that choose their parameters. `dp-core`, `dp-mechanisms`, `dp-sensitivity` and `dp-accounting` do not depend on it.
