//! `exactdp ledger`: makes, shows and verifies the account of a data set on disk.

mod page;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use dp_accounting::Ledger;
use dp_accounting::ledger::{Book, Receipt};
use dp_core::{AddRemove, Adjacency, Approx};
use dp_query::AddRemovePerson;

use super::query::data_set;

/// What is done with a ledger.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Makes a ledger: how much may be spent on a table in all
    Create(Create),
    /// Shows what was asked, when, at which price, and what is left
    Show(Show),
    /// Checks that nothing was changed, and that the entry of a receipt is there
    Verify(Verify),
}

/// How much may be spent on which table.
#[derive(Args, Debug)]
pub struct Create {
    /// The file, which must not exist
    path: PathBuf,
    /// The name of the table, which is that of its file without the ending
    #[arg(long)]
    table: String,
    /// The column that says whose a row is, or `row` if each row is a person
    #[arg(long)]
    unit: String,
    /// ε of all releases together
    #[arg(long)]
    total_epsilon: f64,
    /// δ of all releases together
    #[arg(long, default_value_t = 0.0)]
    total_delta: f64,
}

/// How a ledger is shown.
#[derive(Args, Debug)]
pub struct Show {
    /// The file
    path: PathBuf,
    /// Writes a page that can be read in a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// What a ledger is checked against.
#[derive(Args, Debug)]
pub struct Verify {
    /// The file
    path: PathBuf,
    /// The last receipt that was kept elsewhere, `number:checksum`
    #[arg(long)]
    receipt: Option<Receipt>,
}

/// Carries out a command on a ledger.
///
/// # Errors
/// When the ledger cannot be read or written, or is not what was written.
pub fn run(command: &Command) -> Result<ExitCode> {
    match command {
        Command::Create(create) => {
            let total = Approx::new(create.total_epsilon, create.total_delta)?;
            let name = data_set(&create.table, &create.unit);
            let receipt = if create.unit == "row" {
                Ledger::<Approx, AddRemove>::create(&create.path, &name, &total)?.receipt()
            } else {
                Ledger::<Approx, AddRemovePerson>::create(&create.path, &name, &total)?.receipt()
            };
            println!("{}: {total} for {name}, receipt {receipt}", create.path.display());
        }
        Command::Show(show) => {
            let shown = read(&show.path)?;
            match &show.html {
                Some(page) => {
                    std::fs::write(page, shown.page())
                        .with_context(|| format!("{} could not be written", page.display()))?;
                    println!("{}", page.display());
                }
                None => print!("{}", shown.text()),
            }
        }
        Command::Verify(verify) => {
            let shown = read(&verify.path)?;
            if let Some(receipt) = &verify.receipt
                && !shown.receipts.contains(&receipt.to_string())
            {
                bail!("entry {receipt} is not in the ledger: it was cut off, or replaced by an older copy");
            }
            let entries = shown.entries.len();
            println!("{entries} entries, all as they were written; the last receipt is {}", shown.last);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A ledger as it is shown.
struct Shown {
    data_set: String,
    total: Approx,
    spent: Approx,
    remaining: Approx,
    entries: Vec<Line>,
    /// The receipts of all entries, and of the header.
    receipts: Vec<String>,
    last: String,
}

/// An entry as it is shown.
struct Line {
    number: u64,
    label: String,
    time: String,
    cost: Approx,
}

/// Reads a ledger of either unit.
fn read(path: &std::path::Path) -> Result<Shown> {
    match Ledger::<Approx, AddRemovePerson>::audit(path) {
        Ok(book) => Ok(shown(&book)),
        Err(first) => match Ledger::<Approx, AddRemove>::audit(path) {
            Ok(book) => Ok(shown(&book)),
            Err(_) => Err(first).with_context(|| format!("{} cannot be shown", path.display())),
        },
    }
}

fn shown<A: Adjacency>(book: &Book<Approx, A>) -> Shown {
    let entries = book.entries().iter().map(|entry| Line {
        number: entry.number(),
        label: entry.label().to_owned(),
        time: entry.time().unwrap_or_default().to_owned(),
        cost: *entry.cost(),
    });
    let last = book.receipt().to_string();
    let receipts = book.entries().iter().map(|entry| entry.receipt().to_string()).chain([last.clone()]);
    Shown {
        data_set: book.data_set().to_owned(),
        total: *book.total(),
        spent: book.spent(),
        remaining: book.remaining(),
        entries: entries.collect(),
        receipts: receipts.collect(),
        last,
    }
}

impl Shown {
    fn text(&self) -> String {
        let mut text = format!(
            "{}\ntotal      {}\nspent      {}\nleft       {}\n",
            self.data_set, self.total, self.spent, self.remaining
        );
        for line in &self.entries {
            let label = line.label.split_whitespace().collect::<Vec<_>>().join(" ");
            text.push_str(&format!("{:5}  {:20}  {}  {label}\n", line.number, line.time, line.cost));
        }
        text.push_str(&format!("receipt    {}\n", self.last));
        text
    }
}
