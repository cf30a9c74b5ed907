//! What was found, for people at a terminal, for people with a browser, and for programs.

mod json;
mod page;
mod style;
mod terminal;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::findings::Findings;

pub use self::page::STYLE_SHEET;
pub use self::style::Style;
pub use self::terminal::{list, table};

/// Writes `index.html` and `report.json` to a folder, and the latter to another file if one is
/// given. The path of the page.
///
/// # Errors
/// When a file or the folder cannot be written.
pub fn write(findings: &Findings, folder: &Path, copy: Option<&Path>) -> Result<PathBuf> {
    let json = json::render(findings);
    // The file that was asked for comes first: a program waits for it.
    if let Some(path) = copy {
        save(path, &json)?;
    }
    std::fs::create_dir_all(folder).with_context(|| {
        format!("cannot make the folder {}; check that it is yours to write to", folder.display())
    })?;
    save(&folder.join("report.json"), &json)?;
    let page = folder.join("index.html");
    save(&page, &page::render(findings))?;
    Ok(page)
}

fn save(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| {
        format!("cannot write {}; check that its folder exists and is yours", path.display())
    })
}
