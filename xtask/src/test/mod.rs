//! `cargo xtask test`: the one test command. What passes here passes anywhere.

mod component;
mod plan;
mod step;

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::component::Component;
use self::step::Step;
use crate::workspace;

/// Runs every step in order and stops at the first that fails.
///
/// # Errors
/// When a step fails, or when a component of the toolchain is missing and this is a build server.
pub fn run() -> Result<()> {
    let steps = plan::steps(&workspace::libraries()?, &workspace::examples()?);
    match std::fs::remove_file(plan::ledger()) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", plan::ledger().display()));
        }
        _ => {}
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    let outcomes = execute(&steps, in_ci, Component::is_installed, Step::passes)?;
    println!("\n{}", summary(&steps, &outcomes));
    Ok(())
}

/// What became of a step that did not fail.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Passed(Duration),
    Skipped,
}

/// The loop of [`run`], with the outside world passed in.
fn execute(
    steps: &[Step],
    in_ci: bool,
    is_installed: impl Fn(Component) -> bool,
    mut passes: impl FnMut(&Step) -> Result<bool>,
) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let position = format!("step {} of {}", index + 1, steps.len());
        println!("\n[{position}] {step}");
        if let Some(missing) = step.needs.filter(|component| !is_installed(*component)) {
            if in_ci && missing.is_required() {
                bail!("{position} cannot run, and a build server must run it: {}", missing.notice());
            }
            println!("skipped: {}", missing.notice());
            outcomes.push(Outcome::Skipped);
            continue;
        }
        let start = Instant::now();
        let passed = passes(step)?;
        let took = start.elapsed();
        if !passed {
            let seconds = took.as_secs_f64();
            bail!(
                "{position} failed after {seconds:.1} s: {step}; mend what it says above, then run `cargo xtask test` again"
            );
        }
        println!("passed in {:.1} s", took.as_secs_f64());
        outcomes.push(Outcome::Passed(took));
    }
    Ok(outcomes)
}

/// One line per step, the total, and a last line that says it all.
fn summary(steps: &[Step], outcomes: &[Outcome]) -> String {
    let mut lines = Vec::new();
    let (mut total, mut skipped) = (Duration::ZERO, 0);
    for (step, outcome) in steps.iter().zip(outcomes) {
        match outcome {
            Outcome::Passed(took) => {
                total += *took;
                lines.push(format!("{:>7.1} s  {step}", took.as_secs_f64()));
            }
            Outcome::Skipped => {
                skipped += 1;
                lines.push(format!("{:>9}  {step}", "skipped"));
            }
        }
    }
    lines.push(format!("{:>7.1} s  {} steps", total.as_secs_f64(), outcomes.len()));
    lines.push(match skipped {
        0 => "all steps passed".to_owned(),
        _ => format!("all steps that ran passed, but {skipped} of {} were skipped", outcomes.len()),
    });
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_steps() -> Vec<Step> {
        vec![Step::cargo("fmt --all --check").needing(Component::Rustfmt), Step::cargo("test")]
    }

    #[test]
    fn the_first_failure_stops_the_run_and_is_named() {
        let mut ran = 0;
        let error = execute(
            &two_steps(),
            true,
            |_| true,
            |_| {
                ran += 1;
                Ok(false)
            },
        )
        .unwrap_err();
        assert_eq!(ran, 1);
        assert!(
            error.to_string().starts_with("step 1 of 2 failed after 0.0 s: cargo fmt --all --check;"),
            "{error}"
        );
    }

    #[test]
    fn a_missing_component_skips_its_step_but_not_on_a_build_server() {
        let steps = two_steps();
        let outcomes = execute(&steps, false, |_| false, |_| Ok(true)).unwrap();
        assert_eq!(outcomes[0], Outcome::Skipped);
        assert!(matches!(outcomes[1], Outcome::Passed(_)));
        assert!(summary(&steps, &outcomes).ends_with("\nall steps that ran passed, but 1 of 2 were skipped"));

        let error = execute(&steps, true, |_| false, |_| Ok(true)).unwrap_err().to_string();
        assert!(error.contains("rustup component add rustfmt"), "{error}");
    }

    #[test]
    fn a_build_server_may_lack_cargo_deny() {
        let steps = vec![Step::cargo("deny check").needing(Component::Deny), Step::cargo("test")];
        let outcomes = execute(&steps, true, |_| false, |_| Ok(true)).unwrap();
        assert_eq!(outcomes[0], Outcome::Skipped);
        assert!(Component::Deny.notice().contains("cargo install --locked cargo-deny"));
    }

    #[test]
    fn a_full_success_ends_in_a_plain_line() {
        let steps = two_steps();
        let outcomes = execute(&steps, true, |_| true, |_| Ok(true)).unwrap();
        assert!(summary(&steps, &outcomes).ends_with("\nall steps passed"));
    }
}
