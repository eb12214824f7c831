//! The compiled tier: a lowered kernel as machine code, by Cranelift.
//!
//! One program on many lanes, as ISPC and pocl make them: invocations go in chunks of one to four vectors of 128 bits. What is
//! the same for a workgroup or a chunk is one value, and addresses that go up by equal steps become vectors or strided copies.
//! Masks stand only where control diverges. Results are the interpreter's bit for bit, but for the order of atomics.
//!
//! | file | what it is |
//! |---|---|
//! | `tree.rs` | control flow as a tree |
//! | `live.rs` | which variables are still read |
//! | `shape.rs` | which registers are one value, which go up by equal steps |
//! | `plan.rs` | chunks, and what is kept in a workgroup's memory |
//! | `emit/` | Cranelift's IR |
//! | `runtime.rs` | what code calls |

mod emit;
mod live;
mod plan;
mod runtime;
mod shape;
mod tree;

use super::program::{Instr, Lowered};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
pub(super) use emit::{Given, Window};
use std::sync::LazyLock;

/// A kernel's machine code.
pub(super) struct Code {
    entry: Entry,
    /// Holds the code's pages until it is dropped.
    module: Option<JITModule>,
    /// What the code tells its helpers.
    #[expect(clippy::vec_box, reason = "code holds their addresses")]
    _instrs: Vec<Box<Instr>>,
    /// Bytes that a workgroup needs.
    pub memory: usize,
}

/// As `emit::signature` says.
type Entry = unsafe extern "C" fn(*const Given, u32, u32, u32, u32, *mut u8) -> u64;

// SAFETY: code is only read once it is made, and the module is only touched to free it.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

/// Steps of kernels at most whose registers are allocated by backtracking, which takes time by more than the square of their
/// number. Two cores of an EPYC, 2026-11-25: kernels of 140 to 1,800 steps took 4 to 110 ms, one of 9,264 7.5 s. In one pass (two
/// cores of a Xeon, 2026-11-26) kernels of 2,100 to 14,000 steps take 60 to 250 ms, and are 2 to 20 times as fast as interpreted.
pub(super) const MOST_ALLOCATED: usize = 2000;

/// Bytes of the stack that code takes at most: a program's threads may have 2 MiB. Registers that are allocated in one pass lie there
/// each in a place of its own: a scan took 4.4 MB.
const MOST_STACK: u32 = 256 << 10;

/// How registers are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allocation {
    /// In one pass: made soon, slower code.
    OnePass,
    /// By backtracking.
    Backtracking,
}

/// What kernels are compiled for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub allocation: Allocation,
    /// Not trusted: nothing outside of buffers is touched.
    pub guarded: bool,
    /// Loops look at the clock.
    pub watched: bool,
}

/// This machine, or why it has no code.
static BACKTRACKING: LazyLock<Machine> = LazyLock::new(|| machine("backtracking"));
static ONE_PASS: LazyLock<Machine> = LazyLock::new(|| machine("single_pass"));

type Machine = Result<OwnedTargetIsa, &'static str>;

fn machine(registers: &str) -> Machine {
    let mut flags = settings::builder();
    let set = [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("enable_verifier", if cfg!(test) { "true" } else { "false" }),
        ("regalloc_algorithm", registers),
    ];
    set.iter()
        .try_for_each(|(name, value)| flags.set(name, value))
        .map_err(|_| "a setting that Cranelift does not know")?;
    cranelift_native::builder()?
        .finish(settings::Flags::new(flags))
        .map_err(|_| "a machine that Cranelift does not know")
}

/// Whether kernels can be compiled on this machine.
pub(super) fn is_available() -> bool {
    BACKTRACKING.is_ok()
}

/// Compiles a kernel; an error says why it is interpreted.
pub(super) fn compile(kernel: &Lowered, target: Target) -> Result<Code, String> {
    let machine = match target.allocation {
        Allocation::OnePass => &ONE_PASS,
        Allocation::Backtracking => &BACKTRACKING,
    };
    let isa = machine.as_ref().map_err(|why| why.to_string())?;
    // Where there is no such flag, every machine has it.
    let has_fma =
        isa.isa_flags().iter().find(|flag| flag.name == "has_fma").is_none_or(|flag| flag.as_bool() == Some(true));
    let tree = tree::tree(kernel);
    let live = live::Liveness::new(kernel, &tree);
    let planned = plan::plan(kernel, &tree, &live);
    let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
    let mut context = module.make_context();
    context.func.signature = emit::signature(isa.default_call_conv());
    let parts = emit::Parts {
        kernel,
        tree: &tree,
        live: &live,
        shapes: &planned.shapes,
        chunks: planned.chunks,
        layout: &planned.layout,
        guarded: target.guarded,
        watched: target.watched,
        has_fma,
    };
    let config = module.target_config();
    let made = emit::emit(&mut context.func, &mut FunctionBuilderContext::new(), config, &parts)?;
    let name =
        module.declare_function("kernel", Linkage::Export, &context.func.signature).map_err(|e| e.to_string())?;
    log::trace!("{} {:?}\n{}", kernel.name, planned.chunks, context.func.display());
    module.define_function(name, &mut context).map_err(|error| format!("{error:?}"))?;
    let frame =
        context.compiled_code().and_then(|code| code.buffer.frame_layout()).map(|frame| frame.frame_to_fp_offset);
    if frame.is_none_or(|bytes| bytes > MOST_STACK) {
        // SAFETY: nobody has the code.
        unsafe { module.free_memory() };
        let bytes = frame.map_or("unknown".into(), |bytes| bytes.to_string());
        return Err(format!("{bytes} bytes of stack are more than {MOST_STACK}"));
    }
    module.finalize_definitions().map_err(|error| error.to_string())?;
    let entry = module.get_finalized_function(name);
    // SAFETY: the function has this signature.
    let entry = unsafe { std::mem::transmute::<*const u8, Entry>(entry) };
    Ok(Code { entry, module: Some(module), _instrs: made, memory: planned.layout.bytes as usize })
}

impl Code {
    /// Runs `count` workgroups, more than none, from this one on. Gives the site of a loop that was stopped, and in which of
    /// them.
    ///
    /// # Safety
    ///
    /// What is given must be what the kernel binds, and the memory as large as [`Code::memory`] says, from a multiple of 64 on.
    pub unsafe fn run(&self, given: &Given, [x, y, z]: [u32; 3], count: u32, memory: *mut u8) -> Option<(u32, u32)> {
        // SAFETY: as the caller says. The module holds the code.
        let stopped = unsafe { (self.entry)(given, x, y, z, count, memory) };
        let site = (stopped as u32).checked_sub(1)?;
        Some((site, count - (stopped >> 32) as u32))
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nobody runs the code: who does holds what it lies in.
            unsafe { module.free_memory() };
        }
    }
}
