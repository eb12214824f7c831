//! Measures the other libraries on this machine's card, by the programs of `benches/peers`.

use crate::{Outcome, root};
use std::fs::File;
use std::process::{Command, Stdio};

/// What each program is started with. CUB's is compiled first.
const PROGRAMS: [&[&str]; 4] = [
    &["python3", "benches/peers/python_peers.py"],
    &["python3", "benches/peers/warm_products.py"],
    &["python3", "benches/peers/more_peers.py"],
    &["target/cub_peers"],
];
const COMPILE: [&str; 8] = [
    "nvcc",
    "-O3",
    "-arch=native",
    "-std=c++17",
    "--extended-lambda",
    "benches/peers/cub_peers.cu",
    "-o",
    "target/cub_peers",
];

/// Writes a line of JSON for each figure to a file, or prints them.
pub fn measure(out: Option<&str>) -> Outcome<()> {
    let file = out.map(|path| File::create(path).map_err(|error| format!("{path}: {error}"))).transpose()?;
    std::fs::create_dir_all(root().join("target")).map_err(|error| format!("target: {error}"))?;
    for program in [&COMPILE[..]].iter().chain(&PROGRAMS) {
        let to = match &file {
            Some(file) => Stdio::from(file.try_clone().map_err(|error| error.to_string())?),
            None => Stdio::inherit(),
        };
        let status = Command::new(program[0]).args(&program[1..]).current_dir(root()).stdout(to).status();
        let failed = |why: String| format!("{}: {why}; benches/peers/README.md says what it needs", program.join(" "));
        let status = status.map_err(|error| failed(error.to_string()))?;
        if !status.success() {
            return Err(failed(status.to_string()));
        }
    }
    Ok(())
}
