//! `crosslane run`: one kernel from a file, on any device, with arrays from files.

use super::kernel::{self, Ready, named, reflection};
use super::{Outcome, measure, print, table};
use crosslane::kernel::Access;
use std::path::Path;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    target: kernel::Target,
    /// A file for a binding's result, as NAME=FILE. Without any, the first elements of each written binding are
    /// printed.
    #[arg(long = "out", value_name = "NAME=FILE.npy")]
    out: Vec<String>,
    /// Runs it again and again, after the results are read, and prints the median.
    #[arg(long)]
    time: bool,
}

pub fn run(options: &Options) -> Outcome {
    let kernel = options.target.kernel.kernel()?;
    let written = reflection(&kernel).bindings.iter().filter(|resource| resource.point.access == Access::Write);
    let written: Vec<String> = written.map(|resource| resource.name.clone()).collect();
    let out = options.out.iter().map(|text| named("--out", text, &written)).collect::<Outcome<Vec<_>>>()?;
    let ready = options.target.launched(&kernel)?;
    for (name, file) in &out {
        fetch(&ready, name)?.write(Path::new(file))?;
    }
    if out.is_empty() {
        for name in &written {
            print(&format!("{name}: {}", fetch(&ready, name)?.describe()))?;
        }
    }
    if options.time {
        let (seconds, clock) = measure::median(&ready.device, &|| ready.launch())?;
        print(&format!("time: {} by the {clock} clock, {}", table::time(seconds), ready.device.properties()))?;
    }
    Ok(())
}

fn fetch(ready: &Ready, name: &str) -> Outcome<Box<dyn super::data::OnHost>> {
    let index = ready.names.iter().position(|known| known == name).expect("named() looked it up");
    ready.arrays[index].fetch()
}
