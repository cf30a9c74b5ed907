//! The public interface has one spelling for each meaning: the table of names in ARCHITECTURE.md.

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ImplItemFn, ItemFn, ItemMod, Meta, Pat, Signature, Type, Visibility};

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
];

/// What a constructor may be called that is given a guarantee as numbers, beside `with_…` for one that is given more than
/// the least.
const GIVEN: &[(&[&str], &[&str])] = &[
    (&["epsilon", "delta"], &["epsilon_delta", "printed"]),
    (&["epsilon"], &["epsilon", "monotone_epsilon", "printed"]),
    (&["rho"], &["rho", "monotone_rho", "printed"]),
    (&["mu"], &["mu"]),
];

/// Functions that are given such a number and are none of these: notions, one of several mechanisms or objectives for the
/// same guarantee, and questions about a given noise.
const OTHERS: &[&str] = &[
    "Admissible::of",
    "Admissible::of_gaussian",
    "Admissible::of_laplace",
    "Approx::new",
    "Gdp::new",
    "LearningRate::power", // another ρ: that of a power
    "MixedNoise::least_error",
    "Pure::new",
    "StudentT::cauchy",
    "UnaryEncoding::symmetric",
    "Zcdp::new",
    "Zcdp::with_offset",
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
    let floats: Vec<&str> =
        parameters.iter().filter(|(_, is_float)| *is_float).map(|(name, _)| name.as_str()).collect();
    if let Some(place) = parameters.iter().position(|(name, _)| name == "beta")
        && name == "error_bound"
        && place + 1 != parameters.len()
    {
        return Some(format!("{path}: `beta` comes last"));
    }
    if *is_method || !path.contains("::") {
        return None;
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
    for library in ["dp-core", "dp-mechanisms", "dp-sensitivity", "dp-accounting", "dp-ml", "exactdp"] {
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
        ("impl Noise { pub fn error_bound(&self, beta: f64, coordinates: usize) {} }", 1),
        ("impl Noise { pub fn epsilon(epsilon: f64, values: u32) {} }", 0),
        ("impl Noise { pub fn with_gamma(epsilon: f64, gamma: f64) {} }", 0),
        ("impl Noise { fn new(epsilon: f64) {} }", 0),
        ("#[cfg(test)] mod tests { impl Noise { pub fn new(epsilon: f64) {} } }", 0),
    ] {
        assert_eq!(complaints(text), expected, "{text}");
    }
}
