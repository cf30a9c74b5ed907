//! What is passed to `exactdp query`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dp_core::Approx;
use dp_query::{Columns, Error, Limits, QueryOptions, Source};

/// What is asked, of which rows, at which price.
#[derive(Args, Debug)]
pub struct QueryArguments {
    /// The private rows: a Parquet file, a folder of them, or a CSV file; the table has its name
    pub file: PathBuf,
    /// The query
    pub sql: String,
    /// The column that says whose a row is, or `row` if each row is a person
    #[arg(long)]
    pub unit: String,
    /// Where the price is booked; made if it does not exist
    #[arg(long)]
    pub ledger: Option<PathBuf>,
    /// ε of this release
    #[arg(long)]
    pub epsilon: Option<f64>,
    /// δ of this release, which keys that nobody declared need; 0 where it is missing
    #[arg(long)]
    pub delta: Option<f64>,
    /// ε of all releases from a new ledger together; that of this release where it is missing
    #[arg(long)]
    pub total_epsilon: Option<f64>,
    /// δ of all releases from a new ledger together
    #[arg(long)]
    pub total_delta: Option<f64>,
    /// In how many groups a person counts at most
    #[arg(long)]
    pub max_groups: Option<u32>,
    /// How many rows of a person count in a group at most
    #[arg(long)]
    pub max_rows_per_group: Option<u32>,
    /// A group of fewer people is not released
    #[arg(long)]
    pub min_people: Option<u64>,
    /// Between which numbers values of a column count: amount=0:500
    #[arg(long, value_name = "COLUMN=LOW:HIGH")]
    pub bounds: Vec<String>,
    /// The groups of a column, whether they occur or not: shop=north,south
    #[arg(long, value_name = "COLUMN=KEY,…")]
    pub keys: Vec<String>,
    /// A public table that the query may join, under its file's name
    #[arg(long, value_name = "FILE")]
    pub public: Vec<PathBuf>,
    /// How sure the intervals are
    #[arg(long, default_value_t = 0.95)]
    pub confidence: f64,
    /// How the answer is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Where the answer is written, instead of printing it; Parquet needs it
    #[arg(long)]
    pub output: Option<PathBuf>,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people
    Table,
    /// Comma-separated values
    Csv,
    /// One JSON object with rows, guarantee and release
    Json,
    /// A Parquet file
    Parquet,
}

impl QueryArguments {
    pub(super) fn table(&self) -> Result<String, Error> {
        stem(&self.file)
    }

    pub(super) fn source(&self) -> Source {
        source_of(&self.file)
    }

    pub(super) fn columns(&self) -> Result<Columns, Error> {
        let mut columns = Columns::new();
        for bounds in &self.bounds {
            let wrong = || refused(format!("--bounds {bounds}"), "write --bounds amount=0:500");
            let (column, range) = bounds.split_once('=').ok_or_else(wrong)?;
            let (low, high) = range.split_once(':').ok_or_else(wrong)?;
            let [low, high] = [low, high].map(|number| number.trim().parse::<f64>());
            columns = columns.bounds(column, low.map_err(|_| wrong())?, high.map_err(|_| wrong())?)?;
        }
        for keys in &self.keys {
            let wrong = || refused(format!("--keys {keys}"), "write --keys shop=north,south");
            let (column, list) = keys.split_once('=').ok_or_else(wrong)?;
            columns = columns.keys(column, list.split(','));
        }
        Ok(columns)
    }

    pub(super) fn limits(&self, mut limits: Limits) -> Result<Limits, Error> {
        if let Some(groups) = self.max_groups {
            limits = limits.with_groups(groups)?;
        }
        if let Some(rows) = self.max_rows_per_group {
            limits = limits.with_rows(rows)?;
        }
        Ok(limits)
    }

    /// The price: what the options say, or else the query.
    pub(super) fn guarantee(&self, query: &QueryOptions) -> Result<Approx, Error> {
        let epsilon = self.epsilon.or(query.epsilon).ok_or_else(|| {
            refused(
                "a release without a price".into(),
                "pass --epsilon, and --delta for keys that nobody declared",
            )
        })?;
        Ok(Approx::new(epsilon, self.delta.or(query.delta).unwrap_or(0.0))?)
    }

    /// The total of a new ledger.
    pub(super) fn total(&self, cost: Approx) -> Result<Approx, Error> {
        let epsilon = self.total_epsilon.unwrap_or(cost.epsilon().get());
        Ok(Approx::new(epsilon, self.total_delta.unwrap_or(cost.delta().get()))?)
    }
}

/// The name of a file without its ending.
pub(super) fn stem(path: &Path) -> Result<String, Error> {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.map(str::to_owned)
        .ok_or_else(|| refused(format!("the file {}", path.display()), "name a file whose name is a text"))
}

/// A file of comma-separated values by its ending; Parquet otherwise.
pub(super) fn source_of(path: &Path) -> Source {
    let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    if is_csv { Source::csv(path) } else { Source::parquet(path) }
}

fn refused(what: String, instead: &str) -> Error {
    Error::Refused { what, instead: instead.to_owned() }
}
