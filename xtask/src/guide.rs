//! `cargo xtask guide`: the guide under `docs`, as pages. It is plain Markdown, in the layout of mdBook, and can be read without this.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use dp_verify::report::STYLE_SHEET;
use maud::{DOCTYPE, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::workspace;

/// A chapter: its title, and the name of its file without the ending.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chapter {
    title: String,
    name: String,
}

/// Writes the pages to `target/guide`.
///
/// # Errors
/// When a chapter is missing, or a page cannot be written.
pub fn run() -> Result<()> {
    let folder = workspace::root().join("target/guide");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let chapters = chapters(&read("SUMMARY")?)?;
    for chapter in &chapters {
        let file = folder.join(format!("{}.html", chapter.name));
        let page = page(chapter, &read(&chapter.name)?, &chapters);
        std::fs::write(&file, page).with_context(|| format!("cannot write {}", file.display()))?;
    }
    if let Some(first) = chapters.first() {
        println!(
            "{} pages, the first is {}",
            chapters.len(),
            folder.join(format!("{}.html", first.name)).display()
        );
    }
    Ok(())
}

fn read(name: &str) -> Result<String> {
    let file: PathBuf = workspace::root().join("docs/src").join(format!("{name}.md"));
    std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
}

/// The chapters that a summary lists.
fn chapters(summary: &str) -> Result<Vec<Chapter>> {
    let (mut chapters, mut open) = (Vec::new(), None);
    for event in Parser::new(summary) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => open = Some((dest_url.to_string(), String::new())),
            Event::Text(text) => {
                if let Some((_, title)) = &mut open {
                    title.push_str(&text);
                }
            }
            Event::End(TagEnd::Link) => {
                let Some((file, title)) = open.take() else { continue };
                let Some(name) = file.strip_suffix(".md") else {
                    bail!("SUMMARY.md lists {file}, which is not a Markdown file");
                };
                chapters.push(Chapter { title, name: name.to_owned() });
            }
            _ => {}
        }
    }
    Ok(chapters)
}

fn page(chapter: &Chapter, text: &str, chapters: &[Chapter]) -> String {
    let links = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| match event {
        // A link to a chapter is a link to its page.
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let page = dest_url.strip_suffix(".md").map(|name| CowStr::from(format!("{name}.html")));
            Event::Start(Tag::Link { link_type, dest_url: page.unwrap_or(dest_url), title, id })
        }
        other => other,
    });
    let mut body = String::new();
    pulldown_cmark::html::push_html(&mut body, links);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (chapter.title) }
                style { (PreEscaped(STYLE_SHEET)) "pre { overflow-x: auto; padding: 0.6rem; background: var(--soft); } code.language-text { white-space: pre-wrap; }" }
            }
            body {
                nav { @for other in chapters { a href=(format!("{}.html", other.name)) { (other.title) } } }
                main { (PreEscaped(body)) }
            }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chapter_is_there_and_is_tested() {
        let chapters = chapters(&read("SUMMARY").unwrap()).unwrap();
        assert!(chapters.len() >= 9);
        let tested = include_str!("lib.rs");
        for chapter in &chapters {
            assert!(read(&chapter.name).unwrap().starts_with("# "), "{}", chapter.name);
            assert!(
                tested.contains(&format!("docs/src/{}.md", chapter.name)),
                "{} is not compiled",
                chapter.name
            );
        }
        let listed = std::fs::read_dir(workspace::root().join("docs/src")).unwrap().count();
        assert_eq!(listed, chapters.len() + 1, "a chapter that SUMMARY.md does not list");
    }

    #[test]
    fn links_to_chapters_lead_to_pages() {
        let chapter = Chapter { title: "A & B".into(), name: "a".into() };
        let page =
            page(&chapter, "# A\n\nsee [b](b.md)\n\n| x |\n|---|\n| y |\n", std::slice::from_ref(&chapter));
        assert!(
            page.contains("href=\"b.html\"") && page.contains("<td>y</td>") && page.contains("A &amp; B")
        );
        assert!(chapters("- [one](one.md)\n- [two](two.txt)\n").is_err());
    }
}
