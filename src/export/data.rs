//! What an export consists of.

use crate::element::DType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A pipeline as data: kernels as WGSL, buffers, and launches in order.
///
/// It is made of a [`Recording`](crate::Recording), and any format of serde writes and reads it. [`Export::write_folder`] adds a
/// page that runs it in a browser.
///
/// ```
/// # crosslane::example(|_| {
/// use crosslane::{Array, Device, Recording, export::Export};
/// let device = Device::open("cpu:webgpu")?; // plans for what every browser has
/// let x = Array::from_slice(&device, &[1.0f32, 2.0, 3.0]);
/// x.eval()?;
/// let y = &x * 2.0 + 1.0;
/// let export = Recording::of(&[&y])?.export("affine").input("x", &x).output("y", &y).finish()?;
/// assert_eq!((export.launches.len(), export.arrays[1].shape.clone()), (1, vec![3]));
/// let json = serde_json::to_string(&export).unwrap();
/// assert_eq!(serde_json::from_str::<Export>(&json).unwrap(), export);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Export {
    /// The version of the format: 1.
    pub crosslane: u32,
    /// A name for people.
    pub name: String,
    /// WebGPU's features that a device must have, such as `shader-f16`.
    pub features: Vec<String>,
    /// WebGPU's limits that a device must have, where they exceed or use up what every device has.
    pub limits: Limits,
    /// The arrays that the host gives and takes.
    pub arrays: Vec<ExportedArray>,
    /// Device memory.
    pub buffers: Vec<ExportedBuffer>,
    /// The kernels, each once.
    pub kernels: Vec<ExportedKernel>,
    /// The launches, each with the results of the ones before it.
    pub launches: Vec<ExportedLaunch>,
}

/// Limits of a device, by WebGPU's names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the largest buffer.
    pub max_buffer_size: u64,
    /// Bytes of the largest window that a storage binding has.
    pub max_storage_buffer_binding_size: u64,
    /// Storage buffers that one kernel binds.
    pub max_storage_buffers_per_shader_stage: u32,
    /// Bytes of workgroup memory.
    pub max_compute_workgroup_storage_size: u32,
    /// Invocations of a workgroup.
    pub max_compute_invocations_per_workgroup: u32,
    /// Invocations of a workgroup in its first dimension.
    pub max_compute_workgroup_size_x: u32,
    /// Invocations of a workgroup in its second dimension.
    pub max_compute_workgroup_size_y: u32,
}

/// An array in a buffer: row-major, without gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedArray {
    /// Its name.
    pub name: String,
    /// Who writes it.
    pub role: ArrayRole,
    /// The index of its buffer.
    pub buffer: usize,
    /// Its first byte in the buffer, a multiple of 4.
    pub offset: u64,
    /// The type of its elements, by the name that [`DType`] has in WGSL and in Rust: `f32`, `u8`.
    pub dtype: String,
    /// Bytes of an element.
    pub element_bytes: u64,
    /// Its extents.
    pub shape: Vec<usize>,
}

/// Who writes an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrayRole {
    /// The host may, before a run.
    Input,
    /// The launches do.
    Output,
}

/// Device memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedBuffer {
    /// Its size, a multiple of 4.
    pub bytes: u64,
    /// What launches read of it before one writes it, as it was at the export.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<Contents>,
}

/// A part of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Contents {
    /// Its first byte, a multiple of 4.
    pub offset: u64,
    /// Its 32-bit words, of four bytes from the lowest on.
    pub words: Vec<u32>,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedKernel {
    /// Its name.
    pub name: String,
    /// The entry point.
    pub entry: String,
    /// The values of its overrides, by name or `@id`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, f64>,
    /// Where each buffer of a launch goes: `@group`, `@binding`, and what it is.
    pub bindings: Vec<(u32, u32, BindingKind)>,
    /// The `@group` whose `@binding(0)` is a uniform buffer of the launch's parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params_group: Option<u32>,
    /// The WGSL text.
    pub wgsl: String,
}

/// What a binding is, by WebGPU's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BindingKind {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    ReadOnlyStorage,
    /// `var<storage, read_write>`.
    Storage,
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedLaunch {
    /// The index of the kernel.
    pub kernel: usize,
    /// The windows that it binds, in the order of [`ExportedKernel::bindings`].
    pub windows: Vec<ExportedWindow>,
    /// The words of its parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<u32>,
    /// Workgroups in each dimension.
    pub grid: [u32; 3],
}

/// A window of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedWindow {
    /// The index of the buffer.
    pub buffer: usize,
    /// The first byte, a multiple of 256 as every device wants it.
    pub offset: u64,
    /// Bytes, a multiple of 4.
    pub bytes: u64,
}

impl ExportedArray {
    pub(super) fn new(
        name: &str,
        role: ArrayRole,
        [buffer, offset]: [u64; 2],
        dtype: DType,
        shape: &[usize],
    ) -> ExportedArray {
        let (buffer, element_bytes) = (buffer as usize, dtype.size() as u64);
        ExportedArray {
            name: name.into(),
            role,
            buffer,
            offset,
            dtype: dtype.to_string(),
            element_bytes,
            shape: shape.into(),
        }
    }

    /// Bytes of its elements, without those that fill the last word.
    pub fn bytes(&self) -> u64 {
        self.shape.iter().map(|&extent| extent as u64).product::<u64>() * self.element_bytes
    }
}

impl Contents {
    /// These bytes, with zeros to the end of the last word.
    pub(super) fn new(offset: u64, bytes: &[u8]) -> Contents {
        let word = |chunk: &[u8]| {
            let mut bytes = [0; 4];
            bytes[..chunk.len()].copy_from_slice(chunk);
            u32::from_le_bytes(bytes)
        };
        Contents { offset, words: bytes.chunks(4).map(word).collect() }
    }
}
