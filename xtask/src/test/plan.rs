//! What a change must pass, in the order in which failures are cheapest to see.

use std::path::PathBuf;

use super::component::Component::{Clippy, Deny, Rustfmt};
use super::step::Step;
use crate::workspace::{self, Library};

/// All steps. Every feature of the libraries is on, but not those of `dp-bench`: its `peers` builds
/// other people's libraries, which a test run must not wait for.
pub(super) fn steps(libraries: &[Library], examples: &[String]) -> Vec<Step> {
    let of = |library: &Library| {
        let name = library.name.clone();
        library.features.clone().into_iter().map(move |feature| format!("{name}/{feature}"))
    };
    let features = libraries.iter().flat_map(of).collect::<Vec<_>>().join(",");
    let mut steps = vec![
        Step::cargo("fmt --all --check").needing(Rustfmt),
        Step::cargo("deny check licenses bans sources").needing(Deny),
        Step::cargo(&format!("clippy --workspace --all-targets --features {features} -- -D warnings"))
            .needing(Clippy),
        Step::cargo(&format!("test --workspace --features {features}")),
    ];
    steps.extend(examples.iter().filter(|name| *name != NEEDS_MNIST).map(|name| example(name)));
    steps.push(
        Step::cargo("doc --workspace --no-deps --all-features --exclude dp-bench")
            .with_variable("RUSTDOCFLAGS", "-D warnings"),
    );
    steps.extend(libraries.iter().flat_map(alone));
    steps
}

/// Where the example of a ledger keeps it. A ledger of an earlier run would be spent some day.
pub(super) fn ledger() -> PathBuf {
    workspace::target().join("ages.ledger")
}

/// The only example that is not run: its images are not shipped.
const NEEDS_MNIST: &str = "images";

/// An example as a reader runs it first: without arguments, but for those that want a file.
fn example(name: &str) -> Step {
    let file = match name {
        "ledger" => Some(ledger()),
        "release_statistics" => Some(workspace::root().join("exactdp/examples/people.csv")),
        _ => None,
    };
    Step::example(name, file.as_deref())
}

/// A library as a user gets it who takes nothing else: by default, without features, and with each
/// feature alone. In a build of the whole workspace features of one crate leak into another and
/// hide what is missing, or of no use.
fn alone(library: &Library) -> Vec<Step> {
    let with = |features: &str| {
        Step::cargo(&format!("clippy -p {}{features} -- -D warnings", library.name)).needing(Clippy)
    };
    let mut steps = vec![with("")];
    if !library.features.is_empty() {
        steps.push(with(" --no-default-features"));
    }
    let single = |feature: &String| with(&format!(" --no-default-features --features {feature}"));
    steps.extend(library.features.iter().map(single));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_checked_in_every_shape() {
        let library = Library { name: "dp-core".into(), features: vec!["serde".into(), "std".into()] };
        let lines: Vec<_> = alone(&library).iter().map(Step::to_string).collect();
        assert_eq!(
            lines,
            [
                "cargo clippy -p dp-core -- -D warnings",
                "cargo clippy -p dp-core --no-default-features -- -D warnings",
                "cargo clippy -p dp-core --no-default-features --features serde -- -D warnings",
                "cargo clippy -p dp-core --no-default-features --features std -- -D warnings",
            ]
        );
        assert_eq!(alone(&Library { name: "dp-ml".into(), features: vec![] }).len(), 1);
    }

    #[test]
    fn every_example_is_run_but_one() {
        let examples = workspace::examples().unwrap();
        let lines: Vec<_> = steps(&[], &examples).iter().map(Step::to_string).collect();
        let run = |name: &String| {
            let program = format!("target/debug/examples/{name}");
            lines.iter().any(|line| line.split(' ').next() == Some(&program))
        };
        let left_out: Vec<_> = examples.iter().filter(|name| !run(name)).collect();
        assert!(examples.len() > 10 && left_out == [NEEDS_MNIST], "{left_out:?}");
    }

    #[test]
    fn the_peers_are_never_built() {
        let library = Library { name: "dp-core".into(), features: vec!["serde".into(), "std".into()] };
        let lines: Vec<_> = steps(&[library], &[]).iter().map(Step::to_string).collect();
        for line in &lines {
            assert!(!line.contains("--all-features") || line.contains("--exclude dp-bench"), "{line}");
            assert!(!line.contains("peers"), "{line}");
        }
        assert!(
            lines.contains(&"cargo test --workspace --features dp-core/serde,dp-core/std".into()),
            "{lines:?}"
        );
    }
}
