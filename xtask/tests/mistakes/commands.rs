//! What is mistyped on the command line.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::Mistake;

const STEPS: &str = r#""adjacency": "add-remove", "compose": [{"kind": "gaussian", "sigma": 2}]"#;

pub(crate) fn mistakes() -> Result<Vec<Mistake>> {
    let with = |rest: &str| format!("{{{STEPS}, {rest}}}");
    let sampled = |adjacency: &str, sample: &str| {
        format!(
            r#"{{"adjacency": "{adjacency}", "delta": 1e-6, "compose": [{{{sample}, "of": {{"kind": "pure", "epsilon": 1}}}}]}}"#
        )
    };
    let solve = r#"{"adjacency": "add-remove", "solve": "sigma", "epsilon": 1, "delta": 1e-6, "compose": [{"kind": "gaussian"}, {"kind": "pure", "epsilon": 2}]}"#;
    Ok(vec![
        refused("A claim that there is not.", "verify M99")?,
        refused("Two lengths of a verification.", "verify --quick --full")?,
        refused("A misspelt command.", "verfy")?,
        refused("A spec that is not there.", "account spce.json")?,
        refused("An accuracy with a decimal comma.", "account --accuracy 0,1 spec.json")?,
        spec("A number with a decimal comma.", &with(r#""delta": 1,0"#))?,
        spec("A number as text.", &with(r#""delta": "1,0""#))?,
        spec("A word that JSON does not know.", &with(r#""delta": NaN"#))?,
        spec("A misspelt field.", &with(r#""detla": 1e-6"#))?,
        spec("Nothing is asked for.", &format!("{{{STEPS}}}"))?,
        spec("Both numbers are given.", &with(r#""epsilon": 1, "delta": 1e-6"#))?,
        spec("No neighbour relation.", r#"{"compose": [], "delta": 1e-6}"#)?,
        spec(
            "Noise is missing.",
            r#"{"adjacency": "add-remove", "compose": [{"kind": "gaussian"}], "delta": 1e-6}"#,
        )?,
        spec("A sampling rate above one.", &sampled("add-remove", r#""kind": "poisson", "rate": 1.5"#))?,
        spec(
            "A batch larger than the data.",
            &sampled("replace-one", r#""kind": "without-replacement", "n": 100, "batch": 200"#),
        )?,
        spec(
            "Sampling under the wrong relation.",
            &sampled("replace-one", r#""kind": "poisson", "rate": 0.1"#),
        )?,
        spec("A target that cannot be met.", solve)?,
    ])
}

/// A spec and the command that reads it.
fn spec(what: &str, spec: &str) -> Result<Mistake> {
    std::fs::write("spec.json", spec)?;
    let made = refused(what, "account spec.json")?;
    let typed = format!("$ cat spec.json\n{spec}\n{}", made.typed);
    Ok(Mistake { typed, ..made })
}

/// A command that must end with an error.
fn refused(what: &str, arguments: &str) -> Result<Mistake> {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments.split(' ')).output()?;
    ensure!(!output.status.success() && output.stdout.is_empty(), "{arguments}: {output:?}");
    let printed = String::from_utf8(output.stderr)?;
    Ok(Mistake::new(what, &format!("$ cargo xtask {arguments}"), printed))
}
