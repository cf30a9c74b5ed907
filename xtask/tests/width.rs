//! No line of a comment or of prose is wider than a reader's window.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The widest line of a comment, in characters.
const COMMENT: usize = 100;
/// The widest line of a program, also of one in a comment: the `max_width` of rustfmt.
const PROGRAM: usize = 110;
/// The widest line of prose.
const PROSE: usize = 120;

/// What other tests write, and programs whose comments are messages of the compiler.
const NOT_OURS: &[&str] = &["docs/src/claims.md", "docs/src/messages.md", "xtask/tests/compile-fail"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// What a line of a comment says, without its slashes and indentation.
fn comment(line: &str) -> Option<&str> {
    let said = line.trim_start().strip_prefix("//")?;
    Some(said.strip_prefix(['/', '!']).unwrap_or(said).trim_start())
}

/// The numbers of the lines that are too wide, from 1. Tables have no other place to break.
fn wide(text: &str, is_rust: bool) -> Vec<usize> {
    let mut in_program = false;
    let mut found = vec![];
    for (number, line) in (1..).zip(text.lines()) {
        let Some(said) = (if is_rust { comment(line) } else { Some(line.trim_start()) }) else {
            in_program = false;
            continue;
        };
        let limit = match (is_rust, in_program) {
            (true, false) => COMMENT,
            (true, true) => PROGRAM,
            (false, false) => PROSE,
            (false, true) => usize::MAX, // the command of a shell
        };
        if said.starts_with("```") {
            in_program = !in_program;
        }
        let cannot_break = said.starts_with('|') || said.starts_with("![") || !said.contains(' ');
        if !cannot_break && line.chars().count() > limit {
            found.push(number);
        }
    }
    found
}

/// The files that git tracks.
fn tracked() -> Vec<PathBuf> {
    let output = Command::new("git").arg("ls-files").current_dir(root()).output().expect("git runs");
    assert!(output.status.success(), "git ls-files fails");
    String::from_utf8(output.stdout).expect("names are UTF-8").lines().map(PathBuf::from).collect()
}

#[test]
fn lines_are_narrow() {
    let mut wide_files = vec![];
    for file in tracked() {
        let is_rust = file.extension().is_some_and(|extension| extension == "rs");
        if !is_rust && file.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        // A file that was deleted and not yet committed is still tracked.
        let Ok(text) = fs::read_to_string(root().join(&file)) else { continue };
        wide_files.extend(wide(&text, is_rust).first().map(|line| (file.clone(), *line)));
    }
    let is_known = |file: &Path| NOT_OURS.iter().any(|path| file.starts_with(path));
    let complaints: Vec<_> = wide_files.iter().filter(|(file, _)| !is_known(file)).collect();
    assert!(complaints.is_empty(), "wider than {COMMENT} (comments) or {PROSE} (prose): {complaints:#?}");
}

#[test]
fn wide_lines_are_noticed() {
    let words = |width: usize| "word ".repeat(width.div_ceil(5))[..width - 1].to_owned() + "!";
    for (text, is_rust, expected) in [
        (format!("/// {}", words(96)), true, 0),
        (format!("/// {}", words(97)), true, 1),
        (format!("    // {}", words(94)), true, 1),
        (format!("/// ```\n/// {}\n/// ```", words(106)), true, 0),
        (format!("/// ```\n/// {}\n/// ```", words(107)), true, 1),
        (format!("/// ```\n/// ```\n/// {}", words(97)), true, 1),
        (format!("/// | {} |", words(200)), true, 0),
        (format!("let code = \"{}\";", words(200)), true, 0),
        (words(120), false, 0),
        (words(121), false, 1),
        (format!("```console\n{}\n```", words(200)), false, 0),
        (format!("- {}", words(119)), false, 1),
        (format!("| {} |", words(200)), false, 0),
        (format!("<https://{}>", "a".repeat(200)), false, 0),
    ] {
        assert_eq!(wide(&text, is_rust).len(), expected, "{text}");
    }
}
