//! Arrays and compute kernels on GPUs: deferred, fused, and checked.
//!
//! The kernels are WGSL compute shaders, run by wgpu through Vulkan, Metal, DX12 or GL, on a GPU or a software driver,
//! in a browser through WebGPU ([`Device::open_async`]),
//! and on NVIDIA's cards as native CUDA too ([`Device::cuda`]). Without any of these they run on the processor, compiled
//! to machine code ([`Device::cpu`]). An interpreter checks them ([`Device::cpu_checked`]) and simulates the limits of
//! other hardware ([`Device::cpu_as`]). The README lists the platforms on which they have run. Metal and DX12 are not among
//! them yet. [`guide`] has a chapter for each topic.
//!
//! ```
//! # crosslane::example(|device| {
//! use crosslane::Array;
//! let x = Array::linspace(device, 0.0f32, 1.0, 1_000_001);
//! let y = (&x * 2.0 + 1.0).sqrt(); // nothing has run yet
//! let mean = y.mean().item()?; // one kernel reads x and leaves partial sums, another adds them up
//! assert!((mean - 1.3987172).abs() < 1e-6);
//! # Ok(()) });
//! ```
//!
//! | type | what it is |
//! |---|---|
//! | [`Device`] | finding, choosing and opening devices; memory use; time on the device |
//! | [`Array`] | values: creation, views, elementwise functions, reductions, assignment, transfers, `explain()` |
//! | [`Elementwise`], [`Reduction`], [`Scan`], [`map!`] | functions of your own from expressions, which fuse with arrays |
//! | [`Stencil`] | the next value of each element from its neighbours, over many steps |
//! | [`Kernel`], [`Launcher`], [`Parameters`] | kernels of your own in WGSL, and their launches |
//! | [`Stream`], [`Event`], [`Recording`] | queues whose work may overlap; points in them; launches recorded once and run again |
//! | [`Unified`], [`HostBuffer`] | an array with a host and a device side; pinned host memory |
//! | [`Streamed`] | files and other numbers that fit no memory: reductions, maps, histograms, sorts |
//! | [`Error`] | every error: operation, argument, wanted, got, call site |
//!
//! | module | what it holds |
//! |---|---|
//! | [`guide`] | a chapter for each topic, and a table for users of CUDA, CuPy, Numba, HIP, OpenCL, SYCL or Metal |
//! | [`array`](mod@array) | argument and result types of array methods: slices, layouts, options |
//! | [`device`] | properties, capabilities and tunings of devices; memory in use |
//! | [`kernel`], [`launch`] | reflection of kernels; arguments |
//! | [`profile`] | traces ([`Device::profile`]), the roofline, and occupancy |
//! | [`random`] | random numbers: generators and distributions; sequences that fill space evenly |
//! | [`share`] | shared memory: mapped, unified, DLPack |
//! | [`streamed`] | streams of numbers larger than memory |
//! | [`export`](https://docs.rs/crosslane/latest/crosslane/export) | pipelines as data, for browsers and other hosts of WebGPU: feature `serde` |
//! | [`op`], [`ops`] | the interface between operations and engines: plans as plain data; the operations behind arrays |
//! | [`cpu`], [`cuda`](https://docs.rs/crosslane/latest/crosslane/cuda) | profiles of simulated hardware, and reports of checks; CUDA texts |

#![deny(missing_docs)]
// Code that only one engine uses is dead in builds without that engine. The build with all engines reports code that
// nothing uses.
#![cfg_attr(
    not(all(feature = "wgpu", feature = "cuda", feature = "cpu")),
    allow(dead_code, unused_imports, reason = "one engine alone leaves others' parts unused")
)]

pub mod array;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
mod element;
mod event;
#[cfg(feature = "serde")]
pub mod export;
mod graph;
pub mod guide;
#[cfg(feature = "image")]
mod image;
pub mod kernel;
pub mod launch;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "npy")]
pub mod npy;
pub mod op;
pub mod ops;
pub mod profile;
pub mod random;
pub mod share;
mod stream;
pub mod streamed;
mod sync;

pub use array::{Array, Elementwise, Reduction, Scan, Selected, Stencil, axes, einsum, eval_all, upload_all};
/// For the program `crosslane`.
#[doc(hidden)]
pub use crosslane_core::files::Replacement;
#[cfg(feature = "macros")]
pub use crosslane_macros::Parameters;
#[cfg(feature = "cases")]
#[doc(hidden)]
pub use crosslane_ops::operations;
pub use device::{Device, DeviceOptions};
pub use element::{Arithmetic, DType, Element, Float, Integer, Number, Ordered, Part, Transcendental};
pub use error::{Error, ErrorKind, Result};
pub use event::Event;
pub use half::{bf16, f16};
#[cfg(feature = "image")]
pub use image::ImageSample;
pub use kernel::{Kernel, Parameters};
pub use launch::{Argument, Launcher, Recording};
pub use num_complex::Complex;
pub use share::{HostBuffer, Unified};
pub use stream::Stream;
pub use streamed::Streamed;

/// Errors: the operation, the argument, what was wanted, what was given, and the place of the call.
pub mod error {
    pub use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
}

/// The processor: profiles of the hardware that it simulates, and the reports of its checks.
#[cfg(feature = "cpu")]
pub mod cpu {
    pub use crosslane_core::report::{Checks, Defect, Finding, Report, Spot};
    pub use crosslane_cpu::{Profile, WorkgroupOrder};
}

/// Runs a documentation example on the device that `CROSSLANE_DEVICE` names, else on the processor, or reports why it cannot.
/// To look for cards takes longer than an example.
#[doc(hidden)]
pub fn example(code: impl FnOnce(&Device) -> Result<()>) {
    let device = match std::env::var("CROSSLANE_DEVICE") {
        Err(_) if cfg!(feature = "cpu") => Device::open("cpu"),
        _ => Device::new(),
    };
    match device {
        Ok(device) => code(&device).unwrap(),
        Err(error) => println!("not run: {error}"),
    }
}

/// Compares values of a documentation example: equal, or floats within a relative 1e-6.
#[doc(hidden)]
#[track_caller]
pub fn assert_close<T: Element>(got: &[T], wanted: &[T]) {
    assert_eq!(got.len(), wanted.len());
    for (g, w) in got.iter().zip(wanted) {
        let (a, b) = (g.scalar().to_f64(), w.scalar().to_f64());
        assert!(g == w || (a - b).abs() <= 1e-6 * b.abs().max(1.0), "got {got:?}, wanted {wanted:?}");
    }
}

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
