//! The cards that the driver has, and what each is and can.

use super::context::text;
use super::library;
use super::text::CudaOptions;
use crosslane_core::caps::{Caps, IMMEDIATES, MANY};
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::properties::{Backend, DeviceKind, Properties};
use crosslane_core::tuning::Tuning;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use std::ffi::CStr;

/// A card, and what the engine asks about it.
#[derive(Clone, Debug)]
pub(super) struct Card {
    pub raw: sys::CUdevice,
    pub ordinal: usize,
    /// What messages call it.
    pub name: String,
    /// Ten times the compute capability: 90.
    pub architecture: u32,
    /// The newest CUDA that the driver knows: (13, 0).
    pub driver: (u32, u32),
    /// Multiprocessors.
    pub units: u32,
    /// Whether memory can be allocated in a stream's order.
    pub pools: bool,
}

/// Bytes of one binding. Kernels that a program wrote index with 32 bits elements of up to 16 bytes; the library's own
/// windows are smaller, see `ops/windows.rs`.
const BINDING_BYTES: u64 = 1 << 34;

/// Every card, in the driver's order, which is that of the ordinals.
pub(super) fn list() -> Vec<Properties> {
    match count() {
        Ok(0) => vec![],
        Ok(count) => {
            let cards = (0..count).map_while(|ordinal| describe(ordinal).ok()).map(|(_, properties)| properties);
            with_compiler(cards.collect(), super::nvrtc::version().err())
        }
        Err(error) => {
            log::debug!("no device of the cuda engine: {error}");
            vec![]
        }
    }
}

/// The cards as they are listed: without a compiler each says what it lacks.
fn with_compiler(mut cards: Vec<Properties>, lacks: Option<Error>) -> Vec<Properties> {
    let missing = lacks.map(|error| match error.kind() {
        ErrorKind::NoDevice { looked, install, .. } => format!("{looked}. {install}"),
        _ => error.to_string(),
    });
    cards.iter_mut().for_each(|card| card.missing.clone_from(&missing));
    cards
}

impl CudaOptions {
    /// For the first card that is here; where there is none, for compute capability 9.0.
    ///
    /// ```
    /// assert!(crosslane::cuda::CudaOptions::here().architecture >= 50);
    /// ```
    pub fn here() -> CudaOptions {
        let architecture = describe(0).map_or(90, |(card, _)| card.architecture);
        CudaOptions { fast_math: false, architecture }
    }
}

/// How many cards there are.
pub(super) fn count() -> Result<usize> {
    library::driver()?;
    let mut count = 0;
    // SAFETY: the driver is loaded and started, and the pointer is to a variable that lives.
    check("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) })?;
    Ok(count as usize)
}

/// The card with this ordinal.
pub(super) fn describe(ordinal: usize) -> Result<(Card, Properties)> {
    let count = count()?;
    if ordinal >= count {
        let cards = if count == 1 { "1 card, cuda:0".into() } else { format!("{count} cards, cuda:0 and on") };
        return Err(ErrorKind::NoDevice {
            wanted: format!("cuda:{ordinal}"),
            looked: format!("CUDA's driver has {cards}"),
            install: "Take one of those; CUDA_VISIBLE_DEVICES may hide others".into(),
        }
        .into());
    }
    let mut raw = 0;
    // SAFETY: the driver is started, the ordinal is one it has, and the pointer is to a variable that lives.
    check("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut raw, ordinal as i32) })?;
    let attribute = |which| attribute(raw, which);
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let mut version = 0;
    // SAFETY: the pointer is to a variable that lives.
    check("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })?;
    let driver = (version as u32 / 1000, version as u32 % 1000 / 10);
    let name = string(|text, length| {
        // SAFETY: the buffer has that length.
        unsafe { sys::cuDeviceGetName(text, length, raw) }
    });
    let card = Card {
        raw,
        ordinal,
        name: name.unwrap_or_else(|| format!("CUDA device {ordinal}")),
        architecture: (major * 10 + minor) as u32,
        driver,
        units: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
        pools: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0,
    };
    let integrated = attribute(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0;
    let kind = if integrated { DeviceKind::Integrated } else { DeviceKind::Discrete };
    let mut properties = Properties::new(card.name.clone(), Backend::Cuda, kind, caps(raw, card.architecture)?);
    (properties.vendor, properties.vendor_id) = ("NVIDIA".into(), 0x10de);
    // Drivers before CUDA 12.8 do not know this attribute. The vendor's number is the lower half.
    properties.device_id = attribute(Attribute::CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID).map_or(0, |id| id as u32 >> 16);
    let bus = string(|text, length| {
        // SAFETY: as above.
        unsafe { sys::cuDeviceGetPCIBusId(text, length, raw) }
    });
    properties.pci_bus = bus.map(|bus| bus.to_lowercase());
    properties.driver = driver_text(&card, (major, minor));
    Ok((card, properties))
}

/// `580.65.06, CUDA 13.0, compute capability 9.0`.
fn driver_text(card: &Card, (major, minor): (i32, i32)) -> String {
    let module = std::fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    let module = if module.is_empty() { String::new() } else { format!("{}, ", module.trim()) };
    format!("{module}CUDA {}.{}, compute capability {major}.{minor}", card.driver.0, card.driver.1)
}

fn caps(raw: sys::CUdevice, architecture: u32) -> Result<Caps> {
    let mut bytes = 0;
    // SAFETY: the card is the driver's own, and the pointer is to a variable that lives.
    check("cuDeviceTotalMem", unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, raw) })?;
    let memory = bytes as u64 & !63;
    let mut caps = Caps::webgpu();
    caps.f16 = architecture >= 53;
    caps.f64 = true;
    caps.i64 = true;
    caps.denormals = true; // but for fast math
    caps.atomic_i64 = true;
    caps.atomic_f32 = true;
    caps.subgroups = Some((32, 32));
    caps.tensor = (architecture >= 75).then_some(16);
    caps.timestamps = true;
    caps.immediate_bytes = IMMEDIATES;
    caps.tuning = Tuning::of_cuda();
    caps.workgroup_invocations = attribute(raw, Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as u32;
    caps.workgroup_bytes = attribute(raw, Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as u32;
    caps.grid = 65535;
    caps.registers = 255;
    caps.bindings = 64;
    caps.binding_bytes = BINDING_BYTES.min(memory);
    caps.buffer_bytes = memory;
    caps.offset_alignment = 32; // of a vec4 of 64-bit components, which compute capability 10 loads at once
    caps.multiprocessors =
        attribute(raw, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.clamp(1, MANY as i32) as u32;
    caps.processor = None;
    caps.unified = false;
    Ok(caps)
}

pub(super) fn attribute(raw: sys::CUdevice, which: Attribute) -> Result<i32> {
    let mut value = 0;
    // SAFETY: the card is the driver's own, and the pointer is to a variable that lives.
    check("cuDeviceGetAttribute", unsafe { sys::cuDeviceGetAttribute(&mut value, which, raw) })?;
    Ok(value)
}

/// A text that the driver writes into a buffer.
fn string(write: impl FnOnce(*mut std::ffi::c_char, i32) -> CUresult) -> Option<String> {
    let mut buffer = [0u8; 256];
    let result = write(buffer.as_mut_ptr().cast(), buffer.len() as i32);
    let text = CStr::from_bytes_until_nul(&buffer).ok()?.to_string_lossy().into_owned();
    (result == CUresult::CUDA_SUCCESS).then_some(text)
}

fn check(operation: &'static str, result: CUresult) -> Result<()> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(ErrorKind::Backend { operation, device: "cuda".into(), message: text(other) }.into()),
    }
}
