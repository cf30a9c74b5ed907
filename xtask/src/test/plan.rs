//! What a change must pass, in the order in which failures are cheapest to see.

use super::component::Component::{Clippy, Rustfmt};
use super::step::Step;
use crate::workspace::Library;

/// All steps. `dp-bench` stands apart because its `peers` feature builds other people's libraries, which a test run must not wait for.
pub(super) fn steps(libraries: &[Library]) -> Vec<Step> {
    let mut steps = vec![
        Step::cargo("fmt --all --check").needing(Rustfmt),
        Step::cargo("clippy --workspace --all-targets --all-features --exclude dp-bench -- -D warnings")
            .needing(Clippy),
        Step::cargo("clippy -p dp-bench --all-targets -- -D warnings").needing(Clippy),
        Step::cargo("test --workspace --all-features --exclude dp-bench"),
        Step::cargo("test -p dp-bench"),
        Step::cargo("doc --workspace --no-deps --all-features --exclude dp-bench")
            .with_variable("RUSTDOCFLAGS", "-D warnings"),
    ];
    steps.extend(libraries.iter().flat_map(alone));
    steps
}

/// A library as a user gets it who takes nothing else: by default, without features, and with each feature alone. In a build of the
/// whole workspace features of one crate leak into another and hide what is missing.
fn alone(library: &Library) -> Vec<Step> {
    let build = format!("build -p {}", library.name);
    let mut steps = vec![Step::cargo(&build)];
    if !library.features.is_empty() {
        steps.push(Step::cargo(&format!("{build} --no-default-features")));
    }
    steps.extend(
        library
            .features
            .iter()
            .map(|feature| Step::cargo(&format!("{build} --no-default-features --features {feature}"))),
    );
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_built_in_every_shape() {
        let library = Library { name: "dp-core".into(), features: vec!["serde".into(), "std".into()] };
        let lines: Vec<_> = alone(&library).iter().map(Step::to_string).collect();
        assert_eq!(
            lines,
            [
                "cargo build -p dp-core",
                "cargo build -p dp-core --no-default-features",
                "cargo build -p dp-core --no-default-features --features serde",
                "cargo build -p dp-core --no-default-features --features std",
            ]
        );
        assert_eq!(alone(&Library { name: "dp-ml".into(), features: vec![] }).len(), 1);
    }

    #[test]
    fn the_peers_are_never_built() {
        for step in steps(&[]) {
            let line = step.to_string();
            assert!(!line.contains("--all-features") || line.contains("--exclude dp-bench"), "{line}");
        }
    }
}
