//! What a contributor waits for: a line is changed, and a test of it runs.

use crate::{Outcome, root};
use std::fs;
use std::process::Command;
use std::time::Instant;

/// A loop: its name, the file whose line changes, and the test.
struct Loop {
    name: &'static str,
    file: &'static str,
    test: [&'static str; 2],
}

const ELEMENTWISE: &str = "elementwise::integers_and_masks_are_exact";

const LOOPS: [Loop; 4] = [
    Loop { name: "a plan", file: "crates/ops/src/suppress/mod.rs", test: ["cases", "suppress"] },
    Loop { name: "a kernel's text", file: "shaders/suppress.wgsl", test: ["cases", "suppress"] },
    Loop { name: "a method of Array", file: "src/array/elementwise.rs", test: ["conformance", ELEMENTWISE] },
    Loop { name: "the interpreter", file: "crates/cpu/src/turns.rs", test: ["conformance", ELEMENTWISE] },
];

/// Seconds of the clock, and of processors if the system tells.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    processor: Option<f64>,
}

/// A file that begins with an empty line more, until it is dropped: what follows has other lines, and is compiled anew.
struct Changed {
    file: &'static str,
    before: String,
}

impl Changed {
    fn new(file: &'static str) -> Outcome<Changed> {
        let before = fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
        let changed = Changed { file, before };
        changed.write(&format!("\n{}", changed.before))?;
        Ok(changed)
    }

    fn write(&self, text: &str) -> Outcome<()> {
        fs::write(root().join(self.file), text).map_err(|error| format!("{}: {error}", self.file))
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        if let Err(error) = self.write(&self.before) {
            eprintln!("not restored: {error}");
        }
    }
}

/// Processor seconds of the processes that this one has waited for, and of theirs. Linux counts 100 ticks a second.
fn of_children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // After the program's name in brackets, fields 16 and 17 of proc(5), counted from the third.
    let ticks = stat.rsplit_once(')')?.1.split_whitespace().skip(13).take(2);
    Some(ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

/// `cargo test` with all features, on the cpu engine alone.
fn cargo(arguments: &[&str]) -> Outcome<Cost> {
    let (start, before) = (Instant::now(), of_children());
    let output = Command::new("cargo")
        .args(["test", "-q", "--all-features"])
        .args(arguments)
        .envs(["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name, "/nowhere")))
        .env("CROSSLANE_REQUIRE", "")
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo test {}:\n{}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    let ran = String::from_utf8_lossy(&output.stdout);
    if ran.contains("test result: ok. 0 passed") {
        return Err(format!("cargo test {}: no test has this name\n{ran}", arguments.join(" ")));
    }
    let processor = of_children().zip(before).map(|(after, before)| after - before);
    Ok(Cost { wall: start.elapsed().as_secs_f64(), processor })
}

/// Prints each loop's cost, once with everything else built. To be run on an idle machine.
pub fn measure() -> Outcome<()> {
    println!("| a line is changed in | until it is built: processor s (wall) | until its test has run |");
    println!("|---|---|---|");
    for Loop { name, file, test: [binary, filter] } in &LOOPS {
        // The file of the loop before is as it was, and newer than what was built of it.
        cargo(&["--test", binary, "--no-run"])?;
        let _changed = Changed::new(file)?;
        let built = cargo(&["--test", binary, "--no-run"])?;
        let run = cargo(&["--test", binary, filter])?;
        println!("| {name} (`{file}`) | {} | {} |", said(built), said(both(built, run)));
    }
    Ok(())
}

fn both(a: Cost, b: Cost) -> Cost {
    Cost { wall: a.wall + b.wall, processor: a.processor.zip(b.processor).map(|(a, b)| a + b) }
}

fn said(cost: Cost) -> String {
    let processor = cost.processor.map_or("not told".into(), |seconds| format!("{seconds:.1}"));
    format!("{processor} ({:.1})", cost.wall)
}
