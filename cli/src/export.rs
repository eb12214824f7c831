//! `crosslane export`: a kernel from a file, with its arrays, as a folder that a browser shows.

use super::{Outcome, kernel, print, told};
use crosslane::Device;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    kernel: kernel::Options,
    /// The folder to write: export.json, replay.js and index.html.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

pub fn run(options: &Options) -> Outcome {
    let kernel = options.kernel.kernel()?;
    // Nothing runs: the device stands for what every browser has.
    let device = Device::open("cpu:webgpu").map_err(told)?;
    let ready = options.kernel.ready(&kernel, &device)?;
    let recording = ready.recording().map_err(told)?;
    let name = options.kernel.file.file_stem().unwrap_or_default().to_string_lossy();
    let named = ready.names.iter().zip(&ready.arrays).zip(&kernel::reflection(&kernel).bindings);
    let exporter = named.fold(recording.export(&name), |exporter, ((name, array), resource)| {
        array.export(exporter, name, resource.point.access)
    });
    let export = exporter.finish().map_err(told)?;
    let folder = options.out.display();
    export.write_folder(&options.out).map_err(|error| format!("--out {folder}: {error}"))?;
    print(&format!("{folder}: export.json, replay.js, index.html; see it by `python3 -m http.server -d {folder}`"))
}
