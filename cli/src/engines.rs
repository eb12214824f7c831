//! The engines that a benchmark runs on: one device, or several engines on one card, to be compared.

use super::Outcome;
use crosslane::device::Properties;
use crosslane::{Device, Result};

/// An engine on a device, opened only while it is measured, since two would share the card's memory.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Its name in rows and columns.
    pub name: String,
    request: String,
    /// The contents of the engine's column.
    pub what: What,
}

/// The kernels that run on CUDA for an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// The default: the fastest.
    Any,
    /// The same, but only operations that a library of NVIDIA has too: [`LIBRARY`].
    Best,
    /// The WGSL, translated.
    Wgsl,
    /// The kernels written by hand, and only operations that have one: [`NATIVE`].
    Native,
}

/// The rows whose kernels have a file in `shaders/native/`.
pub const NATIVE: [&str; 6] =
    ["matmul_f16", "sum_f32", "sum_rows_f32", "sort_keys_u32", "sort_pairs_u32", "argsort_i32"];

/// The rows that cuBLASLt or cuDNN may compute.
pub const LIBRARY: [&str; 5] =
    ["matmul_f32", "matmul_f16", "matmul_batched_f32_64", "conv2d_3x3_n32_c64_112_f32", "conv2d_3x3_n32_c64_112_f16"];

/// The API's name, as requests have it.
fn api(properties: &Properties) -> String {
    format!("{:?}", properties.backend).to_lowercase()
}

impl Engine {
    pub fn open(&self) -> Result<Device> {
        let device = Device::open(&self.request)?;
        #[cfg(feature = "cuda")]
        match self.what {
            What::Any | What::Best => {}
            What::Wgsl => return Ok(device.natives(crosslane::device::Natives::Off)),
            What::Native => return Ok(device.natives(crosslane::device::Natives::On)),
        }
        Ok(device)
    }

    /// Whether a row belongs in the engine's column.
    pub fn runs(&self, op: &str) -> bool {
        match self.what {
            What::Any | What::Wgsl => true,
            What::Best => LIBRARY.contains(&op),
            What::Native => NATIVE.contains(&op),
        }
    }
}

/// The device that a request names, or the best one. Both engines of a card that is reachable through Vulkan and
/// through CUDA, if `compare` asks for that or no request names one.
pub fn engines(request: Option<&str>, compare: bool) -> Outcome<Vec<Engine>> {
    let wanted = std::env::var("CROSSLANE_DEVICE").ok().filter(|name| !name.trim().is_empty());
    let request = request.map(String::from).or(wanted);
    let chosen = Device::open(request.as_deref().unwrap_or_default())?.properties().clone();
    let engine = |name: &str, request: String, what| Engine { name: name.into(), request, what };
    if compare || request.is_none() {
        let all = Device::list();
        let fits =
            |there: &Properties, name: &str| api(there) == name && there.missing.is_none() && same_card(there, &chosen);
        let way = |name: &str| all.iter().position(|there| fits(there, name));
        if let (Some(vulkan), Some(cuda)) = (way("vulkan"), way("cuda")) {
            return Ok(vec![
                engine("vulkan", vulkan.to_string(), What::Any),
                engine("cuda-wgsl", cuda.to_string(), What::Wgsl),
                engine("cuda-native", cuda.to_string(), What::Native),
                engine("cuda-best", cuda.to_string(), What::Best),
            ]);
        }
    }
    match compare {
        true => Err(format!("--compare: wanted a card that Vulkan and CUDA reach, got {chosen}").into()),
        false => Ok(vec![engine(&api(&chosen), request.unwrap_or_default(), What::Any)]),
    }
}

/// Every engine of this machine: each device by its API; CUDA as it is by default, and of the translated WGSL alone; the processor
/// with compiled and with interpreted kernels.
pub fn all() -> Vec<(Engine, Properties)> {
    let mut engines = vec![];
    for (index, properties) in Device::list().into_iter().enumerate().filter(|(_, it)| it.missing.is_none()) {
        let engine = |name: &str, request: String, what| Engine { name: name.into(), request, what };
        match api(&properties).as_str() {
            "cpu" => {
                engines.push((engine("compiled", "cpu:compiled".into(), What::Any), properties.clone()));
                engines.push((engine("interpreted", "cpu:interpreted".into(), What::Any), properties));
            }
            "cuda" => {
                engines.push((engine("cuda", index.to_string(), What::Any), properties.clone()));
                engines.push((engine("cuda-wgsl", index.to_string(), What::Wgsl), properties));
            }
            name => engines.push((engine(name, index.to_string(), What::Any), properties)),
        }
    }
    engines
}

/// Whether two APIs mean the same card: the place on the bus where both say it, else the name.
fn same_card(a: &Properties, b: &Properties) -> bool {
    match (&a.pci_bus, &b.pci_bus) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
        _ => a.name == b.name,
    }
}
