//! Throughput of the workspace beside its physical floors.
//!
//! `cargo bench -p dp-bench` runs the benches. They are read as *ratios* to a floor that is measured in the same run, because machines differ and are
//! noisy: the floor of a noise draw is the generator that feeds it.
