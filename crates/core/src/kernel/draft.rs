//! Kernels of a program's own operations: a text whose constants and parameters the operation's plan fills in.

use super::counting::number;
use super::{BindPoint, Inner, Kernel, next_id, travels_inside};
use crate::caps::Caps;
use crate::error::{CallSite, Error, ErrorKind, Result};
use crate::recent::Recent;
use std::panic::Location;
use std::sync::{Arc, LazyLock};

/// Kernels that are kept.
const KEPT: usize = 256;

static KERNELS: LazyLock<Recent<(String, String, bool), Kernel>> = LazyLock::new(|| Recent::new(KEPT));

/// A kernel of an operation of the program's own ([`Op`](crate::op::Op)): a WGSL text with one compute entry point, and
/// the constants and parameters of its plan.
///
/// The text binds its buffers in group 0, in the order of [`Pass::buffers`](crate::op::Pass). It may use constants and
/// parameters that it does not declare, which are appended after it, and the functions that [`Kernel::wgsl`] lists but
/// for `print_*` and `assert_that`. A constant is part of the kernel. Parameters are passed with each launch
/// ([`Pass::params`](crate::op::Pass)), and the text reads them as `params.NAME`, each a u32.
///
/// ```
/// use crosslane::device::Caps;
/// use crosslane::op::KernelDraft;
/// let text = "
///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
///     @compute @workgroup_size(WORKGROUP) fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
///         if id.x < params.count { x[id.x] = params.value; }
///     }
/// ";
/// let kernel = KernelDraft::new("fill", text).constant("WORKGROUP", 64).param("count").param("value").kernel(&Caps::webgpu())?;
/// assert_eq!((kernel.name(), kernel.bindings().len(), kernel.param_words()), ("fill", 1, 2));
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// It is compiled with run-time checks: an index out of bounds stays inside its binding, and workgroup memory begins as
/// zeros. Its loops must end: on a GPU there is no time limit.
#[derive(Clone, Debug)]
pub struct KernelDraft {
    name: String,
    text: String,
    constants: String,
    params: Vec<String>,
    appended: String,
    /// Proven in bounds, as the library's own are: compiled without run-time checks.
    trusted: bool,
}

impl Kernel {
    /// Whether its text is a program's.
    #[doc(hidden)]
    pub fn is_own(&self) -> bool {
        self.0.original.is_some()
    }
}

impl KernelDraft {
    /// A kernel with this text, and this name in messages.
    pub fn new(name: &str, wgsl: &str) -> KernelDraft {
        let (name, text) = (name.into(), wgsl.into());
        KernelDraft { name, text, constants: String::new(), params: vec![], appended: String::new(), trusted: false }
    }

    /// Adds the constant `NAME`, a u32.
    pub fn constant(mut self, name: &str, value: u32) -> KernelDraft {
        self.constants += &format!("const {name} = {value}u;\n");
        self
    }

    /// Adds a word to the parameters: `params.NAME`.
    pub fn param(mut self, name: &str) -> KernelDraft {
        self.params.push(name.into());
        self
    }

    /// Appends text after the kernel's own: types and functions that it uses but does not declare.
    pub fn append(mut self, wgsl: &str) -> KernelDraft {
        self.appended += wgsl;
        self
    }

    /// Without run-time checks. For the library's own operations, whose cases have launched it with all checks on.
    #[doc(hidden)]
    pub fn trusted(self) -> KernelDraft {
        KernelDraft { trusted: true, ..self }
    }

    /// The kernel for a device with these capabilities. The same draft is the same kernel.
    ///
    /// Errors: a text that does not compile, with line and column; no compute entry point, or several; messages and
    /// assertions; a feature or limit that the device does not have.
    #[track_caller]
    pub fn kernel(&self, caps: &Caps) -> Result<Kernel> {
        let key = (self.name.clone(), self.text(caps), self.trusted);
        match KERNELS.get(&key) {
            Some(kernel) => Ok(kernel),
            None => self.made(&key.1, caps, Location::caller()).map(|made| KERNELS.keep(key, made)),
        }
    }

    /// The text, and what it leaves open after it, so that its lines stay where they are.
    fn text(&self, caps: &Caps) -> String {
        let KernelDraft { text, constants, params, appended, .. } = self;
        let fields: String = params.iter().map(|name| format!("    {name}: u32,\n")).collect();
        let params = match params.len() {
            0 => String::new(),
            words if travels_inside(words, caps) => {
                format!("struct Params {{\n{fields}}}\nvar<immediate> params: Params;\n")
            }
            _ => format!("struct Params {{\n{fields}}}\n@group(1) @binding(0) var<uniform> params: Params;\n"),
        };
        format!("{text}\n// appended by the host\n{constants}{params}{appended}")
    }

    fn made(&self, text: &str, caps: &Caps, at: CallSite) -> Result<Kernel> {
        let made = Kernel::wgsl(text)?.with(&[], caps.subgroups.is_some(), at)?;
        let reflection = made.reflection().expect("a kernel from WGSL has one");
        if made.slots().any(|slot| slot.is_ok()) {
            let got = "a call of print_* or assert_that";
            return Err(Error::argument("KernelDraft::kernel", "text", "none of the library's messages", got, at));
        }
        if let Some(other) = reflection.bindings.iter().find(|resource| resource.point.group > 1) {
            return Err(Error::argument("KernelDraft::kernel", "text", "bindings in group 0", other.to_string(), at));
        }
        let breaks = reflection.breaks(caps);
        if !breaks.is_empty() {
            let (operation, wanted) = ("KernelDraft::kernel", format!("what the kernel {} needs", self.name));
            let (device, help) = ("the device".into(), breaks.join("; "));
            return Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(at) }.into());
        }
        let is_own = |point: &BindPoint| point.group == 0;
        Ok(Kernel(Arc::new(Inner {
            id: next_id(),
            number: number([self.name.as_bytes(), text.as_bytes()]),
            name: self.name.clone(),
            bindings: made.bindings().iter().copied().filter(is_own).collect(),
            own: vec![],
            params: self.params.clone(),
            trusted: self.trusted,
            original: if self.trusted { None } else { made.0.original.clone() },
            reflection: None,
            recipe: None,
            counting: Arc::default(),
            ..(*made.0).clone()
        })))
    }
}
