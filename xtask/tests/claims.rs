//! The guide's chapter "The claims" lists every claim as the verifier states it, and the README
//! counts them.
//!
//! When a claim has changed, `UPDATE_CLAIMS=1 cargo test -p xtask --test claims` writes the chapter
//! anew.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use dp_verify::claim::{Claim, Verdict};
use dp_verify::claims;

const START: &str = "<!-- made by the test `claims`: do not edit -->\n";
const END: &str = "<!-- end of what is made -->\n";

/// The letters of ids, in the order of the chapter, and what they are about.
const SUBJECTS: [(&str, &str); 7] = [
    ("D", "Definitions"),
    ("I", "Intervals and risk"),
    ("M", "Mechanisms"),
    ("SV", "The sparse vector technique"),
    ("S", "Sensitivity"),
    ("A", "Composition"),
    ("L", "Learning"),
];

/// The letters and the number of an id.
fn parts(id: &str) -> (&str, u32) {
    let digits = id.find(|c: char| c.is_ascii_digit()).expect("an id ends in a number");
    (&id[..digits], id[digits..].parse().expect("the rest of an id is a number"))
}

/// Text that Markdown shows as it is, but for `code`.
fn escaped(text: &str) -> String {
    let escape = |(at, part): (usize, &str)| {
        if at % 2 == 1 {
            return part.to_owned();
        }
        part.chars().flat_map(|c| "*_<>[]|".contains(c).then_some('\\').into_iter().chain([c])).collect()
    };
    text.split('`').enumerate().map(escape).collect::<Vec<_>>().join("`")
}

fn listing(mut claims: Vec<Claim>) -> Result<String> {
    claims.sort_by_key(|claim| parts(claim.id));
    let mut text = String::new();
    for (letters, subject) in SUBJECTS {
        writeln!(text, "\n## {subject}")?;
        for claim in claims.iter().filter(|claim| parts(claim.id).0 == letters) {
            let Claim { id, source, statement, formula, meaning, kind, expected, .. } = claim;
            writeln!(text, "\n### {id}\n\n{}\n\n```text\n{formula}\n```", escaped(statement))?;
            writeln!(text, "\n*{expected}*, {kind}, {}\n\n{}", escaped(source), escaped(meaning))?;
        }
    }
    Ok(text)
}

#[test]
fn the_readme_counts_the_claims() -> Result<()> {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md"))?;
    let (all, refuted) =
        (claims::all().len(), claims::all().iter().filter(|c| c.expected == Verdict::Refuted).count());
    assert!(readme.contains(&format!("checks {all} statements")), "the README does not say {all} statements");
    assert!(
        readme.contains(&format!("{refuted} of them are false")),
        "the README does not say that {refuted} are"
    );
    Ok(())
}

#[test]
fn the_chapter_lists_every_claim() -> Result<()> {
    let claims = claims::all();
    let count = claims.len();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/claims.md");
    let chapter = std::fs::read_to_string(&path).context("docs/src/claims.md")?;
    let (before, rest) = chapter.split_once(START).context("the chapter has lost its first mark")?;
    let (listed, after) = rest.split_once(END).context("the chapter has lost its second mark")?;
    let made = listing(claims)?;
    assert_eq!(made.matches("\n### ").count(), count, "a claim whose letters `SUBJECTS` does not know");
    if std::env::var_os("UPDATE_CLAIMS").is_some() {
        std::fs::write(&path, format!("{before}{START}{made}\n{END}{after}"))?;
        return Ok(());
    }
    assert!(listed.trim_end() == made.trim_end(), "UPDATE_CLAIMS=1 writes the chapter anew");
    Ok(())
}
