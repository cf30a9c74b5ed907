//! What the README and the guide say of programs, examples and the toolchain is so.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(path)).expect("the file can be read")
}

/// The code blocks in this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let (mut blocks, mut open) = (Vec::new(), false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                open = info.split(',').next() == Some(language);
                if open {
                    blocks.push(String::new());
                }
            }
            Event::Text(text) if open => blocks.last_mut().expect("a block is open").push_str(&text),
            Event::End(_) => open = false,
            _ => {}
        }
    }
    blocks
}

/// The files of all examples of the libraries.
fn examples() -> Vec<PathBuf> {
    let crates =
        ["dp-core", "dp-mechanisms", "dp-sensitivity", "dp-accounting", "dp-ml", "dp-query", "exactdp"];
    let folders = crates.iter().filter_map(|name| fs::read_dir(root().join(name).join("examples")).ok());
    let files = folders.flat_map(|folder| folder.flatten().map(|entry| entry.path()));
    files.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

#[test]
fn the_first_program_is_short_and_has_one_use() {
    for page in ["README.md", "docs/src/introduction.md", "exactdp/README.md"] {
        let program = blocks(&read(page), "rust").into_iter().next().expect("the page shows a program");
        assert!(program.lines().count() <= 15, "{page}: {program}");
        let uses: Vec<_> = program.lines().filter(|line| line.starts_with("use ")).collect();
        assert_eq!(uses, ["use exactdp::prelude::*;"], "{page}");
        assert!(!program.contains("dp_"), "{page} names a crate that a reader does not depend on");
    }
}

#[test]
fn the_program_of_the_guide_is_the_example() {
    let program = read("exactdp/examples/release_statistics.rs");
    let shown = blocks(&read("docs/src/first-release.md"), "rust");
    assert_eq!(shown, [program], "paste the example into docs/src/first-release.md");
    assert!(shown[0].lines().count() <= 30);
}

#[test]
fn every_example_is_short_and_named() {
    let (readme, examples) = (read("README.md"), examples());
    assert!(examples.len() > 10);
    for example in examples {
        let lines = read(&example).lines().count();
        assert!(lines <= 80, "{} has {lines} lines: more than a reader takes in", example.display());
        let name = example.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        assert!(
            readme.contains(&format!("--example {name}")) || readme.contains(&format!("| `{name} ")),
            "the README does not say how to run {name}"
        );
    }
}

/// The Rust version that a text names after `before`.
fn version<'a>(text: &'a str, before: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("nothing is said after {before:?}")).1;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].trim_end_matches('.')
}

#[test]
fn all_name_the_same_oldest_rust() {
    let manifest = read("Cargo.toml");
    let oldest = version(&manifest, "\nrust-version = \"");
    assert!(oldest.starts_with("1."), "{oldest}");
    assert_eq!(version(&read("README.md"), "crates by path or git. Rust "), oldest);
    assert_eq!(version(&read("CONTRIBUTING.md"), "The oldest Rust that works is "), oldest);
    // The crates inherit it, and cargo compares it with the compiler.
    assert_eq!(env!("CARGO_PKG_RUST_VERSION"), oldest);
}
