//! The program `crosslane`: arguments, errors, and what a command prints.

mod bench;
mod channels;
mod check;
mod compare;
mod convolutions;
#[cfg(feature = "cuda")]
mod cuda;
mod data;
mod devices;
mod energy;
mod engines;
mod export;
mod groups;
mod histograms;
mod indices;
mod kernel;
mod kernels;
mod latency;
mod lookups;
mod measure;
mod npy;
mod products;
mod profile;
mod randoms;
mod report;
mod run;
mod sorts;
mod spectra;
mod stencils;
mod table;
mod transfers;
mod translate;
mod tune;
mod tutorial;
mod workloads;

use clap::{Parser, Subcommand};
use crosslane::ErrorKind;
use env_logger::fmt::Formatter;
use env_logger::{Builder, Env};
use log::Record;
use std::io::Write;
use std::panic;
use std::process::ExitCode;
use std::time::Instant;

/// What a command gives: its error is printed as one line.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Lists and measures GPUs and other devices; checks, runs and profiles WGSL kernels.
///
/// RUST_LOG=info shows why a device was chosen.
#[derive(Parser)]
#[command(name = "crosslane", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the devices of this machine.
    Devices {
        /// Prints JSON.
        #[arg(long)]
        json: bool,
    },
    /// Measures a device; every result is checked before it is timed.
    Bench(bench::Options),
    /// Measures the variants of operations, and saves the fastest for this device.
    Tune(tune::Options),
    /// Checks a kernel: its requirements, the devices that it runs on, and its translations to other languages.
    Check(check::Options),
    /// Runs a kernel with arrays from .npy files.
    Run(run::Options),
    /// Writes a kernel with its arrays as a folder that runs it in a browser.
    Export(export::Options),
    /// Runs a kernel again and again, and prints where the time goes.
    Profile(profile::Options),
    /// Measures performance portability: a suite of problems on every engine of this machine, as a page, JSON and CSV.
    Report(report::Options),
}

fn main() -> ExitCode {
    log();
    let result = match Arguments::parse().command {
        Command::Devices { json } => devices::run(json),
        Command::Bench(options) => bench::run(&options),
        Command::Tune(options) => tune::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Profile(options) => profile::run(&options),
        Command::Report(options) => report::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crosslane: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Messages that `RUST_LOG` asks for, each with its time in seconds.
fn log() {
    let start = Instant::now();
    let line = move |to: &mut Formatter, record: &Record| {
        let (time, level) = (start.elapsed().as_secs_f64(), record.level());
        let style = to.default_level_style(level);
        writeln!(to, "[{time:.3} {style}{level}{style:#} {}] {}", record.target(), record.args())
    };
    Builder::from_env(Env::default().default_filter_or("error,crosslane=warn")).format(line).init();
}

/// What an error of the library says, without the place in this program that called it.
fn told(error: crosslane::Error) -> String {
    match error.kind() {
        ErrorKind::Argument { argument, wanted, got, .. } => format!("{argument}: wanted {wanted}, got {got}"),
        ErrorKind::Unsupported { wanted, device, help, .. } => format!("{device} does not have {wanted}; {help}"),
        ErrorKind::Compile { message, .. } => message.clone(),
        ErrorKind::File { file, message, .. } => format!("{file}: {message}"),
        _ => error.to_string(),
    }
}

/// Runs code that panics on what it does not know; the panic becomes an error and is not printed.
fn caught<R>(work: impl FnOnce() -> R) -> Outcome<R> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(panic::AssertUnwindSafe(work));
    panic::set_hook(hook);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        format!("not possible: {}", text.unwrap_or("the library panicked")).into()
    })
}

/// Prints to standard output; a reader that has gone (`| head`) is no error.
fn print(text: &str) -> Outcome {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("standard output: {error}").into()),
        _ => Ok(()),
    }
}
