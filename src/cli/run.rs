//! `crosslane run`: one kernel from a file, on any device, with arrays from files.

use super::kernel::{self, Ready, named, reflection};
use super::{Outcome, measure, print, table, told};
use crosslane::{Access, Device};
use std::path::Path;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    kernel: kernel::Options,
    /// An index, part of a name, API or kind: 0, nvidia, vulkan, vulkan:nvidia, software. Else CROSSLANE_DEVICE or the
    /// best one.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Where a binding goes that the kernel wrote; without any, the first elements of each are printed.
    #[arg(long = "out", value_name = "NAME=FILE.npy")]
    out: Vec<String>,
    /// Runs it again and again, after the results are read, and prints the median.
    #[arg(long)]
    time: bool,
}

pub fn run(options: &Options) -> Outcome {
    let kernel = options.kernel.kernel()?;
    let grid = options.kernel.grid()?.ok_or("--grid: wanted the workgroups in each dimension, as 64 or 64,8,1")?;
    let inputs = options.kernel.inputs(&kernel)?;
    let written = reflection(&kernel).bindings.iter().filter(|resource| resource.point.access == Access::Write);
    let written: Vec<String> = written.map(|resource| resource.name.clone()).collect();
    let out = options.out.iter().map(|text| named("--out", text, &written)).collect::<Outcome<Vec<_>>>()?;
    let device = match &options.device {
        Some(request) => Device::open(request)?,
        None => Device::new()?,
    };
    let ready = inputs.upload(&device, &kernel, grid)?;
    ready.launch().and_then(|()| device.synchronize()).map_err(told)?;
    for (name, file) in &out {
        fetch(&ready, name)?.write(Path::new(file))?;
    }
    if out.is_empty() {
        for name in &written {
            print(&format!("{name}: {}", fetch(&ready, name)?.describe()))?;
        }
    }
    if options.time {
        let (seconds, clock) = measure::median(&device, &|| ready.launch())?;
        print(&format!("time: {} by the {clock} clock, {}", table::time(seconds), device.properties()))?;
    }
    Ok(())
}

fn fetch(ready: &Ready, name: &str) -> Outcome<Box<dyn super::data::OnHost>> {
    let index = ready.names.iter().position(|known| known == name).expect("named() looked it up");
    ready.arrays[index].fetch()
}
