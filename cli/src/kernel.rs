//! The common part of `check`, `run` and `profile`: a kernel from a file, and the arrays bound to it.

use super::data::{self, FORMS, OnDevice, OnHost};
use super::{Outcome, told};
use crosslane::kernel::Reflection;
use crosslane::{Argument, Device, Kernel, Launcher, Recording};
use std::path::PathBuf;

#[derive(clap::Args)]
#[group(skip)]
pub struct Options {
    /// A WGSL file.
    pub file: PathBuf,
    /// The entry point; needed if there are several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// A value for an override.
    #[arg(long = "override", value_name = "NAME=VALUE")]
    overrides: Vec<String>,
    /// An array for a binding, by its variable's name: a .npy file, zeros:f32:1024, random:f32:64x64, arange:u32:10,
    /// value:f32:2.5 or value:f32:1,2,3.
    #[arg(long = "bind", value_name = "NAME=WHAT")]
    bind: Vec<String>,
    /// The next member of var<immediate>, aligned to its own size.
    #[arg(long = "immediate", value_name = "TYPE:VALUE")]
    immediates: Vec<String>,
    /// Workgroups in each dimension.
    #[arg(long, value_name = "X[,Y[,Z]]")]
    grid: Option<String>,
}

/// A kernel from a file, and the device to run it on.
#[derive(clap::Args)]
#[group(skip)]
pub struct Target {
    #[command(flatten)]
    pub kernel: Options,
    /// An index, part of a name, API or kind: 0, nvidia, vulkan, vulkan:nvidia, software. Else CROSSLANE_DEVICE or the
    /// best one.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
}

impl Target {
    /// Uploads the kernel's arguments, and runs it once.
    pub fn launched(&self, kernel: &Kernel) -> Outcome<Ready> {
        let device = match &self.device {
            Some(request) => Device::open(request)?,
            None => Device::new()?,
        };
        let ready = self.kernel.ready(kernel, &device)?;
        ready.launch().and_then(|()| device.synchronize()).map_err(told)?;
        Ok(ready)
    }
}

/// The arguments on the host: an array for each binding of the kernel, and the immediates.
pub struct Inputs {
    names: Vec<String>,
    arrays: Vec<Box<dyn OnHost>>,
    immediates: Vec<u8>,
}

/// The arguments on a device.
pub struct Ready {
    pub device: Device,
    kernel: Kernel,
    grid: [u32; 3],
    pub names: Vec<String>,
    pub arrays: Vec<Box<dyn OnDevice>>,
    immediates: Vec<u8>,
}

impl Options {
    /// Reads and compiles the file.
    pub fn kernel(&self) -> Outcome<Kernel> {
        let name = self.file.display();
        let source = std::fs::read_to_string(&self.file).map_err(|error| format!("{name}: {error}"))?;
        let values = self.overrides.iter().map(|text| number(text)).collect::<Outcome<Vec<_>>>()?;
        let kernel = Kernel::wgsl_with(&source, self.entry.as_deref(), &values).map_err(|error| {
            // naga names its input "wgsl".
            format!("{name}: {}", told(error).trim()).replace("┌─ wgsl:", &format!("┌─ {name}:"))
        })?;
        match kernel.open_overrides().first() {
            None => Ok(kernel.named(&name.to_string())),
            Some(open) => {
                Err(format!("{name}: override {open} has no default: wanted --override {open}=NUMBER").into())
            }
        }
    }

    /// The grid, if one is given.
    pub fn grid(&self) -> Outcome<Option<[u32; 3]>> {
        let Some(text) = &self.grid else { return Ok(None) };
        let counts: Option<Vec<u32>> = text.split(',').map(|count| count.trim().parse().ok()).collect();
        match counts.as_deref() {
            Some(&[x]) => Ok(Some([x, 1, 1])),
            Some(&[x, y]) => Ok(Some([x, y, 1])),
            Some(&[x, y, z]) => Ok(Some([x, y, z])),
            _ => Err(format!("--grid: wanted one to three counts, as 64 or 64,8,1, got {text:?}").into()),
        }
    }

    /// The kernel with its arguments on a device.
    pub fn ready(&self, kernel: &Kernel, device: &Device) -> Outcome<Ready> {
        let grid = self.grid()?.ok_or("--grid: wanted the workgroups in each dimension, as 64 or 64,8,1")?;
        self.inputs(kernel)?.upload(device, kernel, grid)
    }

    /// The arrays and immediates that the kernel needs.
    pub fn inputs(&self, kernel: &Kernel) -> Outcome<Inputs> {
        let reflection = reflection(kernel);
        let names: Vec<String> = reflection.bindings.iter().map(|resource| resource.name.clone()).collect();
        let given = self.bind.iter().map(|text| named("--bind", text, &names)).collect::<Outcome<Vec<_>>>()?;
        let mut arrays = Vec::new();
        for resource in &reflection.bindings {
            let mut mine = given.iter().filter(|(name, _)| *name == resource.name);
            match (mine.next(), mine.next()) {
                (Some((name, what)), None) => {
                    arrays.push(data::parse(what).map_err(|error| format!("--bind {name}: {error}"))?)
                }
                (None, _) => {
                    return Err(
                        format!("{resource} is not bound: wanted --bind {}=WHAT, {FORMS}", resource.name).into()
                    );
                }
                (Some(_), Some(_)) => return Err(format!("--bind {}: wanted once, got it twice", resource.name).into()),
            }
        }
        Ok(Inputs { names, arrays, immediates: self.immediates(reflection)? })
    }

    fn immediates(&self, reflection: &Reflection) -> Outcome<Vec<u8>> {
        let mut bytes = Vec::new();
        for text in &self.immediates {
            let values = data::parse_values(text).map_err(|error| format!("--immediate {error}"))?;
            bytes.resize(bytes.len().next_multiple_of(values.size()), 0);
            bytes.extend(values.bytes());
        }
        let wanted = reflection.immediate_bytes as usize;
        // A structure ends at a multiple of its alignment.
        if bytes.len() < wanted && wanted - bytes.len() < 16 && !bytes.is_empty() {
            bytes.resize(wanted, 0);
        }
        match bytes.len() == wanted {
            true => Ok(bytes),
            false => Err(format!("--immediate: wanted {wanted} bytes, got {}", bytes.len()).into()),
        }
    }
}

impl Inputs {
    /// Copies everything to a device.
    pub fn upload(&self, device: &Device, kernel: &Kernel, grid: [u32; 3]) -> Outcome<Ready> {
        let mut arrays = Vec::new();
        for (name, array) in self.names.iter().zip(&self.arrays) {
            arrays.push(array.upload(device).map_err(|error| format!("--bind {name}: {error}"))?);
        }
        let (device, kernel) = (device.clone(), kernel.clone());
        Ok(Ready { device, kernel, grid, names: self.names.clone(), arrays, immediates: self.immediates.clone() })
    }
}

impl Ready {
    /// Queues the kernel.
    pub fn launch(&self) -> crosslane::Result<()> {
        self.launcher().launch(&self.device)
    }

    /// A recording of its launch, which does not run.
    pub fn recording(&self) -> crosslane::Result<Recording> {
        let mut recording = Recording::new(&self.device);
        recording.add(self.launcher())?;
        Ok(recording)
    }

    fn launcher(&self) -> Launcher<'_> {
        let mut arguments: Vec<Argument> = self.arrays.iter().map(|array| array.argument()).collect();
        if !self.immediates.is_empty() {
            arguments.push(Argument::immediates(&self.immediates));
        }
        self.kernel.grid(self.grid).args(arguments)
    }
}

pub fn reflection(kernel: &Kernel) -> &Reflection {
    kernel.reflection().expect("a kernel from WGSL has one")
}

/// `NAME=REST`, whose name must be one of those.
pub fn named<'a>(option: &str, text: &'a str, names: &[String]) -> Outcome<(&'a str, &'a str)> {
    let Some((name, rest)) = text.split_once('=') else {
        return Err(format!("{option}: wanted NAME=WHAT, got {text:?}").into());
    };
    match names.iter().any(|known| known == name) {
        true => Ok((name, rest)),
        false if names.is_empty() => Err(format!("{option} {name}: there is none to name").into()),
        false => Err(format!("{option} {name}: wanted one of {}", names.join(", ")).into()),
    }
}

/// `NAME=NUMBER`, or a truth value.
fn number(text: &str) -> Outcome<(&str, f64)> {
    let parsed = text.split_once('=').and_then(|(name, value)| match value {
        "true" => Some((name, 1.0)),
        "false" => Some((name, 0.0)),
        _ => Some((name, value.parse().ok()?)),
    });
    parsed.ok_or_else(|| format!("--override: wanted NAME=NUMBER, got {text:?}").into())
}
