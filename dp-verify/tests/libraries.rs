//! What the libraries say of claims is so, and they say nothing else of the verifier.

use std::fs;
use std::path::{Path, PathBuf};

const LIBRARIES: [&str; 6] =
    ["dp-core", "dp-mechanisms", "dp-sensitivity", "dp-accounting", "dp-ml", "exactdp"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("dp-verify lies in the workspace")
}

/// All source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read").flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// The ids in all "Checked as M1 and M2 by `cargo xtask verify`." of a text.
fn named(text: &str) -> Vec<String> {
    let ends = " by `cargo xtask verify`";
    let sentences = text.split("Checked as ").skip(1).filter_map(|rest| Some(rest.split_once(ends)?.0));
    sentences
        .flat_map(|ids| ids.split([',', ' ']))
        .filter(|id| !id.is_empty() && *id != "and")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_claim_that_an_item_names_is_in_the_ledger() {
    let mut seen = 0;
    for library in LIBRARIES {
        for file in sources(&root().join(library).join("src")) {
            let ids = named(&fs::read_to_string(&file).expect("the file can be read"));
            seen += ids.len();
            dp_verify::selected(&ids).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
    }
    assert!(seen > 50, "{seen} claims are named");
}

#[test]
fn names_are_found() {
    assert_eq!(
        named("Checked as M1, M2 and D3 by `cargo xtask verify`. Checked as S1 by `cargo xtask verify`."),
        ["M1", "M2", "D3", "S1"]
    );
    assert!(named("Checked as it should be.").is_empty());
}

#[test]
fn no_library_depends_on_the_verifier() {
    for library in LIBRARIES {
        let manifest =
            fs::read_to_string(root().join(library).join("Cargo.toml")).expect("it has a manifest");
        assert!(!manifest.contains("dp-verify"), "{library}");
    }
}
