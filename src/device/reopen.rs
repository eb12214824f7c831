//! Opening a device again, as after it was lost.

use super::registry::{self, Listed};
use super::{Backend, Device, DeviceOptions, Properties};
use crosslane_core::engine::{Driver, set_natives};
use crosslane_core::error::{Error, ErrorKind, Result};
#[cfg(feature = "cpu")]
use crosslane_core::report::Checks;
#[cfg(feature = "cpu")]
use crosslane_cpu::Profile;
use std::sync::Arc;

/// How a device was opened.
pub(super) struct Opening {
    pub source: Source,
    pub options: DeviceOptions,
}

/// Where a device came from.
#[derive(Clone)]
pub(super) enum Source {
    /// An engine was asked for it by name, `cuda:1` for instance.
    Request(String),
    /// The list, or the program, which had it from wgpu.
    Listed(Box<Properties>),
    #[cfg(feature = "cpu")]
    Processor(Profile, Option<Checks>),
}

impl Device {
    /// The same device, opened anew: the same card through the same API, with the same options, and the memory limit and
    /// kernels by hand ([`Device::natives`]) that are set now. After [`ErrorKind::DeviceLost`] arrays of this device are
    /// lost; [`Array::rebuild`](crate::Array::rebuild) computes them again. A device that is not lost goes on beside the
    /// new one.
    ///
    /// A fault in a kernel ends CUDA for the whole process. Then the same card is opened through Vulkan, and a warning is
    /// logged.
    ///
    /// A device of [`Device::from_wgpu`] is opened again with all features that it has.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let again = device.reopen()?;
    /// assert_eq!(again.properties().name, device.properties().name);
    /// assert!(again != *device);
    /// assert_eq!(again.array([1, 2]).sum().item()?, 3);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the device is not there any more; it is lost for the process, and is not there through Vulkan either.
    pub fn reopen(&self) -> Result<Device> {
        let Opening { source, options } = &self.0.opening;
        let (driver, source) = match open(source, options) {
            Err(error) if is_lost(&error) => self.other_api(options, error)?,
            opened => (opened?, source.clone()),
        };
        let device = options.over(driver, source);
        device.set_memory_limit(self.memory().limit);
        if let Some(choices) = self.driver().choices() {
            set_natives(&**device.driver(), choices.setting());
        }
        Ok(device)
    }

    /// The same card through Vulkan, where the device's own API has lost it for good.
    fn other_api(&self, options: &DeviceOptions, error: Error) -> Result<(Arc<dyn Driver>, Source)> {
        let own = self.properties();
        let all = registry::list();
        let same = |listed: &&Listed| {
            listed.properties.backend == Backend::Vulkan
                && own.backend == Backend::Cuda
                && is_same_card(&listed.properties, own)
        };
        let Some(listed) = all.iter().find(same) else { return Err(error) };
        let driver = registry::open(listed, &options.options)?;
        log::warn!("{error}: opened {} instead", listed.properties);
        Ok((driver, Source::Listed(Box::new(listed.properties.clone()))))
    }
}

fn open(source: &Source, options: &DeviceOptions) -> Result<Arc<dyn Driver>> {
    match source {
        Source::Request(request) => match registry::request(request, &options.options) {
            Some(opened) => opened,
            None => Err(gone(request.clone(), &registry::list())),
        },
        Source::Listed(properties) => {
            let all = registry::list();
            match all.iter().find(|listed| is_same(&listed.properties, properties)) {
                Some(listed) => registry::open(listed, &options.options),
                None => Err(gone(properties.to_string(), &all)),
            }
        }
        #[cfg(feature = "cpu")]
        Source::Processor(profile, checks) => {
            crosslane_cpu::open(profile.clone(), *checks, crosslane_cpu::Tier::default(), &options.options)
        }
    }
}

fn gone(wanted: String, all: &[Listed]) -> Error {
    let found: Vec<String> = all.iter().map(|listed| listed.properties.to_string()).collect();
    let looked = format!("looked for it again; found {}", found.join(", "));
    ErrorKind::NoDevice { wanted, looked, install: "It was there before: look whether its driver still works".into() }
        .into()
}

fn is_lost(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::DeviceLost { .. })
}

/// Whether they are one device through one API. Its place in the list may have changed.
fn is_same(a: &Properties, b: &Properties) -> bool {
    let ids = |p: &Properties| (p.vendor_id, p.device_id, p.name.clone());
    a.backend == b.backend && ids(a) == ids(b) && is_same_card(a, b)
}

/// Whether they are one card, perhaps through two APIs.
fn is_same_card(a: &Properties, b: &Properties) -> bool {
    match (&a.pci_bus, &b.pci_bus) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
        _ => a.name == b.name,
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use super::{is_same, is_same_card};
    use crate::{Device, device::Backend};

    #[test]
    fn cards_are_told_by_their_place_or_else_their_name() {
        let device = Device::cpu().unwrap();
        let at = |name: &str, place: Option<&str>, backend: Backend| {
            let mut properties = device.properties().clone();
            (properties.name, properties.backend) = (name.into(), backend);
            properties.pci_bus = place.map(str::to_string);
            properties
        };
        let cuda = at("H", Some("0000:0A:00.0"), Backend::Cuda);
        assert!(is_same_card(&cuda, &at("H (other words)", Some("0000:0a:00.0"), Backend::Vulkan)));
        assert!(!is_same_card(&cuda, &at("H", Some("0000:0b:00.0"), Backend::Vulkan)));
        assert!(is_same_card(&cuda, &at("H", None, Backend::Vulkan)));
        assert!(is_same(&cuda, &cuda) && !is_same(&cuda, &at("H", None, Backend::Vulkan)));
    }
}
