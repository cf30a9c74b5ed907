//! `cargo xtask picture`: the picture of the README, true beside claimed ε, from numbers that are
//! computed anew.

mod chart;
mod rows;

use anyhow::{Context, Result};

use crate::workspace;

/// Where it is kept, from the root of the workspace.
const FILE: &str = "docs/src/true-and-claimed.svg";

/// Draws the picture and keeps it in the workspace.
///
/// # Errors
/// When a number cannot be computed, or the file cannot be written.
pub fn run() -> Result<()> {
    let file = workspace::root().join(FILE);
    std::fs::write(&file, chart::svg(&rows::groups()?))
        .with_context(|| format!("cannot write {}", file.display()))?;
    println!("wrote {}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_that_is_kept_is_the_one_that_is_drawn() {
        let kept = std::fs::read_to_string(workspace::root().join(FILE)).unwrap();
        assert!(kept == chart::svg(&rows::groups().unwrap()), "run `cargo xtask picture`");
    }
}
