//! Arrays on any GPU: lazy, fused, and checked.
//!
//! The kernels are WGSL compute shaders, run by wgpu through Vulkan, Metal, DX12 or GL: on NVIDIA, AMD, Intel and
//! Apple GPUs, and on the processor through a software driver. Without any of these they run on the processor, by an
//! interpreter ([`Device::cpu`]) that can also check them ([`Device::cpu_checked`]) and stand in for other hardware
//! ([`Device::cpu_as`]).
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
//! | module or type | what it is |
//! |---|---|
//! | [`Device`] | finding, choosing and opening devices; memory use; time on the device |
//! | [`Array`] | values: creation, views, elementwise functions, reductions, assignment, transfers, `explain()` |
//! | [`HostBuffer`] | host memory that the device reads and writes without a copy on the way |
//! | [`Unified`] | one array with a host and a device side, of which only what changed is copied |
//! | [`dlpack`] | arrays from and to other libraries: NumPy, PyTorch, CuPy, JAX |
//! | [`Kernel`] | a kernel of your own in WGSL: [`Kernel::wgsl`], [`Launcher`], [`Reflection`] |
//! | [`Elementwise`], [`Reduction`], [`map!`] | kernels of your own from expressions, which fuse with arrays |
//! | [`Stream`], [`Event`], [`Recording`] | work side by side; points in it; work recorded once and run again |
//! | [`Trace`], [`Occupancy`] | what ran when ([`Device::profile`]), at which part of the [`Roofline`]; how full the device is |
//! | [`Op`], [`Plan`] | the waist: an operation's meaning, cost and kernels; engines run plans and know no operation |
//! | [`Map`], [`Concatenate`], [`Reduce`], [`Normalise`], [`Matmul`], [`Histogram`], [`SearchSorted`], [`Gather`], [`Scatter`], [`Runs`], [`ByKey`], [`TopK`], [`Nth`] | the operations behind arrays |
//! | [`Caps`], [`Profile`] | what a plan may rely on; hardware that the cpu engine stands in for |
//! | [`Tuning`], [`Tunable`] | what operations may do in several ways, and which is taken |
//! | [`Checks`], [`Report`] | what a checked device looks for, and what it found |
//! | [`Error`] | every mistake and failure: operation, argument, wanted, got, call site |

#![deny(missing_docs)]
#![cfg_attr(
    not(any(feature = "wgpu", feature = "cuda", feature = "cpu")),
    expect(dead_code, reason = "without an engine nothing runs what is planned")
)]

mod advice;
mod array;
mod backend;
mod cache;
mod caps;
mod device;
mod element;
mod error;
mod event;
mod kernel;
mod memory;
#[cfg(feature = "ndarray")]
mod ndarray;
mod op;
mod ops;
mod recent;
mod recording;
mod stream;
mod sync;
#[cfg(any(feature = "wgpu", feature = "cuda", feature = "cpu"))]
mod threads;
mod trace;
mod tuning;
mod values;

pub use advice::{Limiter, Occupancy};
pub use array::{
    Array, ArrayIndex, Elementwise, Explanation, Extent, GroupBy, Input, Inputs, Interpolation, Layout, Operand,
    PadMode, QuantileOptions, Reduction, Scan, Selected, Slice, SortKey, SortOptions, Step as ExplainedStep, Tolerance,
    TopKOptions, Unique, ViewMut, broadcast_shapes, einsum, eval_all, has_kernel, lexsort, upload_all,
};
#[cfg(feature = "cpu")]
pub use backend::cpu::{Checks, Defect, Finding, Order, Profile, Report, Spot};
#[cfg(feature = "cuda")]
pub use backend::cuda::{
    CudaBinary, Natives,
    translate::{CudaOptions, CudaSource},
};
pub use caps::Caps;
#[cfg(feature = "macros")]
pub use crosslane_macros::Parameters;
pub use device::{Backend, Device, DeviceOptions, Kind, Properties};
pub use element::{DType, Element, Float, Integer, Number, Scalar, Transcendental};
pub use error::{CallSite, Error, ErrorKind, Result};
pub use event::Event;
pub use half::f16;
pub use kernel::{
    Argument, Arguments, BindPoint, Feature, Field, HostType, Kernel, Launcher, Member, Message, Override, Parameters,
    Reflection, Resource,
};
pub use memory::{Allocation, Direction, HostBuffer, Mapped, MemoryUse, Transfers, Unified, UnifiedState, dlpack};
pub use op::{Access, Binding, Grid, Host, Identify, Op, Pass, Plan, Slot, Value};
pub use ops::{
    Binning, ByKey, Combine, Concatenate, Expression, Formula, Function, Gather, Histogram, Indexing, Leaf, Map,
    Matmul, Normalisation, Normalise, Nothing, Nth, Operator, OutOfRange, Payload, Precision, Reduce, Rule, Runs,
    ScanOp, Scatter, SearchSorted, Side, Sort, Source, Step, TopK, What,
};
pub use recording::Recording;
pub use stream::Stream;
pub use trace::{Roofline, Span, SpanKind, Trace};
pub use tuning::{Tunable, Tuning};
pub use values::{Param, Reach, ScalarWord, Values, Vary};

/// Runs a documentation example on the best device, or says why it cannot.
#[doc(hidden)]
pub fn example(code: impl FnOnce(&Device) -> Result<()>) {
    match Device::new() {
        Ok(device) => code(&device).unwrap(),
        Err(error) => println!("not run: {error}"),
    }
}

/// Compares values of a documentation example: equal, or floats within 1e-6 of their size.
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
