//! The programs in `tests/compile-fail` do not compile, and the compiler says why in our words.
//!
//! A program states the mistake in its `//!` lines, and in lines `// error: …` and `// note: …`
//! what the errors must contain, with `…` where a fragment is cut. Each error must contain one of
//! these fragments, and each fragment must be in one of the errors: a program that fails for
//! another reason proves nothing. A line that ends with `// the mistake` must be where one of the
//! errors is. The guide shows the first one and the fragments. `compiles.rs` uses the same API as
//! it should be used and shows that the others fail because of their mistake.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The program that must compile.
const CONTROL: &str = "compiles";

/// What the line with the mistake ends with.
const MARK: &str = "// the mistake";

/// A program that must not compile.
#[derive(Debug)]
struct Program {
    /// The name of its file, without `.rs`.
    name: String,
    /// What its errors must contain.
    expected: Vec<String>,
    /// The lines that are marked as the mistake, from 1.
    marked: Vec<u64>,
}

/// What the compiler made of a program.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    compiled: bool,
    errors: Vec<String>,
    /// The lines that the errors point at.
    lines: Vec<u64>,
}

#[test]
fn mistakes_do_not_compile() -> Result<()> {
    let package = copy_package()?;
    let programs = read_programs(&package.join("src/bin"))?;
    ensure!(!programs.is_empty(), "tests/compile-fail/src/bin holds no program");

    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(&package)
        .args("check --bins --keep-going --offline --message-format=json --target-dir target".split(' '))
        .output()
        .context("cannot start cargo")?;
    let seen = read_messages(&String::from_utf8_lossy(&output.stdout));
    let complaints = judge(&programs, &seen);
    // What cargo says beside the errors matters only if something stopped it before it came to the
    // programs.
    let log = if seen.contains_key(CONTROL) { "".into() } else { String::from_utf8_lossy(&output.stderr) };
    assert!(complaints.is_empty(), "{}\n\n{log}", complaints.join("\n\n"));
    Ok(())
}

/// Copies the package to a folder of build products, with the lock file of the workspace, so that
/// building it leaves no trace in the sources and uses the locked versions without a network.
fn copy_package() -> Result<PathBuf> {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = xtask.parent().context("xtask lies in the workspace")?;
    let (from, to) =
        (xtask.join("tests/compile-fail"), Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-fail"));
    let programs = to.join("src/bin");
    if programs.exists() {
        fs::remove_dir_all(&programs).context("cannot clear the programs of the last run")?;
    }
    fs::create_dir_all(&programs)?;
    for entry in fs::read_dir(from.join("src/bin"))? {
        let entry = entry?;
        fs::copy(entry.path(), programs.join(entry.file_name()))?;
    }
    let manifest = fs::read_to_string(from.join("Cargo.toml"))?;
    let absolute = format!("path = '{}", root.join("").display());
    fs::write(to.join("Cargo.toml"), with_absolute_paths(&manifest, &absolute))?;
    fs::copy(root.join("Cargo.lock"), to.join("Cargo.lock"))?;
    Ok(to)
}

/// The manifest with its path dependencies written out, in quotes that leave backslashes alone.
fn with_absolute_paths(manifest: &str, prefix: &str) -> String {
    let line = |line: &str| match line.split_once("path = \"../../../") {
        Some((before, after)) => format!("{before}{prefix}{}\n", after.replacen('"', "'", 1)),
        None => format!("{line}\n"),
    };
    manifest.lines().map(line).collect()
}

/// All programs but the control, each with what it expects.
fn read_programs(folder: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().context("a program has a name")?.to_string_lossy().into_owned();
        let source = fs::read_to_string(&path)?;
        ensure!(
            source.starts_with("//! "),
            "{name}.rs does not say what its mistake is; begin it with `//! …`"
        );
        let expected = source.lines().filter_map(fragment).collect();
        let marked =
            (1..).zip(source.lines()).filter(|(_, line)| line.ends_with(MARK)).map(|(at, _)| at).collect();
        programs.push(Program { name, expected, marked });
    }
    programs.retain(|program| program.name != CONTROL);
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// What a line says that an error must contain, if it says so.
fn fragment(line: &str) -> Option<String> {
    let said = line.strip_prefix("// error: ").or_else(|| line.strip_prefix("// note: "))?;
    Some(without_crate_names(said.trim_matches(['…', ' '])))
}

/// What cargo's messages say of each program, and of each library that they use.
fn read_messages(stdout: &str) -> BTreeMap<String, Seen> {
    let mut seen = BTreeMap::<String, Seen>::new();
    let messages = stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for message in messages {
        let Some(name) = message["target"]["name"].as_str() else { continue };
        let seen = seen.entry(name.to_owned()).or_default();
        seen.compiled |= message["reason"] == "compiler-artifact";
        let diagnostic = &message["message"];
        // The closing "aborting due to…" is an error without a place in the source.
        if diagnostic["level"] == "error" && diagnostic["spans"][0].is_object() {
            seen.errors.extend(diagnostic["rendered"].as_str().map(without_crate_names));
            let primary =
                diagnostic["spans"].as_array().into_iter().flatten().find(|span| span["is_primary"] == true);
            seen.lines.extend(primary.and_then(|span| span["line_start"].as_u64()));
        }
    }
    seen
}

/// The compiler writes `dp_core::Pure` or `Pure`, depending on what else has that name.
fn without_crate_names(text: &str) -> String {
    let crates = ["dp_core::", "dp_mechanisms::", "dp_sensitivity::", "dp_accounting::", "dp_ml::"];
    crates.iter().fold(text.to_owned(), |text, name| text.replace(name, ""))
}

/// Everything that is not as it must be.
fn judge(programs: &[Program], seen: &BTreeMap<String, Seen>) -> Vec<String> {
    let mut complaints = Vec::new();
    // The control and the libraries.
    for (name, seen) in seen.iter().filter(|(name, _)| programs.iter().all(|program| program.name != **name))
    {
        if !seen.compiled {
            complaints.push(format!("{name} must compile:\n{}", seen.errors.join("\n")));
        }
    }
    if !seen.contains_key(CONTROL) {
        complaints.push(format!("cargo did not come to {CONTROL}.rs"));
    }
    for Program { name, expected, marked } in programs {
        let points_there = |line: &u64| seen.get(name).is_some_and(|seen| seen.lines.contains(line));
        if marked.is_empty() || !marked.iter().all(points_there) {
            complaints.push(format!(
                "{name}.rs must end each line that an error points at, and no other, with `{MARK}`"
            ));
        }
        if expected.is_empty() {
            complaints.push(format!(
                "{name}.rs does not say what the compiler must print; add a line `// error: …`"
            ));
        }
        match seen.get(name) {
            None => complaints.push(format!("cargo did not come to {name}.rs")),
            Some(program) if program.compiled => complaints.push(format!("{name}.rs compiles, and must not")),
            Some(Seen { errors, .. }) => {
                for fragment in
                    expected.iter().filter(|fragment| !errors.iter().any(|e| e.contains(*fragment)))
                {
                    complaints.push(format!(
                        "{name}.rs fails, but not with \"{fragment}\":\n{}",
                        errors.join("\n")
                    ));
                }
                for error in errors.iter().filter(|e| !expected.iter().any(|fragment| e.contains(fragment))) {
                    complaints.push(format!("{name}.rs has an error that it does not expect:\n{error}"));
                }
            }
        }
    }
    complaints
}

#[cfg(test)]
mod harness {
    use super::*;

    fn program(expected: &[&str]) -> Program {
        Program {
            name: "mistake".into(),
            expected: expected.iter().map(|&fragment| fragment.to_owned()).collect(),
            marked: vec![7],
        }
    }

    fn failed(errors: &[&str]) -> Seen {
        Seen {
            compiled: false,
            errors: errors.iter().map(|&error| error.to_owned()).collect(),
            lines: vec![7],
        }
    }

    fn compiled() -> Seen {
        Seen { compiled: true, errors: vec![], lines: vec![] }
    }

    fn complaints(program: Program, control: Seen, mistake: Seen) -> Vec<String> {
        judge(&[program], &BTreeMap::from([(CONTROL.to_owned(), control), ("mistake".to_owned(), mistake)]))
    }

    #[test]
    fn a_mistake_with_the_right_error_passes() {
        assert_eq!(complaints(program(&["no"]), compiled(), failed(&["error: no"])), [""; 0]);
    }

    #[test]
    fn a_mistake_that_compiles_is_noticed() {
        assert_eq!(
            complaints(program(&["no"]), compiled(), compiled()),
            [
                "mistake.rs must end each line that an error points at, and no other, with `// the mistake`",
                "mistake.rs compiles, and must not"
            ]
        );
    }

    #[test]
    fn an_error_for_another_reason_is_noticed() {
        assert_eq!(complaints(program(&["no"]), compiled(), failed(&["a typo"])).len(), 2);
        assert_eq!(complaints(program(&["no"]), compiled(), failed(&["no", "a typo"])).len(), 1);
        assert_eq!(complaints(program(&["no", "never"]), compiled(), failed(&["no"])).len(), 1);
    }

    #[test]
    fn a_program_without_expectation_or_outcome_is_noticed() {
        assert_eq!(complaints(program(&[]), compiled(), failed(&[])).len(), 1);
        assert_eq!(judge(&[program(&["no"])], &BTreeMap::new()).len(), 3);
    }

    #[test]
    fn fragments_are_cut_and_without_crate_names() {
        assert_eq!(fragment("// error: … `dp_core::Pure` is not …").as_deref(), Some("`Pure` is not"));
        assert_eq!(fragment("// note: take `Zcdp`").as_deref(), Some("take `Zcdp`"));
        assert_eq!(fragment("// error or not"), None);
    }

    #[test]
    fn a_mark_elsewhere_is_noticed() {
        for marked in [vec![], vec![6], vec![6, 7]] {
            let program = Program { marked, ..program(&["no"]) };
            assert_eq!(complaints(program, compiled(), failed(&["error: no"])).len(), 1);
        }
    }

    #[test]
    fn a_control_that_fails_is_noticed() {
        let complaints = complaints(program(&["no"]), failed(&["error: no"]), failed(&["error: no"]));
        assert_eq!(complaints, ["compiles must compile:\nerror: no"]);
    }

    #[test]
    fn messages_of_cargo_are_understood() {
        let stdout = r#"
            {"reason":"compiler-artifact","target":{"name":"compiles"}}
            {"reason":"compiler-message","target":{"name":"mistake"},"message":{"level":"warning","rendered":"w","spans":[{}]}}
            {"reason":"compiler-message","target":{"name":"mistake"},"message":{"level":"error","rendered":"`dp_core::Pure`","spans":[{"is_primary":false,"line_start":2},{"is_primary":true,"line_start":7}]}}
            {"reason":"compiler-message","target":{"name":"mistake"},"message":{"level":"error","rendered":"aborting","spans":[]}}
            {"reason":"build-finished","success":false}"#;
        let expected = [("compiles".to_owned(), compiled()), ("mistake".to_owned(), failed(&["`Pure`"]))];
        assert_eq!(read_messages(stdout), BTreeMap::from(expected));
    }

    #[test]
    fn paths_become_absolute() {
        let manifest = "[dependencies]\ndp-core = { path = \"../../../dp-core\", features = [\"std\"] }\n";
        assert_eq!(
            with_absolute_paths(manifest, "path = 'C:\\here\\"),
            "[dependencies]\ndp-core = { path = 'C:\\here\\dp-core', features = [\"std\"] }\n"
        );
    }
}
