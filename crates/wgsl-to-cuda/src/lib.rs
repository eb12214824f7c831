//! WGSL to CUDA C++, by naga's intermediate representation: the translator of crosslane, and of no other version of it.
//!
//! A module that naga's validator has taken becomes a text without includes, for NVRTC or for nvcc:
//!
//! ```
//! use naga::valid::{Capabilities, ValidationFlags, Validator};
//! use wgsl_to_cuda::{Binding, Input, translate};
//! let module = naga::front::wgsl::parse_str("
//!     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
//!     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] = id.x; }
//! ").unwrap();
//! let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).unwrap();
//! let bindings = [Binding { group: 0, binding: 0, is_read_only: false }];
//! let input = Input { name: "numbers", module: &module, info: &info, entry: 0, bindings: &bindings, words: 0, checked: true };
//! let text = translate(&input).unwrap().text();
//! assert!(text.contains("main_kernel(\n    u32* __restrict__ x, u64 x_bytes\n)"));
//! ```
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
mod sources;
mod statements;
mod types;

pub use entry::{Body, Translation};
#[doc(hidden)]
pub use sources::SOURCES;

use naga::proc::{Layouter, NameKey, Namer};
use naga::valid::ModuleInfo;
use naga::{Constant, FastHashMap, Function, GlobalVariable, Handle, Module, Span, Type};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A buffer of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// Whether the kernel only reads it.
    pub is_read_only: bool,
}

/// A kernel as naga has it, and how it is launched.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// A name for a comment in the text.
    pub name: &'a str,
    /// The module, with values in the place of overrides (`naga::back::pipeline_constants::process_overrides`).
    pub module: &'a Module,
    /// What naga's validator says of it.
    pub info: &'a ModuleInfo,
    /// The entry point's place among the module's.
    pub entry: usize,
    /// The buffers that a launch passes, in their order: a pointer and a number of bytes each.
    pub bindings: &'a [Binding],
    /// Words of parameters that a launch passes after them, by value: `var<immediate>`, or the `var<uniform>` that no buffer is for.
    pub words: usize,
    /// Whether indices are clamped, integer division is guarded, and workgroup memory begins as zeros.
    pub checked: bool,
}

/// The kernel as CUDA C++.
///
/// Errors: no such entry point; an override whose value the module does not have; what has no CUDA form.
///
/// # Panics
///
/// If `info` is of another module.
pub fn translate(input: &Input<'_>) -> Result<Translation, Refused> {
    let entries = input.module.entry_points.len();
    if input.entry >= entries {
        return Err(Refused::new(format!("entry: wanted less than {entries}, got {}", input.entry)));
    }
    Writer::new(input).map_err(Refused::new)?.translate()
}

/// Why a kernel has no CUDA form, and where.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// What has none.
    pub message: String,
    /// The place in the text.
    pub span: Option<Span>,
}

type Written<T> = Result<T, Refused>;

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
    input: &'a Input<'a>,
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
    fn new(input: &'a Input<'a>) -> Result<Writer<'a>, String> {
        let Input { module, info, entry: index, .. } = *input;
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
        let (namer, names) = names::names(module);
        Ok(Writer {
            input,
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
        self.input.checked
    }
}
