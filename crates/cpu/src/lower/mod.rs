//! From naga's IR to the interpreter's instructions: functions are inlined, composites become scalars, pointers
//! become addresses.
//!
//! Three facts keep masks out of most instructions. Values are in single-assignment form, so that lanes which are not
//! active may compute garbage; only variables, memory and control flow look at the mask. Values that are the same for
//! all invocations are computed in one lane. Whether any lane has left is known when the mask is made.

mod binary;
mod casts;
mod emit;
mod entry;
mod exact;
mod finish;
mod functions;
mod geometry;
mod limits;
mod math;
mod matrices;
mod packing;
mod places;
mod statements;
mod types;
mod uniform;
mod values;

use super::lanes::*;
use super::program::*;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::{Kernel, guarded, on_large_stack};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, BuiltIn, Expression, Function, Handle, Module, Span};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use types::{Inner, Types};

/// What lowering needs to know beside the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Target {
    /// Invocations of a subgroup.
    pub subgroup: u32,
    /// Where each buffer of a launch is bound: (group, binding).
    pub bindings: Vec<(u32, u32)>,
    /// Every invocation does its own work and every index is checked.
    pub checked: bool,
    /// Indices stay in bounds: the kernel is not trusted.
    pub clamps: bool,
    /// Results that are NaN are findings.
    pub nan: bool,
}

/// More instructions than this is a kernel that no one meant.
const MOST_STEPS: usize = 1 << 20;

/// The most memory that the variables of a workgroup may take.
const MOST_BYTES: usize = 1 << 30;

/// Statements inside one another at most, once functions are inlined.
const MOST_NESTED: usize = 400;

/// A kernel of more functions is lowered on a stack of its own.
const FEW_FUNCTIONS: usize = 16;

/// Words of variables and intermediate values that are lowered, over all of a kernel: no more of them is written than this,
/// whatever a text of a few lines declares.
const MOST_WORDS: usize = 1 << 22;

/// Lowers a kernel.
#[track_caller]
pub(super) fn lower(kernel: &Kernel, target: &Target) -> Result<Lowered> {
    let refuse = |message: String| -> Error {
        let (kernel, device) = (kernel.name().into(), "the cpu engine".into());
        ErrorKind::Compile { kernel, device, message, at: None }.into()
    };
    let lower = || guarded(|| lowered(kernel, target, &refuse)).unwrap_or_else(|message| Err(refuse(message)));
    // Functions are inlined, each within those that call it.
    match kernel.parsed()?.module.functions.len() > FEW_FUNCTIONS {
        true => on_large_stack(lower),
        false => kernel.on_its_stack(lower),
    }
}

fn lowered(kernel: &Kernel, target: &Target, refuse: &dyn Fn(String) -> Error) -> Result<Lowered> {
    let (parsed, entry) = (kernel.parsed()?, kernel.entry());
    let found = parsed.module.entry_points.iter().position(|point| point.name == entry);
    let index = found.ok_or_else(|| refuse(format!("it has no compute entry point `{entry}`")))?;
    let size = parsed.module.entry_points[index].workgroup_size;
    let mut builder = Builder::new(&parsed.module, &parsed.info, target, size).map_err(refuse)?;
    if kernel.is_watched() {
        builder.own = kernel.original().len();
    }
    builder.globals(parsed.info.get_entry_point(index), &target.bindings).map_err(refuse)?;
    builder.entry(index).map_err(|refused| {
        let place = refused.span.location(kernel.source());
        refuse(format!("line {}, column {}: {}", place.line_number, place.line_position, refused.message))
    })?;
    Ok(finish::finish(builder, kernel.name(), kernel.source()))
}

/// Refuses a kernel whose variables take more memory than a workgroup may.
#[track_caller]
pub(super) fn check_size(program: &Program) -> Result<()> {
    // A frame has two masks of a word for each invocation.
    match (program.registers + 2 * program.frames) * program.lanes() * 4 {
        bytes if bytes > MOST_BYTES => Err(ErrorKind::Compile {
            kernel: program.name.clone(),
            device: "the cpu engine".into(),
            message: format!("its variables take {bytes} bytes a workgroup"),
            at: None,
        }
        .into()),
        _ => Ok(()),
    }
}

/// Why a kernel cannot run, and where.
struct Refused {
    message: String,
    span: Span,
}

/// A message if there is no room.
type Room<T> = std::result::Result<T, String>;

type Outcome<T> = std::result::Result<T, Refused>;

/// What an expression is.
#[derive(Clone)]
enum Value {
    Words(Rc<[Reg]>),
    Place(Place),
}

/// Where a pointer points.
#[derive(Clone)]
struct Place {
    root: Root,
    ty: Inner,
    /// Bytes in memory, registers in a variable.
    offset: u32,
    /// Added to the offset, or NONE.
    dynamic: Reg,
}

#[derive(Clone)]
enum Root {
    /// Memory, and which variable it is of: an index into the names.
    Memory(Space, u32),
    /// A variable in registers.
    Variable(Rc<Vec<Reg>>, u32),
}

/// A function that is being inlined.
struct Scope<'a> {
    function: &'a Function,
    info: &'a FunctionInfo,
    arguments: Vec<Value>,
    values: HashMap<Handle<Expression>, Value>,
    locals: HashMap<Handle<naga::LocalVariable>, Rc<Vec<Reg>>>,
    result: Rc<[Reg]>,
}

/// Constructs that `break` and `continue` leave.
#[derive(Clone, Copy)]
struct Breakable {
    frame: Frame,
    is_loop: bool,
}

struct Builder<'a> {
    types: Types<'a>,
    module: &'a Module,
    info: &'a ModuleInfo,
    checked: bool,
    clamps: bool,
    nan: bool,
    code: Vec<Step>,
    lists: Vec<Vec<Reg>>,
    list_ids: HashMap<*const Vec<Reg>, (Rc<Vec<Reg>>, List)>,
    registers: Vec<Register>,
    given: HashMap<Given, Reg>,
    constants: HashMap<Reg, u32>,
    /// The most that registers hold as unsigned numbers, where that is known.
    most: HashMap<Reg, u32>,
    /// Invocations of a workgroup in each dimension.
    size: [u32; 3],
    /// What registers would hold without wrapping, where that is followed.
    exact: HashMap<Reg, Pair>,
    labels: u32,
    /// The most constructs that are open at the same time, and how many are now.
    frames: Frame,
    depth: Frame,
    sites: Vec<Span>,
    /// Where the program's own text ends: what was appended counts as the call of it.
    own: usize,
    site_ids: HashMap<(u32, u32), u32>,
    site: u32,
    scopes: Vec<Scope<'a>>,
    /// Enclosing loops and switches of the function being inlined.
    breakable: Vec<Breakable>,
    /// Where execution goes on when no invocation is left: the label of the next place where some come back.
    joins: Vec<Label>,
    globals: HashMap<Handle<naga::GlobalVariable>, Value>,
    buffers: Vec<Buffer>,
    names: Vec<String>,
    workgroup_bytes: u32,
    workgroup_names: Vec<(String, u32, u32)>,
    small: bool,
    /// The end of the kernel.
    end: Label,
    /// Statements that are open, across functions.
    nested: usize,
    /// Words of composite values so far, beside registers.
    composed: usize,
}

impl<'a> Builder<'a> {
    fn new(module: &'a Module, info: &'a ModuleInfo, target: &Target, size: [u32; 3]) -> Room<Builder<'a>> {
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).map_err(|e| e.to_string())?;
        Ok(Builder {
            types: Types { module, layouter, subgroup: target.subgroup },
            module,
            info,
            checked: target.checked,
            clamps: target.clamps,
            nan: target.nan,
            code: vec![],
            lists: vec![],
            list_ids: HashMap::new(),
            registers: vec![],
            given: HashMap::new(),
            constants: HashMap::new(),
            most: HashMap::new(),
            size,
            exact: HashMap::new(),
            labels: 1,
            frames: 0,
            depth: 0,
            sites: vec![Span::UNDEFINED],
            own: usize::MAX,
            site_ids: HashMap::new(),
            site: 0,
            scopes: vec![],
            breakable: vec![],
            joins: vec![],
            globals: HashMap::new(),
            buffers: vec![],
            names: vec![],
            workgroup_bytes: 0,
            workgroup_names: vec![],
            small: false,
            end: 0,
            nested: 0,
            composed: 0,
        })
    }

    /// Whether there is room for a variable or value of so many words; an error says how many are too many.
    fn room(&self, words: usize) -> Room<()> {
        let lanes = self.size.iter().fold(1usize, |all, &size| all.saturating_mul(size as usize));
        let bytes = words.saturating_mul(lanes).saturating_mul(4);
        if bytes > MOST_BYTES {
            return Err(format!("its variables take {bytes} bytes a workgroup: wanted {MOST_BYTES} at most"));
        }
        let all = self.registers.len() + self.composed + words;
        if all > MOST_WORDS {
            return Err(format!("its variables and values have {all} words or more: wanted {MOST_WORDS} at most"));
        }
        Ok(())
    }

    fn refuse<T>(&self, message: impl Into<String>) -> Outcome<T> {
        Err(Refused { message: message.into(), span: self.sites[self.site as usize] })
    }
}
