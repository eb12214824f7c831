//! The command line: arguments, errors, and what a command prints.

mod bench;
mod check;
mod devices;
mod latency;
mod measure;
mod table;
mod transfers;
mod workloads;

use clap::{Parser, Subcommand};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// What a command gives: its error is printed as one line.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Arrays, fused expressions and reductions on any GPU.
///
/// RUST_LOG=info shows why a device was chosen.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the devices that are here.
    Devices {
        /// Prints JSON.
        #[arg(long)]
        json: bool,
    },
    /// Measures a device; every result is checked before it is timed.
    Bench(bench::Options),
}

/// Runs the program.
pub fn run() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("error,crosslane=warn")).init();
    let result = match Arguments::parse().command {
        Command::Devices { json } => devices::run(json),
        Command::Bench(options) => bench::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crosslane: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints to standard output; a reader that has gone (`| head`) is no error.
fn print(text: &str) -> Outcome {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}").into()),
        _ => Ok(()),
    }
}
