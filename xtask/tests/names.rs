//! The public interface has one spelling for each meaning: the table of names in ARCHITECTURE.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{
    Attribute, FnArg, Ident, ImplItemFn, Item, ItemFn, ItemMod, Meta, Pat, Signature, Type, UseTree,
    Visibility,
};

/// The crates whose public interface is walked. `exactdp` re-exports theirs.
const LIBRARIES: [&str; 7] =
    ["dp-core", "dp-mechanisms", "dp-sensitivity", "dp-accounting", "dp-ml", "dp-query", "exactdp"];

/// Spellings that the table replaces, with the one that it asks for.
const FORBIDDEN: &[(&str, &str)] = &[
    ("analytic", "epsilon_delta"),
    ("tight", "epsilon_delta"),
    ("least_variance", "epsilon_delta"),
    ("zcdp", "rho"),
    ("gdp", "mu"),
    ("classic", "printed"),
    ("v2", "printed"),
    ("theorem", "printed"),
    ("by_halves", "printed"),
    ("fill", "draw_into"),
    ("draw_in_place", "draw_into"),
    ("draw_all_f32", "draw_into"),
    ("draw_in_place_f32", "draw_into"),
];

/// Parts of names that the table replaces, with the one that it asks for.
const FORBIDDEN_PARTS: &[(&str, &str)] = &[("textbook", "printed"), ("classic", "printed")];

/// What a constructor may be called that is given a guarantee as numbers, beside `with_…` for one
/// that is given more than the least.
const GIVEN: &[(&[&str], &[&str])] = &[
    (&["epsilon", "delta"], &["epsilon_delta", "printed"]),
    (&["epsilon"], &["epsilon", "monotone_epsilon", "printed"]),
    (&["rho"], &["rho", "monotone_rho", "printed"]),
    (&["mu"], &["mu"]),
];

/// Functions that are given such a number and are none of these: notions, one of several mechanisms
/// or objectives for the same guarantee, and questions about a given noise.
const OTHERS: &[&str] = &[
    "Admissible::of",
    "Admissible::of_gaussian",
    "Admissible::of_laplace",
    "Approx::new",
    "Gdp::new",
    "MixedNoise::least_error",
    "Pure::new",
    "SmoothStudentT::cauchy",
    "UnaryEncoding::symmetric",
    "Zcdp::new",
    "Zcdp::with_offset",
];

/// Names that two public types have, for a reason.
const SHARED: &[&str] = &[
    "Error", // one of each crate, as in `std`
];

/// A public function without a receiver, or a method.
struct Function {
    /// `Type::name`, or the name alone.
    path: String,
    name: String,
    is_method: bool,
    /// The names of its parameters, with whether each is an `f64`.
    parameters: Vec<(String, bool)>,
}

/// What is wrong with a name, if anything.
fn wrong(function: &Function) -> Option<String> {
    let Function { path, name, is_method, parameters } = function;
    if OTHERS.contains(&path.as_str()) {
        return None;
    }
    if let Some((_, right)) = FORBIDDEN.iter().find(|(wrong, _)| wrong == name) {
        return Some(format!("{path}: the table calls it `{right}`"));
    }
    if let Some((part, right)) = FORBIDDEN_PARTS.iter().find(|(part, _)| name.contains(part)) {
        return Some(format!("{path}: the table says `{right}` for `{part}`"));
    }
    let floats: Vec<&str> =
        parameters.iter().filter(|(_, is_float)| *is_float).map(|(name, _)| name.as_str()).collect();
    if let Some(place) = parameters.iter().position(|(name, _)| name == "beta")
        && name.starts_with("error_bound")
        && place + 1 != parameters.len()
    {
        return Some(format!("{path}: `beta` comes last"));
    }
    if *is_method || !path.contains("::") {
        return None;
    }
    if name == "with_scale" && parameters.first().is_none_or(|(name, _)| name != "scale") {
        return Some(format!("{path}: `scale` comes first"));
    }
    let (given, names) = GIVEN.iter().find(|(given, _)| given.iter().all(|name| floats.contains(name)))?;
    if !names.contains(&name.as_str()) && !name.starts_with("with_") {
        return Some(format!("{path} is given {given:?}: call it one of {names:?}, or `with_…`"));
    }
    let first: Vec<&str> = parameters.iter().take(given.len()).map(|(name, _)| name.as_str()).collect();
    (first != *given).then(|| format!("{path}: {given:?} come first"))
}

/// Collects the public functions of a file.
#[derive(Default)]
struct Functions {
    found: Vec<Function>,
    of: Option<String>,
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition.contains("test") || condition.contains("\"internals\"")
        }
        Meta::List(list) => list.path.is_ident("doc") && list.tokens.to_string() == "hidden",
        Meta::NameValue(_) => false,
    })
}

impl Functions {
    fn take(&mut self, visibility: &Visibility, signature: &Signature) {
        if !matches!(visibility, Visibility::Public(_)) {
            return;
        }
        let name = signature.ident.to_string();
        let is_method = signature.receiver().is_some();
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => {
                let Pat::Ident(pattern) = &*typed.pat else { return None };
                let is_float = matches!(&*typed.ty, Type::Path(path) if path.path.is_ident("f64"));
                Some((pattern.ident.to_string(), is_float))
            }
            FnArg::Receiver(_) => None,
        });
        let path = self.of.as_ref().map_or_else(|| name.clone(), |of| format!("{of}::{name}"));
        self.found.push(Function { path, name, is_method, parameters: parameters.collect() });
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_hidden(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, block: &'a syn::ItemImpl) {
        let of = match &*block.self_ty {
            Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        };
        let before = std::mem::replace(&mut self.of, of);
        visit::visit_item_impl(self, block);
        self.of = before;
    }

    fn visit_impl_item_fn(&mut self, function: &'a ImplItemFn) {
        if !is_hidden(&function.attrs) {
            self.take(&function.vis, &function.sig);
        }
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        if !is_hidden(&function.attrs) {
            self.take(&function.vis, &function.sig);
        }
    }
}

fn functions(text: &str) -> Vec<Function> {
    let mut functions = Functions::default();
    functions.visit_file(&syn::parse_file(text).expect("it compiles"));
    functions.found
}

/// All source files below a folder, but for internals and tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read").flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_ours =
        |path: &PathBuf| !["internals.rs", "tests", "tests.rs"].iter().any(|name| path.ends_with(name));
    let below = folders.iter().filter(|path| is_ours(path)).flat_map(|folder| sources(folder));
    files.iter().filter(|path| is_ours(path)).cloned().chain(below).collect()
}

#[test]
fn every_name_is_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let mut seen = 0;
    let mut complaints = vec![];
    for library in LIBRARIES {
        for file in sources(&root.join(library).join("src")) {
            let text = fs::read_to_string(&file).expect("the file can be read");
            let functions = functions(&text);
            seen += functions.len();
            let of = |complaint| format!("{}: {complaint}", file.display());
            complaints.extend(functions.iter().filter_map(wrong).map(of));
        }
    }
    assert!(seen > 500, "{seen} functions");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn other_spellings_are_noticed() {
    let complaints = |text: &str| functions(text).iter().filter_map(wrong).count();
    for (text, expected) in [
        ("impl Noise { pub fn analytic(epsilon: f64, delta: f64) {} }", 1),
        ("impl Noise { pub fn new(epsilon: f64) {} }", 1),
        ("impl Noise { pub fn epsilon(values: u32, epsilon: f64) {} }", 1),
        ("impl Noise { pub fn epsilon_delta(delta: f64, epsilon: f64) {} }", 1),
        ("impl Noise { pub fn rho(shape: Shape, rho: f64) {} }", 1),
        ("impl Noise { pub fn error_bound_of(&self, beta: f64, coordinates: usize) {} }", 1),
        ("impl Noise { pub fn with_scale(shape: Shape, scale: Scale) {} }", 1),
        ("impl Noise { pub fn with_scale(scale: Scale, shape: Shape) {} }", 0),
        ("impl Noise { pub fn epsilon(epsilon: f64, values: u32) {} }", 0),
        ("pub fn textbook_bound(rho: f64) {}", 1),
        ("impl Noise { pub fn with_gamma(epsilon: f64, gamma: f64) {} }", 0),
        ("impl Noise { fn new(epsilon: f64) {} }", 0),
        ("#[cfg(test)] mod tests { impl Noise { pub fn new(epsilon: f64) {} } }", 0),
    ] {
        assert_eq!(complaints(text), expected, "{text}");
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The types and traits of a crate that its users can name: those that a public module defines, and
/// those that it re-exports from a private one.
#[derive(Default)]
struct Types {
    /// With the file that defines each, and whether its module is public.
    defined: Vec<(String, PathBuf, bool)>,
    reexported: Vec<String>,
}

impl Types {
    fn of(library: &Path) -> Vec<(String, PathBuf)> {
        let mut types = Self::default();
        types.read(&library.join("src/lib.rs"), &library.join("src"), true);
        types.named()
    }

    fn named(self) -> Vec<(String, PathBuf)> {
        let Self { defined, reexported } = self;
        let named = defined.into_iter().filter(|(name, _, public)| *public || reexported.contains(name));
        named.map(|(name, file, _)| (name, file)).collect()
    }

    /// Reads a file whose modules lie in `folder`.
    fn read(&mut self, file: &Path, folder: &Path, public: bool) {
        let text = fs::read_to_string(file).expect("the file can be read");
        self.walk(&syn::parse_file(&text).expect("it compiles").items, file, folder, public);
    }

    fn walk(&mut self, items: &[Item], file: &Path, folder: &Path, public: bool) {
        for item in items {
            match item {
                Item::Struct(item) => self.define(&item.vis, &item.attrs, &item.ident, file, public),
                Item::Enum(item) => self.define(&item.vis, &item.attrs, &item.ident, file, public),
                Item::Trait(item) => self.define(&item.vis, &item.attrs, &item.ident, file, public),
                Item::Type(item) => self.define(&item.vis, &item.attrs, &item.ident, file, public),
                Item::Use(item) if is_public(&item.vis) => self.reexport(&item.tree),
                Item::Mod(item) if !is_hidden(&item.attrs) => {
                    let public = public && is_public(&item.vis);
                    let below = folder.join(item.ident.to_string());
                    match &item.content {
                        // What closes a trait: nobody else can name that.
                        Some(_) if item.ident == "sealed" => {}
                        Some((_, items)) => self.walk(items, file, &below, public),
                        None if below.join("mod.rs").exists() => {
                            self.read(&below.join("mod.rs"), &below, public);
                        }
                        None => self.read(&below.with_extension("rs"), &below, public),
                    }
                }
                _ => {}
            }
        }
    }

    fn define(
        &mut self,
        visibility: &Visibility,
        attributes: &[Attribute],
        name: &Ident,
        file: &Path,
        public: bool,
    ) {
        if is_public(visibility) && !is_hidden(attributes) {
            self.defined.push((name.to_string(), file.to_owned(), public));
        }
    }

    fn reexport(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.reexport(&path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.reexport(tree)),
            UseTree::Name(name) => self.reexported.push(name.ident.to_string()),
            UseTree::Rename(_) | UseTree::Glob(_) => {}
        }
    }
}

/// The names that two or more types have, with the files that define them.
fn repeated(types: Vec<(String, PathBuf)>) -> Vec<(String, Vec<PathBuf>)> {
    let mut files = BTreeMap::<String, Vec<PathBuf>>::new();
    for (name, file) in types {
        files.entry(name).or_default().push(file);
    }
    files.into_iter().filter(|(_, files)| files.len() > 1).collect()
}

#[test]
fn every_public_type_has_a_name_of_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let types: Vec<_> = LIBRARIES.iter().flat_map(|library| Types::of(&root.join(library))).collect();
    assert!(types.len() > 150, "{} types", types.len());
    let repeated = repeated(types);
    let unknown: Vec<_> = repeated.iter().filter(|(name, _)| !SHARED.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "each of these names means two public types: {unknown:#?}");
    for name in SHARED {
        let is_needed = repeated.iter().any(|(other, _)| other == name);
        assert!(is_needed, "`{name}` is the name of one type only: strike it from the list");
    }
}

#[test]
fn names_of_two_types_are_noticed() {
    let types = |text: &str| {
        let mut types = Types::default();
        let items = syn::parse_file(text).expect("it compiles").items;
        types.walk(&items, Path::new("lib.rs"), Path::new("src"), true);
        repeated(types.named()).len()
    };
    for (text, expected) in [
        ("pub mod a { pub struct Noise; } pub mod b { pub enum Noise {} }", 1),
        ("pub mod a { pub trait Noise {} } pub mod b { pub struct Noise; }", 1),
        ("mod a { pub struct Noise; } pub mod b { pub struct Noise; } pub use a::{Noise};", 1),
        ("mod a { pub struct Noise; } pub mod b { pub struct Noise; }", 0),
        ("pub mod a { struct Noise; } pub mod b { pub struct Noise; }", 0),
        ("pub mod a { pub struct Noise; } #[cfg(test)] pub mod b { pub struct Noise; }", 0),
    ] {
        assert_eq!(types(text), expected, "{text}");
    }
}

/// Modules of a library that the front door does not need: they hold what stands at the root of the
/// library too, or serve the other crates.
const BEHIND_THE_DOOR: &[&str] = &[
    "adjacency",
    "arguments",
    "interactive",
    "measurement",
    "mechanism",
    "normal",
    "notion",
    "number",
    "query",
    "search",
    "sensitivity",
];

/// The names that a file makes public: of items, of modules that are not hidden, of re-exports.
fn public_names(items: &[Item], inside: bool) -> Vec<String> {
    let mut types = Types::default();
    let mut names = vec![];
    for item in items {
        match item {
            Item::Use(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => types.reexport(&item.tree),
            Item::Mod(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                if let (true, Some((_, items))) = (inside, &item.content) {
                    names.extend(public_names(items, inside));
                }
                names.push(item.ident.to_string());
            }
            _ => {}
        }
    }
    names.extend(types.reexported);
    names
}

#[test]
fn the_front_door_leads_everywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let names = |library: &str, inside| {
        let text = fs::read_to_string(root.join(library).join("src/lib.rs")).expect("the file can be read");
        public_names(&syn::parse_file(&text).expect("it compiles").items, inside)
    };
    let door = names("exactdp", true);
    let mut seen = 0;
    // All of `dp-ml` is `exactdp::learn`.
    for library in ["dp-core", "dp-mechanisms", "dp-sensitivity", "dp-accounting"] {
        for name in names(library, false) {
            seen += 1;
            let is_there = door.contains(&name) || BEHIND_THE_DOOR.contains(&name.as_str());
            assert!(is_there, "exactdp has no {library}::{name}");
        }
    }
    assert!(seen > 100, "{seen} names");
}
