//! Python peers: installed into a folder of their own under `target`, and run as processes of their
//! own.
//!
//! Nothing here is needed for anything else, and whatever goes wrong is told in the table: a
//! machine without Python has a table without Python peers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::workspace;

/// What the peers took, and which of them were not measured.
#[derive(Debug, Default)]
pub(super) struct Python {
    pub(super) timings: Vec<Timing>,
    pub(super) missing: Vec<String>,
}

/// A line that a script of `dp-bench/peers` prints.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct Timing {
    /// The name of the row that the same work has here.
    pub(super) row: String,
    pub(super) peer: String,
    pub(super) ns: f64,
    /// Whether the row's limit on peers is about this one.
    #[serde(default)]
    pub(super) judged: bool,
}

/// Either a time, or why there is none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Timing(Timing),
    Missing { peer: String, missing: String },
}

/// Installs and runs the peers.
pub(super) fn measure(heavy: bool) -> Python {
    let mut python = Python::default();
    let mut groups = vec![("requirements.txt", &["accounting.py", "noise.py"][..])];
    if heavy {
        groups.push(("requirements-heavy.txt", &["learning.py"]));
    }
    for (requirements, scripts) in groups {
        match install(requirements) {
            Ok(program) => scripts.iter().for_each(|script| python.run(&program, script)),
            Err(why) => python.missing.push(format!("the peers of {requirements}: {why}")),
        }
    }
    python
}

fn folder() -> PathBuf {
    workspace::root().join("dp-bench/peers")
}

/// The interpreter of an environment with these packages.
fn install(requirements: &str) -> Result<PathBuf, String> {
    let environment =
        workspace::root().join("target/bench/python").join(requirements.trim_end_matches(".txt"));
    let program = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !program.exists() {
        eprintln!("making {}", environment.display());
        let system = if cfg!(windows) { "python" } else { "python3" };
        succeed(
            Command::new(system).args(["-m", "venv"]).arg(&environment),
            "python3 with venv is not there",
        )?;
    }
    eprintln!("installing the peers of {requirements}");
    let mut pip = Command::new(&program);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    succeed(pip.arg(folder().join(requirements)), "pip could not install them")?;
    Ok(program)
}

fn succeed(command: &mut Command, otherwise: &str) -> Result<(), String> {
    match command.stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(otherwise.to_owned()),
    }
}

impl Python {
    fn run(&mut self, program: &Path, script: &str) {
        eprintln!("measuring {script}");
        match Command::new(program).arg(folder().join(script)).stderr(Stdio::null()).output() {
            Ok(output) => {
                self.read(&String::from_utf8_lossy(&output.stdout));
                if !output.status.success() {
                    self.missing.push(format!("the rest of {script}: it failed"));
                }
            }
            Err(error) => self.missing.push(format!("{script}: {error}")),
        }
    }

    /// Takes the lines that are results; libraries print others.
    fn read(&mut self, output: &str) {
        for line in output.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                Line::Timing(timing) => self.timings.push(timing),
                Line::Missing { peer, missing } => self.missing.push(format!("{peer}: {missing}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_results_are_read() {
        let mut python = Python::default();
        python.read("warning: slow\n{\"row\":\"a\",\"peer\":\"p\",\"ns\":5e3,\"judged\":true}\n{\"peer\":\"q\",\"missing\":\"not on this system\"}\n{}\n");
        assert_eq!(python.timings, [Timing { row: "a".into(), peer: "p".into(), ns: 5e3, judged: true }]);
        assert_eq!(python.missing, ["q: not on this system"]);
    }

    /// The scripts name rows, and a row that is renamed would lose its peers without a word.
    #[test]
    fn the_scripts_name_rows_that_there_are() {
        let rows = ["accounting", "learning", "mechanisms", "sensitivity"].map(|area| {
            std::fs::read_to_string(workspace::root().join(format!("dp-bench/src/rows/{area}.rs"))).unwrap()
        });
        let mut names = 0;
        for script in ["accounting.py", "noise.py", "learning.py"] {
            let text = std::fs::read_to_string(folder().join(script)).unwrap();
            for name in text.split("row=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(rows.iter().any(|row| row.contains(&format!("\"{name}\""))), "{script}: {name}");
                names += 1;
            }
        }
        assert!(names >= 8, "{names}");
    }
}
