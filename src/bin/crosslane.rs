//! The program `crosslane`: which devices there are, and how fast they are.

#[path = "../cli/mod.rs"]
mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
