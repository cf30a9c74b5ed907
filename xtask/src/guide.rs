//! `cargo xtask guide`: the guide under `docs` as pages, rendered by mdBook.

use std::io::ErrorKind;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Writes the pages to the folder `guide` of cargo's target folder.
///
/// # Errors
/// When mdBook is not installed, or refuses the book.
pub fn run() -> Result<()> {
    let pages = workspace::target().join("guide");
    let mut mdbook = Command::new("mdbook");
    mdbook.arg("build").arg(workspace::root().join("docs")).arg("--dest-dir").arg(&pages);
    match mdbook.status() {
        Ok(status) if status.success() => {
            println!("the first page is {}", pages.join("index.html").display());
        }
        Ok(status) => bail!("mdbook could not build the guide ({status}): mend what it names above"),
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "mdbook is not installed: run `cargo install mdbook --locked`, or read the Markdown, beginning with docs/src/SUMMARY.md"
        ),
        Err(error) => return Err(error).context("mdbook could not be started"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pulldown_cmark::{Event, Parser, Tag};

    use super::*;

    /// The files that the table of contents lists.
    fn chapters() -> Vec<String> {
        let contents = fs::read_to_string(workspace::root().join("docs/src/SUMMARY.md")).unwrap();
        let file = |event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
            _ => None,
        };
        Parser::new(&contents).filter_map(file).collect()
    }

    #[test]
    fn every_chapter_is_listed_and_compiled() {
        let folder = workspace::root().join("docs/src");
        let (mut listed, tested) = (chapters(), include_str!("lib.rs"));
        for chapter in &listed {
            let text = fs::read_to_string(folder.join(chapter)).unwrap();
            assert!(text.starts_with("# "), "{chapter} has no title");
            assert!(tested.contains(&format!("docs/src/{chapter}\"")), "{chapter} is not compiled");
        }
        let names =
            fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut written: Vec<_> =
            names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect();
        written.sort();
        listed.sort();
        assert_eq!(listed, written, "SUMMARY.md must list each chapter once");
    }
}
