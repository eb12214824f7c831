//! The project's chores: `cargo xtask help` lists them.

mod chart;
mod divergence;
mod edit_loop;
mod format;
mod hardware;
mod new_op;
mod package;
mod peers;
mod release;
mod report;
mod results;
mod sanitize;
mod switching;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// An error is told as text, and ends the program.
pub type Outcome<T> = Result<T, String>;

const HELP: &str = "\
cargo xtask COMMAND

  results           writes benches/RESULTS.md, benches/ratios.svg and the README's table from benches/h200.json
  results --check   fails if one of them differs from what `results` would write
  results --merge OURS.json PEERS.jsonl COMMIT DATE
                    puts new figures into benches/h200.json first; benches/h200.sh makes the two files
  fmt [--check]     formats all files, those of operations too, which `cargo fmt` does not find
  new-op NAME       writes an operation to begin with: its shader, its folder, its line in crates/ops/src/lib.rs
  ci                runs .ci/run: format, lints, documentation and all tests
  hardware          runs tests on the cpu engine, with all checks, as each kind of hardware; fails if a test runs as none
  bench [ARGUMENT ..]
                    runs the program's own benchmark, built for release: `cargo xtask bench --quick`
  report NAME [--tests] [ARGUMENT ..]
                    measures this machine into benches/reports/NAME.json, then joins the reports; runs all tests into
                    target/report/NAME.txt too (docs/lend_a_card.md)
  report            joins the reports of benches/reports: the README's cascade, and a page in target/report
  sanitize miri|address|thread|cuda [TEST ..]
                    runs unit tests under Miri, or conformance under a sanitizer (CONTRIBUTING.md)
  divergence        prints the lines of code of each engine and of all, and the code divergence
  edit-loop         measures what a changed line costs until its test has run: of a plan, a kernel's text, a method, the
                    interpreter
  switching         runs one example by each engine's feature alone, and on each device: the answers must be the same
  release VERSION [--publish]
                    checks that a version can be published, and builds it from its packages; publishes and tags it, after a
                    question
  package [--build] packs all crates that are published and checks what is in them; builds each from its package alone
  peers [OUT]       measures CUDA, CUB, PyTorch, CuPy and Numba on this machine's NVIDIA card (benches/peers)";

/// The repository's folder.
pub fn root() -> PathBuf {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask lies in the repository").into()
}

/// Runs a program in the repository's folder.
pub fn run(program: &str, arguments: &[&str]) -> Outcome<()> {
    let command = format!("{program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).current_dir(root()).status();
    match status.map_err(|error| format!("{command}: {error}"))? {
        status if status.success() => Ok(()),
        status => Err(format!("{command}: {status}")),
    }
}

fn command(arguments: &[&str]) -> Outcome<()> {
    match arguments {
        ["results"] => results::write(),
        ["results", "--check"] => results::check(),
        ["results", "--merge", ours, peers, commit, date] => results::merge(ours, peers, commit, date),
        ["divergence"] => divergence::print(),
        ["fmt"] => format::all(false),
        ["fmt", "--check"] => format::all(true),
        ["new-op", name] => new_op::make(&root(), name),
        ["hardware"] => hardware::run(),
        ["ci"] => run("bash", &[".ci/run"]),
        ["bench", rest @ ..] => run(
            "cargo",
            &[&["run", "--release", "-p", "crosslane-cli", "--features", "cli,cuda", "--", "bench"], rest].concat(),
        ),
        ["sanitize", which, tests @ ..] => sanitize::run(which, tests),
        ["report"] => report::join(),
        ["report", name, options @ ..] => report::measure(name, options),
        ["edit-loop"] => edit_loop::measure(),
        ["switching"] => switching::compare(),
        ["package"] => package::check(false),
        ["package", "--build"] => package::check(true),
        ["release", version] => release::release(version, false),
        ["release", version, "--publish"] => release::release(version, true),
        ["peers"] => peers::measure(None),
        ["peers", out] => peers::measure(Some(out)),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(format!("no such command: {}\n\n{HELP}", arguments.join(" "))),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
