//! `exactdp query` and `exactdp plan`: private SQL over a file.
//!
//! The exit code is 0 when something was released, 2 when the request was refused by public facts,
//! 3 when the ledger cannot pay, and 1 for everything else.

mod arguments;
mod format;

use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, Result};
use dp_accounting::Ledger;
use dp_accounting::ledger::{Note, Receipt};
use dp_core::{AddRemove, Approx};
use dp_mechanisms::rng::OsSeeded;
use dp_query::{AddRemovePerson, Error, PrivateQuery, Release, Tables, Unit};

pub use arguments::QueryArguments;

/// Examples, for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  exactdp plan purchases.parquet --unit customer --epsilon 1 --delta 1e-8 --bounds amount=0:500 \\
      \"SELECT shop, COUNT(*) AS n, SUM(amount) AS total FROM purchases GROUP BY shop\"
  exactdp query purchases.csv --unit customer --ledger purchases.ledger --epsilon 1 \\
      --keys shop=north,south --format json \"SELECT shop, COUNT(*) AS n FROM purchases GROUP BY shop\"
  exactdp query survey.csv --unit row --ledger survey.ledger --epsilon 0.5 \"SELECT COUNT(*) AS n FROM survey\"";

/// Releases the answer of a query.
///
/// # Errors
/// When a file cannot be written.
pub fn run(options: &QueryArguments) -> Result<ExitCode> {
    answer(options, true)
}

/// Prints what would be released.
///
/// # Errors
/// When nothing can be printed.
pub fn plan(options: &QueryArguments) -> Result<ExitCode> {
    answer(options, false)
}

fn answer(options: &QueryArguments, spends: bool) -> Result<ExitCode> {
    let answered = if options.unit == "row" {
        let open = || {
            let mut tables = Tables::<AddRemove>::new()?;
            let columns = tables.private_rows(&options.table()?, options.source(), options.columns()?)?;
            if columns.contains(&"row".to_owned()) {
                return Err(Error::Refused {
                    what: "--unit row for a table with a column `row`".into(),
                    instead: "rename the column: it would not be clear who is protected".into(),
                });
            }
            Ok(tables)
        };
        with_tables(options, open, spends)
    } else {
        let open = || {
            let mut tables = Tables::<AddRemovePerson>::new()?;
            tables.private(&options.table()?, options.source(), &options.unit, options.columns()?)?;
            Ok(tables)
        };
        with_tables(options, open, spends)
    };
    match answered {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(Failure::Query(error)) => {
            eprintln!("error: {error}");
            Ok(ExitCode::from(match error {
                Error::Refused { .. } | Error::Sql(_) | Error::Core(_) => 2,
                Error::Budget(dp_accounting::Error::Exhausted { .. }) => 3,
                _ => 1,
            }))
        }
        Err(Failure::Other(error)) => Err(error),
    }
}

/// Why there is no answer.
enum Failure {
    Query(Error),
    Other(anyhow::Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Query(error.into())
    }
}

fn with_tables<U: Unit>(
    options: &QueryArguments,
    open: impl FnOnce() -> Result<Tables<U>, Error>,
    spends: bool,
) -> Result<(), Failure> {
    let mut tables = open()?;
    for path in &options.public {
        tables.public(&arguments::stem(path)?, arguments::source_of(path))?;
    }
    let query: PrivateQuery<'_, U> = tables.query(&options.sql)?;
    let limits = options.limits(query.limits())?;
    let query = query.with_limits(limits)?;
    let query = if let Some(people) = options.min_people { query.with_minimum(people) } else { query };
    let guarantee = options.guarantee(query.options())?;
    let release = query.to(guarantee)?.with_confidence(options.confidence)?;
    if !spends {
        print!("{release}");
        return Ok(());
    }
    let Some(path) = &options.ledger else {
        return Err(Error::Refused {
            what: "a release without a ledger".into(),
            instead: "name the file in which its price is booked, --ledger purchases.ledger; it is made if \
                      it does not exist"
                .into(),
        }
        .into());
    };
    let mut ledger = ledger(options, path, guarantee)?;
    let (answer, receipt) = spend(&release, &mut ledger)?;
    let printed = format::print(&answer, guarantee, &options.unit, &receipt, options);
    printed.context("the answer is paid, and could not be written").map_err(Failure::Other)
}

fn spend<U: Unit>(
    release: &Release<'_, Approx, U>,
    ledger: &mut Ledger<Approx, U>,
) -> Result<(dp_query::ReleasedTable, Receipt), Failure> {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let note = Note::from(release.sql()).at(&now);
    let answer = release.spend(&mut ledger.note(note), &mut OsSeeded::new()?)?;
    Ok((answer, ledger.receipt()))
}

/// The ledger, made with the total of the options if there is none.
fn ledger<U: Unit>(
    options: &QueryArguments,
    path: &Path,
    cost: Approx,
) -> Result<Ledger<Approx, U>, Failure> {
    let data_set = data_set(&options.table()?, &options.unit);
    if !path.exists() {
        return Ok(Ledger::create(path, &data_set, &options.total(cost)?)?);
    }
    let ledger = Ledger::load(path)?;
    if ledger.data_set() != data_set {
        return Err(Error::Refused {
            what: format!("a release about {data_set} from a ledger about {}", ledger.data_set()),
            instead: "name the ledger of these data".into(),
        }
        .into());
    }
    Ok(ledger)
}

/// What a ledger of a table is about.
pub(in crate::command) fn data_set(table: &str, unit: &str) -> String {
    format!("{table}, for each {unit}")
}
