//! What the types refuse. That the compiler says so is tested in `compile_fail.rs`; the words are
//! taken from the same programs.

use std::path::Path;

use anyhow::{Context, Result};

use crate::Mistake;

pub(crate) fn mistakes() -> Result<Vec<Mistake>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile-fail/src/bin");
    let mut programs =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    programs.retain(|path| !path.ends_with("compiles.rs"));
    programs.sort();
    programs
        .iter()
        .map(|path| read(&std::fs::read_to_string(path)?).with_context(|| path.display().to_string()))
        .collect()
}

fn read(program: &str) -> Result<Mistake> {
    let what = program.lines().map_while(|line| line.strip_prefix("//! ")).collect::<Vec<_>>().join(" ");
    let says = |line: &&str| line.starts_with("// error: ") || line.starts_with("// note: ");
    let printed: Vec<_> = program.lines().filter(says).map(|line| line.trim_start_matches("// ")).collect();
    let typed = program
        .lines()
        .find_map(|line| line.strip_suffix(" // the mistake"))
        .context("no line is marked `// the mistake`")?;
    Ok(Mistake::new(&what, typed.trim(), printed.join("\n")))
}
