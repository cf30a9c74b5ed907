//! `exactdp account`, in this workspace also `cargo xtask account`: what a composition of private
//! releases costs, or how to make it fit.
//!
//! A spec is a JSON object:
//!
//! | field | holds |
//! |---|---|
//! | `adjacency` | `"add-remove"` or `"replace-one"` |
//! | `group` | how many records may differ, as those of one household do; 1 where it is missing |
//! | `compose` | what is released, see below |
//! | `delta` or `epsilon` | the one at which the other is asked for, or a list of them: then the answer is a curve |
//! | `solve` | `"sigma"`, `"scale"`, `"rate"` or `"count"`: what to find, given both `epsilon` and `delta`; one part of `compose` must lack it |
//!
//! | kind | fields | under |
//! |---|---|---|
//! | `gaussian` | `sigma`, `sensitivity` | both |
//! | `laplace` | `scale`, `sensitivity` | both |
//! | `discrete-gaussian`, `discrete-laplace` | as these; `sensitivity` is a whole number | both |
//! | `randomized-response` | `epsilon`, `answers`: between how many, 2 where it is missing | both |
//! | `bounded-range` | `range`: the span of the losses; ε for the exponential mechanism of ε | both |
//! | `finite` | `p`, `q`: the weights of all outcomes on one data set and on its worst neighbour | both |
//! | `pure` | `epsilon` | both |
//! | `approx` | `epsilon`, `delta` | both |
//! | `gdp` | `mu` | both |
//! | `zcdp` | `rho` | both |
//! | `rdp` | `orders`: pairs [α, ε] at rising orders, bounds on Rényi divergences | both |
//! | `poisson` | `rate`, `of` | `add-remove` |
//! | `without-replacement` | `n`, `batch`, `of` | `replace-one` |
//! | `parallel` | `parts`: a list of mechanisms for each part of the data | `add-remove` |
//!
//! Each but `parallel` has a `count`, and `count` and `sensitivity` are 1 where they are missing.
//! What is sampled (`of`) has no count and is not sampled itself. Sensitivities are those under the
//! stated adjacency.
//!
//! The parts of `parallel` share no record, and which part a record lies in depends on that record
//! alone. One record more or less changes one part, so the dearest part counts, together with all
//! else in `compose`. The parts of two `parallel` steps are taken to have nothing to do with each
//! other. Under `replace-one` a record may leave one part and enter another: list both in
//! `compose`.
//!
//! For a `group` a sensitivity, a μ and a range grow in proportion, and other guarantees by the law
//! of their notion. The lower end of an answer is then that of what is proven about the group. What
//! samples and finite pairs cost a group does not follow from what they cost one record, and is
//! refused.
//!
//! A number is the float nearest to what is written; one that is nearest to 0 and is not 0, or
//! beyond all floats, is refused. Noise and sensitivity meet in a quotient that is rounded up: the
//! upper end of an answer covers the mechanism, and the lower end is that of a mechanism whose
//! quotient is larger by one unit in the last place at most.
//!
//! The answer, with `--json`:
//! `{"epsilon":{"lower":…,"upper":…},"delta":…,"method":…,"rdp_upper":…,"guess":…,"seconds":…}`, or
//! `"epsilon":…,"delta":{"lower":…,"upper":…}` when ε was given, or with
//! `"sigma":…,"fails":…,"epsilon":…,"delta":…` when σ was asked for: `fails` is a value close by at
//! which the target is missed, and `null` when there is none. A curve is
//! `{"curve":[{"epsilon":…,"delta":…,"method":…,"rdp_upper":…},…],"seconds":…}`. Where the ends are
//! farther apart than the accuracy that was asked for, `wide_because` says why. Beside more than 16
//! parts there is no `rdp_upper` and no `guess`, which is how often an adversary at most guesses
//! right which of two neighbours the data are. `method` is `"closed-form"`, `"pld"` (privacy
//! losses) or `"rdp"`. JSON has no infinity: where a number is infinite, it is the text
//! `"infinity"`.
//!
//! The exit code is 0, or 2 for a bad spec, with a message that names the place.

mod answer;
mod document;
mod event;
mod fields;
mod mechanism;
mod report;
mod spec;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};

pub use self::fields::BadSpec;
use self::spec::Spec;

/// Specs to start from.
pub const EXAMPLES: &str = r#"Specs are JSON objects. What 10,000 steps of DP-SGD and five Laplace releases (scale = sensitivity/ε) cost at δ = 1e-6:

  {"adjacency": "add-remove",
   "compose": [{"kind": "poisson", "rate": 0.01, "of": {"kind": "gaussian", "sigma": 1.0}, "count": 10000},
               {"kind": "laplace", "scale": 20, "sensitivity": 1, "count": 5}],
   "delta": 1e-6}

The least noise of such steps for (3, 1e-5):

  {"adjacency": "add-remove", "solve": "sigma",
   "compose": [{"kind": "poisson", "rate": 0.01, "of": {"kind": "gaussian"}, "count": 10000}],
   "epsilon": 3, "delta": 1e-5}

A curve, of two selections and the means of two groups of people who share nobody:

  {"adjacency": "add-remove",
   "compose": [{"kind": "bounded-range", "range": 0.5, "count": 2},
               {"kind": "parallel", "parts": [[{"kind": "laplace", "scale": 10}], [{"kind": "gdp", "mu": 0.1}]]}],
   "epsilon": [0, 0.5, 1, 1.5]}

Other kinds: discrete-gaussian, discrete-laplace, randomized-response, finite, pure, approx, zcdp, rdp, and without-replacement (n, batch, of) under "replace-one".
"group": 4 asks what four records cost together.
`cargo doc -p exactdp --features cli --open` has all fields: see the module `command::account`."#;

/// What to account for.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// A file with the spec; standard input when it is missing or -
    spec: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// The relative width of the answer to aim at
    #[arg(long, default_value_t = dp_accounting::DEFAULT_ACCURACY, value_parser = accuracy)]
    accuracy: f64,
}

/// Answers the spec on standard output. A bad one ends with code 2.
///
/// # Errors
/// When the spec cannot be read or the answer not be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    let text = match &options.spec {
        Some(path) if path != Path::new("-") => std::fs::read(path).with_context(|| {
            format!("cannot read {}: check that it exists and is yours to read", path.display())
        })?,
        _ => {
            let mut text = Vec::new();
            std::io::stdin().read_to_end(&mut text).context("cannot read standard input")?;
            text
        }
    };
    match respond(&text, options.json, options.accuracy) {
        Ok(response) => {
            std::io::stdout().write_all(response.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Err(bad) => {
            eprintln!("error: {bad}");
            Ok(ExitCode::from(2))
        }
    }
}

/// The answer to a spec, as JSON or for people.
///
/// # Errors
/// [`BadSpec`] where the spec makes no sense.
pub fn respond(text: &[u8], json: bool, accuracy: f64) -> std::result::Result<String, BadSpec> {
    let spec = Spec::read(&document::read(text)?)?;
    let start = Instant::now();
    let answers = answer::find(&spec, accuracy)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(if json { report::json(&spec, &answers, seconds) } else { report::text(&spec, &answers, seconds) })
}

fn accuracy(text: &str) -> std::result::Result<f64, String> {
    let value: f64 =
        text.parse().map_err(|_| "it must be a number, such as 1e-3, with a decimal point".to_owned())?;
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err("it must lie in (0, 1)".to_owned()) }
}
