//! Kernels: WGSL files in `shaders/`, completed by declarations that are appended after the file.
//!
//! WGSL allows use before declaration, so the file's line numbers stay right.
//!
//! A program's own WGSL is parsed and reflected by naga, and launched by a `Launcher`.

mod alignment;
pub mod blocks;
mod boundary;
mod collective;
mod contract;
pub mod counting;
mod depth;
mod directx;
pub mod draft;
mod graft;
mod guard;
mod immediates;
mod indexed;
mod library;
pub mod messages;
mod needs;
mod open;
mod operands;
pub mod parameters;
mod parse;
mod past_end;
mod place;
mod pointers;
pub mod prelude;
mod recipe;
pub(crate) mod reflect;
mod rows;
pub mod slice;
mod sources;
mod spec;
mod standard;
mod templates;
pub mod text;
mod turns;
mod unportable;
mod unroll;
mod user;

use crate::caps::Caps;
use crate::error::Result;
use crate::recent::Recent;
use rustc_hash::FxHasher;
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

pub use alignment::with_layout;
pub use boundary::Boundary;
pub use contract::{
    Axis, Carried, Contract, Contraction, Correlation, Lines, Side, SortByDigit, SortRows, SumOfRows, Transforms, Word,
};
pub use counting::Driven;
pub use depth::{Depth, on_large_stack, parser_limit};
pub use directx::for_directx;
pub use guard::guarded;
pub use library::has_one_width;
use library::link;
pub use needs::Needs;
pub use parameters::{Field, HostType, Parameters};
pub use parse::Parsed;
pub use reflect::has_matrices;
pub use reflect::{Feature, Member, Override, Reflection, Resource};
pub use sources::SOURCES;
pub use spec::Spec;
pub use standard::enabled;
pub use unportable::{Unportable, UnportableKind};
#[doc(hidden)]
pub use unroll::unroll;

/// A cheap handle to a kernel's source and to its interface: bindings and parameters.
#[derive(Clone)]
pub struct Kernel(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    id: u64,
    /// What it writes on the device to say which kernel it is ([`counting::number`]); 0 of the library's own.
    number: u32,
    name: String,
    entry: Cow<'static, str>,
    source: String,
    /// A program's own text, before what it calls of the library was appended.
    original: Option<Arc<str>>,
    /// Whether it combines values of a workgroup.
    collective: bool,
    bindings: Vec<BindPoint>,
    /// Which of them are the library's own, in a program's kernel.
    own: Vec<Option<Own>>,
    /// What runs, of a program's kernel: its text's module, changed by the library. The library's own are kept in
    /// [`MODULES`].
    parsed: Option<Arc<Parsed>>,
    overrides: Vec<(String, f64)>,
    /// Its overrides without a default or a value.
    open: Vec<String>,
    /// The names of the parameters' words; of a program's kernel there are only as many.
    params: Vec<String>,
    trusted: bool,
    reflection: Option<Reflection>,
    /// What it is made of, if by a program and as it stands.
    recipe: Option<recipe::Recipe>,
    /// The same text with loops that count, if it has loops that may not end.
    counting: Arc<[OnceLock<Result<Option<Kernel>>>; 2]>,
    contract: Option<Contract>,
    /// The same kernel for slices of a launch.
    sliced: Arc<OnceLock<Result<Option<Kernel>>>>,
    is_slice: bool,
}

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only read; several passes may read it at the same time.
    Read,
    /// Written, and possibly read.
    Write,
}

/// A binding of a kernel, and how the kernel uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BindPoint {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// Whether it is a `var<uniform>`; else it is a `var<storage>`.
    pub uniform: bool,
    /// How the kernel uses it.
    pub access: Access,
}

/// A buffer of the library's own that a program's kernel binds beside the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// Its messages: `crosslane::Device::messages`.
    Messages,
    /// Whether loops must stop, and after how long.
    Limits,
    /// Which kernel was stopped, and where.
    Report,
}

/// A WGSL file of the library's own.
#[derive(Clone, Copy, Debug)]
pub struct Shader {
    /// The file's name without its ending.
    pub name: &'static str,
    /// The contents of the file.
    pub text: &'static str,
}

/// What makes a kernel out of a file: its name and all that is appended.
pub struct Draft {
    /// The name in labels and in `explain()`.
    pub name: String,
    /// The text that all else is appended to.
    pub shader: Shader,
    /// The entry point in it.
    pub entry: &'static str,
    /// Named unsigned constants.
    pub constants: Vec<(&'static str, u32)>,
    /// The names of the words of `Params`.
    pub params: Vec<String>,
    /// How each binding is used, in order.
    pub access: Vec<Access>,
    /// Everything else: bindings and functions that the file leaves open.
    pub text: String,
    /// 1 or 4: the width of `F`, `I`, `U` and `T` in the shared functions.
    pub width: u32,
    /// Whether 16-bit floats occur.
    pub f16: bool,
    /// Whether cooperative matrices do.
    pub matrices: bool,
    /// Whether all accesses are proven in bounds, so that it is compiled without run-time checks.
    pub trusted: bool,
    /// What it computes, for engines that have a substitute.
    pub contract: Option<Contract>,
}

/// Modules of the library's kernels that are kept. An engine asks once, when it compiles; several devices do so one after the other.
const KEPT_MODULES: usize = 32;

/// By their texts.
static MODULES: LazyLock<Recent<String, Arc<Parsed>>> = LazyLock::new(|| Recent::new(KEPT_MODULES));

impl Kernel {
    fn new(draft: Draft, caps: &Caps) -> Kernel {
        let point = |(&access, binding): (&Access, u32)| BindPoint { group: 0, binding, uniform: false, access };
        Kernel(Arc::new(Inner {
            id: next_id(),
            number: 0,
            source: draft.source(caps),
            name: draft.name,
            original: None,
            collective: false,
            entry: draft.entry.into(),
            bindings: draft.access.iter().zip(0..).map(point).collect(),
            own: vec![],
            parsed: None,
            overrides: vec![],
            open: vec![],
            params: draft.params,
            trusted: draft.trusted,
            reflection: None,
            recipe: None,
            counting: Arc::default(),
            contract: draft.contract,
            sliced: Arc::default(),
            is_slice: false,
        }))
    }

    /// A number that no other kernel of this process has.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// What it writes on the device to say which kernel it is; the same in each process.
    #[doc(hidden)]
    pub fn number(&self) -> u32 {
        self.0.number
    }

    /// Its name, entry point, values of overrides and text, as a hash: objects that are made of the same have the same.
    #[doc(hidden)]
    pub fn identity(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.name(), self.entry(), self.source()).hash(&mut hasher);
        self.overrides().iter().for_each(|(key, value)| (key, value.to_bits()).hash(&mut hasher));
        hasher.finish()
    }

    /// The name, for labels and messages.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The entry point.
    pub fn entry(&self) -> &str {
        &self.0.entry
    }

    /// The whole WGSL text.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Where each buffer of a launch goes, in the order of the launch's buffers: by group, then binding.
    pub fn bindings(&self) -> &[BindPoint] {
        &self.0.bindings
    }

    /// What runs: naga's module of the text, with the overrides' values put in, changed by the library's passes. A program's
    /// text is parsed when its kernel is made, one of the library's own when an engine first asks.
    ///
    /// Errors: an override without a value.
    #[doc(hidden)]
    #[track_caller]
    pub fn parsed(&self) -> Result<Arc<Parsed>> {
        if !self.0.open.is_empty() {
            self.clone().complete("Kernel", Location::caller())?;
        }
        match self.0.parsed.clone().or_else(|| MODULES.get(self.source())) {
            Some(parsed) => Ok(parsed),
            None => Ok(MODULES.keep(self.source().into(), Arc::new(parse::library(self.name(), self.source())?))),
        }
    }

    /// Whether it is the library's own: then its text says all of it.
    #[doc(hidden)]
    pub fn is_of_library(&self) -> bool {
        self.0.parsed.is_none()
    }

    /// The validated naga module that runs, for the program and the tests.
    #[doc(hidden)]
    pub fn module(&self) -> Result<naga::Module> {
        Ok(self.parsed()?.module.clone())
    }

    /// The same as DX12 gets it, for the tests.
    #[doc(hidden)]
    pub fn directx_module(&self) -> Result<naga::Module> {
        let mut module = self.module()?;
        for_directx(&mut module);
        Ok(module)
    }

    /// The values that the kernel's overrides take, by name or `@id`. Those not listed keep their defaults.
    pub fn overrides(&self) -> &[(String, f64)] {
        &self.0.overrides
    }

    /// Words of parameters that a launch passes.
    pub fn param_words(&self) -> usize {
        self.0.params.len()
    }

    /// Its contract, if it has one.
    #[doc(hidden)]
    pub fn contract(&self) -> Option<&Contract> {
        self.0.contract.as_ref()
    }

    /// The names of the parameters' words, of the library's own kernels.
    #[doc(hidden)]
    pub fn param_names(&self) -> &[String] {
        &self.0.params
    }

    /// Whether it is compiled without run-time checks, being proven in bounds.
    pub fn is_trusted(&self) -> bool {
        self.0.trusted
    }
}

fn next_id() -> u64 {
    static IDS: AtomicU64 = AtomicU64::new(0);
    IDS.fetch_add(1, Ordering::Relaxed)
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.0.name)
    }
}

impl Draft {
    /// Of a file whose entry point has its name; proven in bounds.
    pub fn new(name: impl Into<String>, shader: Shader) -> Draft {
        Draft {
            name: name.into(),
            shader,
            entry: shader.name,
            constants: vec![],
            params: vec![],
            access: vec![],
            text: String::new(),
            width: 1,
            f16: false,
            matrices: false,
            trusted: true,
            contract: None,
        }
    }

    /// The file, then constants, parameters, the open functions and the shared functions that are called.
    fn source(&self, caps: &Caps) -> String {
        let file = self.shader.text;
        let mut tail = String::new();
        for (name, value) in &self.constants {
            tail += &format!("const {name} = {value}u;\n");
        }
        if !self.params.is_empty() {
            let fields: Vec<String> = self.params.iter().map(|name| format!("    {name}: u32,\n")).collect();
            tail += &format!("struct Params {{\n{}}}\n", fields.concat());
            tail += match travels_inside(self.params.len(), caps) {
                true => "var<immediate> params: Params;\n",
                false => "@group(1) @binding(0) var<uniform> params: Params;\n",
            };
        }
        tail += &self.text;
        let vector = |t: &str| if self.width == 1 { t.to_string() } else { format!("vec4<{t}>") };
        let shared = link(&[file, &tail], caps);
        let aliases = [
            (&[("F", "f32"), ("I", "i32"), ("U", "u32"), ("T", "bool")][..], shared.singles),
            (&[("J", "i64"), ("L", "u64")], shared.longs),
            (&[("D", "f64")], shared.doubles),
        ];
        for (alias, of) in aliases.into_iter().filter(|(_, there)| *there).flat_map(|(aliases, _)| aliases) {
            tail += &format!("alias {alias} = {};\n", vector(of));
        }
        tail += &shared.text;
        // `enable` must come first; without a newline the file's line numbers stay right.
        let f16 = if self.f16 { "enable f16; " } else { "" };
        let matrices = if self.matrices { "enable wgpu_cooperative_matrix; " } else { "" };
        format!("{f16}{matrices}{file}\n// appended by the host\n{tail}")
    }
}

/// Whether this many words of parameters go into the command buffer; else they lie in a uniform buffer.
pub fn travels_inside(words: usize, caps: &Caps) -> bool {
    words * 4 <= caps.immediate_bytes as usize
}
