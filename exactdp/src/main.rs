//! The command `exactdp`.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use exactdp::command::{account, ledger, query};

#[derive(Parser)]
#[command(
    name = "exactdp",
    version,
    about = "Differential privacy with exact noise and proven accounting",
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Says what a composition of private releases costs, or how to make it fit
    #[command(after_help = account::EXAMPLES)]
    Account(account::Options),
    /// Answers a query over a file of private rows, and books its price
    #[command(after_help = query::EXAMPLES)]
    Query(query::QueryArguments),
    /// Says what a query would release, with which noise and limits, and spends nothing
    Plan(query::QueryArguments),
    /// Makes, shows and verifies ledgers
    #[command(subcommand)]
    Ledger(ledger::Command),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    let answered = match Cli::parse().command {
        Command::Account(options) => account::run(&options),
        Command::Query(options) => query::run(&options),
        Command::Plan(options) => query::plan(&options),
        Command::Ledger(command) => ledger::run(&command),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "exactdp", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    };
    answered.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
