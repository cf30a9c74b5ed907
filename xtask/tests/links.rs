//! No dead links: every relative link of every Markdown file leads to a file, and every link into a
//! page to one of its headings.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// All Markdown files outside of `target`.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            pages(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

fn links(text: &str) -> Vec<String> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    events
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.to_string())
            }
            _ => None,
        })
        .collect()
}

/// The names by which headings are linked to: letters and digits in lower case, spaces as dashes.
fn headings(text: &str) -> Vec<String> {
    let (mut names, mut open) = (Vec::new(), None::<String>);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => open = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => names.extend(open.take()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(name) = &mut open {
                    let kept = text.to_lowercase().replace(' ', "-");
                    name.extend(kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)));
                }
            }
            _ => {}
        }
    }
    names
}

fn dead(page: &Path, text: &str) -> Vec<String> {
    let is_dead = |link: &String| {
        if link.contains("://") || link.starts_with("mailto:") {
            return false; // the outside world is not ours to check
        }
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() { page.to_owned() } else { page.parent().unwrap_or(page).join(file) };
        let found = fs::read_to_string(&target).map(|text| headings(&text)).unwrap_or_default();
        !target.exists() || !(heading.is_empty() || found.iter().any(|name| name == heading))
    };
    links(text).into_iter().filter(is_dead).collect()
}

#[test]
fn no_link_is_dead() {
    let mut found = Vec::new();
    pages(root(), &mut found);
    assert!(found.len() > 10);
    for page in found {
        let dead = dead(&page, &fs::read_to_string(&page).unwrap());
        assert!(dead.is_empty(), "{}: {dead:?}", page.display());
    }
}

#[test]
fn dead_links_are_found() {
    let page = root().join("README.md");
    let text = "[a](nothing.md) [b](README.md#no-such-heading) [c](ARCHITECTURE.md) [d](ARCHITECTURE.md#layers) [e](#crates)";
    assert_eq!(dead(&page, text), ["nothing.md", "README.md#no-such-heading"]);
}
