//! WGSL to CUDA C++, by naga's intermediate representation.
//!
//! The prelude carries WGSL's semantics, the text here its shape: a kernel is a structure of what WGSL's module-scope
//! variables stand for, whose methods are WGSL's functions. All of it is inlined, so that the structure is gone when
//! code is made.

mod constants;
mod entry;
mod expressions;
mod flow;
mod functions;
mod interface;
mod math;
mod multiples;
mod names;
mod parts;
mod places;
mod shared;
mod statements;
#[cfg(test)]
mod tests;
mod types;

pub(super) use entry::Translation;

use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{Kernel, guarded};
use naga::proc::{Layouter, NameKey, Namer};
use naga::valid::ModuleInfo;
use naga::{Constant, FastHashMap, Function, GlobalVariable, Handle, Module, Span, Type};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How a kernel is translated to CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CudaOptions {
    /// Inexact but faster division, square roots and functions, denormals as zero. Off by default.
    pub fast_math: bool,
    /// Ten times the compute capability: 75, 80, 90, 100.
    pub architecture: u32,
}

impl CudaOptions {
    /// For ten times this compute capability, and exact.
    pub const fn new(architecture: u32) -> CudaOptions {
        CudaOptions { fast_math: false, architecture }
    }

    /// Whether division, square roots and functions are faster and inexact, and denormals zero.
    pub const fn fast_math(self, fast: bool) -> CudaOptions {
        CudaOptions { fast_math: fast, ..self }
    }
}

/// A kernel as CUDA C++: complete, without includes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CudaSource {
    /// The text.
    pub text: String,
    /// The name of the `__global__` function.
    pub symbol: String,
    /// Threads of a block in each dimension.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Bytes of dynamic shared memory that a launch passes: 0 where workgroup memory is static.
    pub dynamic_bytes: u32,
    /// Whether it uses what only this architecture has: it is compiled for `sm_90a`, not `sm_90`.
    pub specific: bool,
    /// The options of its translation.
    pub options: CudaOptions,
}

impl Kernel {
    /// The kernel as CUDA C++. Needs neither a card nor CUDA.
    ///
    /// As on every device, indices are clamped, integer division is guarded and workgroup memory begins as zeros,
    /// unless the kernel is [`Kernel::trusted`].
    ///
    /// ```
    /// use crosslane::Kernel;
    /// use crosslane::cuda::CudaOptions;
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read> x: array<f32>;
    ///     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&y) { y[id.x] = 2.0 * x[id.x]; }
    ///     }
    /// ")?;
    /// let cuda = kernel.cuda(&CudaOptions::new(90))?;
    /// assert_eq!((cuda.symbol.as_str(), cuda.workgroup_size), ("main_kernel", [64, 1, 1]));
    /// assert!(cuda.text.contains("const f32* __restrict__ x, u64 x_bytes"));
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: WGSL that has no CUDA form, with line and column.
    pub fn cuda(&self, options: &CudaOptions) -> Result<CudaSource> {
        Ok(self.translation()?.source(*options))
    }

    pub(in crate::backend::cuda) fn translation(&self) -> Result<Translation> {
        let refuse = |message: String| -> Error {
            let (kernel, device) = (self.name().to_string(), "the cuda engine".to_string());
            ErrorKind::Compile { kernel, device, message, at: None }.into()
        };
        let translated = || guarded(|| self.translated(&refuse)).unwrap_or_else(|message| Err(refuse(message)));
        self.on_its_stack(translated)
    }

    fn translated(&self, refuse: &dyn Fn(String) -> Error) -> Result<Translation> {
        let parsed = self.parsed()?;
        let found = parsed.module.entry_points.iter().position(|entry| entry.name == self.entry());
        let index = found.ok_or_else(|| refuse(format!("it has no compute entry point `{}`", self.entry())))?;
        let mut writer = Writer::new(self, &parsed.module, &parsed.info, index).map_err(refuse)?;
        writer.translate().map_err(|Refused { message, span }| match span {
            None | Some(Span::UNDEFINED) => refuse(message),
            Some(span) => {
                let place = span.location(self.source());
                refuse(format!("line {}, column {}: {message}", place.line_number, place.line_position))
            }
        })
    }
}

/// Why a kernel has no CUDA form, and where.
struct Refused {
    message: String,
    span: Option<Span>,
}

type Written<T> = std::result::Result<T, Refused>;

impl Refused {
    fn new(message: impl Into<String>) -> Refused {
        Refused { message: message.into(), span: None }
    }

    /// The place, unless a narrower one is known.
    fn at(self, span: Span) -> Refused {
        let known = self.span.filter(|known| known.is_defined());
        Refused { span: Some(known.unwrap_or(span)), ..self }
    }
}

/// What is known of a module while it is written.
struct Writer<'a> {
    kernel: &'a Kernel,
    module: &'a Module,
    info: &'a ModuleInfo,
    /// The entry point.
    index: usize,
    layouter: Layouter,
    namer: Namer,
    names: FastHashMap<NameKey, String>,
    /// What the text uses of the prelude.
    parts: BTreeSet<parts::Part>,
    /// Definitions of structures, and the layouts asserted.
    structs: String,
    asserted: HashSet<String>,
    slots: HashMap<Handle<Type>, types::Slots>,
    /// Constants by name.
    globals_text: String,
    constants: HashSet<Handle<Constant>>,
    /// How an expression names each module-scope variable.
    globals: HashMap<Handle<GlobalVariable>, String>,
    /// How it names the runtime-sized array at a structure's end.
    tails: HashMap<Handle<GlobalVariable>, String>,
    /// Functions that are called: which arguments may differ between invocations, and whether these may have parted.
    calls: HashMap<Handle<Function>, (Vec<bool>, bool)>,
    /// Whether the text names the lanes of the subgroup.
    lanes: bool,
}

impl<'a> Writer<'a> {
    fn new(
        kernel: &'a Kernel,
        module: &'a Module,
        info: &'a ModuleInfo,
        index: usize,
    ) -> std::result::Result<Writer<'a>, String> {
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
        let (namer, names) = names::names(module);
        Ok(Writer {
            kernel,
            module,
            info,
            index,
            layouter,
            namer,
            names,
            parts: BTreeSet::new(),
            structs: String::new(),
            asserted: HashSet::new(),
            slots: HashMap::new(),
            globals_text: String::new(),
            constants: HashSet::new(),
            globals: HashMap::new(),
            tails: HashMap::new(),
            calls: HashMap::new(),
            lanes: false,
        })
    }

    fn checked(&self) -> bool {
        !self.kernel.is_trusted()
    }
}
