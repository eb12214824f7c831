//! The engines that a benchmark runs on: one device, or the ways to one card, to be compared.

use super::Outcome;
use crosslane::{Device, DeviceOptions, Properties, Result};

/// A way to a device, opened when it is its turn: two would share the card's memory.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Its name in rows and columns.
    pub name: String,
    request: String,
    options: DeviceOptions,
    /// Whether only operations count for which there is a native kernel.
    pub natives: bool,
}

/// The API's name, as requests have it.
fn api(properties: &Properties) -> String {
    format!("{:?}", properties.backend).to_lowercase()
}

impl Engine {
    pub fn open(&self) -> Result<Device> {
        self.options.open(&self.request)
    }
}

/// The device that a request names, or the best one. Of a card that is there through Vulkan and through CUDA it gives
/// both, if `compare` asks for that or no request says which.
pub fn engines(request: Option<&str>, compare: bool) -> Outcome<Vec<Engine>> {
    let wanted = std::env::var("CROSSLANE_DEVICE").ok().filter(|name| !name.trim().is_empty());
    let request = request.map(String::from).or(wanted);
    let chosen = Device::open(request.as_deref().unwrap_or_default())?.properties().clone();
    let engine = |name: &str, request: String| {
        let (name, options) = (name.into(), DeviceOptions::default());
        Engine { name, request, options, natives: false }
    };
    if compare || request.is_none() {
        let all = Device::list();
        let way = |name: &str| all.iter().position(|there| api(there) == name && same_card(there, &chosen));
        if let (Some(vulkan), Some(cuda)) = (way("vulkan"), way("cuda")) {
            return Ok(vec![engine("vulkan", vulkan.to_string()), engine("cuda-wgsl", cuda.to_string())]);
        }
    }
    match compare {
        true => Err(format!("--compare: wanted a card that Vulkan and CUDA reach, got {chosen}").into()),
        false => Ok(vec![engine(&api(&chosen), request.unwrap_or_default())]),
    }
}

/// Whether two APIs mean the same card: the place on the bus where both say it, else the name.
fn same_card(a: &Properties, b: &Properties) -> bool {
    match (&a.pci_bus, &b.pci_bus) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
        _ => a.name == b.name,
    }
}
