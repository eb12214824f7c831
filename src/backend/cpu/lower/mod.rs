//! From naga's IR to the interpreter's instructions: functions are inlined, composites become scalars, pointers
//! become addresses.
//!
//! Three facts keep masks out of most instructions. Values are in single-assignment form, so that lanes which are
//! not active may compute garbage; only variables, memory and control flow look at the mask. What is the same for
//! all invocations is computed in one lane. Whether any lane has left is known when the mask is made.

mod binary;
mod casts;
mod finish;
mod math;
mod matrices;
mod places;
mod statements;
mod types;
mod values;

use super::lanes::*;
use super::program::*;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::parse;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, BuiltIn, Expression, Function, Handle, Module, Span};
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use types::{Inner, Types};

/// What lowering needs to know beside the text.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// Invocations of a subgroup.
    pub subgroup: u32,
    /// Where each buffer of a launch is bound: (group, binding).
    pub bindings: Vec<(u32, u32)>,
    /// Values of overrides.
    pub overrides: Vec<(String, f64)>,
    /// Every invocation does its own work and every index is checked.
    pub checked: bool,
    /// Results that are NaN are findings.
    pub nan: bool,
}

/// More instructions than this is a kernel that no one meant.
const MOST_STEPS: usize = 1 << 20;

/// Lowers one entry point.
#[track_caller]
pub(super) fn lower(name: &str, source: &str, entry: &str, target: &Target) -> Result<Program> {
    let refuse = |message: String| -> Error {
        ErrorKind::Compile { kernel: name.into(), device: "the cpu engine".into(), message, at: None }.into()
    };
    let overrides: Vec<(&str, f64)> = target.overrides.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let parsed = parse(source, Some(entry), &overrides, Location::caller())?;
    let found = parsed.module.entry_points.iter().position(|e| e.name == parsed.entry);
    let index = found.ok_or_else(|| refuse(format!("it has no compute entry point `{entry}`")))?;
    let mut builder = Builder::new(&parsed.module, &parsed.info, target).map_err(refuse)?;
    builder.entry(index).map_err(|refused| {
        let place = refused.span.location(source);
        refuse(format!("line {}, column {}: {}", place.line_number, place.line_position, refused.message))
    })?;
    Ok(finish::finish(builder, name, source, parsed.module.entry_points[index].workgroup_size))
}

/// Why a kernel cannot run, and where.
struct Refused {
    message: String,
    span: Span,
}

type Lowered<T> = std::result::Result<T, Refused>;

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

/// What is known of a register while lowering.
#[derive(Clone, Copy, Default)]
struct Register {
    varying: bool,
    /// The step before which it does not exist.
    home: u32,
}

struct Builder<'a> {
    types: Types<'a>,
    module: &'a Module,
    info: &'a ModuleInfo,
    checked: bool,
    nan: bool,
    code: Vec<Step>,
    lists: Vec<Vec<Reg>>,
    list_ids: HashMap<*const Vec<Reg>, (Rc<Vec<Reg>>, List)>,
    registers: Vec<Register>,
    given: HashMap<Given, Reg>,
    labels: u32,
    frames: Frame,
    sites: Vec<Span>,
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
}

impl<'a> Builder<'a> {
    fn new(module: &'a Module, info: &'a ModuleInfo, target: &Target) -> std::result::Result<Builder<'a>, String> {
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).map_err(|e| e.to_string())?;
        let mut builder = Builder {
            types: Types { module, layouter, subgroup: target.subgroup },
            module,
            info,
            checked: target.checked,
            nan: target.nan,
            code: vec![],
            lists: vec![],
            list_ids: HashMap::new(),
            registers: vec![],
            given: HashMap::new(),
            labels: 1,
            frames: 0,
            sites: vec![Span::UNDEFINED],
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
        };
        builder.globals(&target.bindings)?;
        Ok(builder)
    }

    /// Gives each global variable its place.
    fn globals(&mut self, bindings: &[(u32, u32)]) -> std::result::Result<(), String> {
        for (handle, global) in self.module.global_variables.iter() {
            let name = global.name.clone().unwrap_or_default();
            let ty = self.types.inner(global.ty).clone();
            let of = self.names.len() as u32;
            self.names.push(name.clone());
            let space = match global.space {
                AddressSpace::Storage { .. } | AddressSpace::Uniform => {
                    let at = global.binding.as_ref().ok_or_else(|| format!("`{name}` has no binding"))?;
                    let window = bindings.iter().position(|&b| b == (at.group, at.binding));
                    self.buffers.push(Buffer { name, window });
                    Space::Buffer(self.buffers.len() as u32 - 1)
                }
                AddressSpace::Immediate => Space::Immediate,
                AddressSpace::WorkGroup => {
                    let (size, alignment) = self.types.layout(global.ty);
                    let start = self.workgroup_bytes.next_multiple_of(alignment.max(4));
                    self.workgroup_bytes = start + size;
                    self.workgroup_names.push((name, start, size));
                    let place = Place { root: Root::Memory(Space::Workgroup, of), ty, offset: start, dynamic: NONE };
                    self.globals.insert(handle, Value::Place(place));
                    continue;
                }
                AddressSpace::Private => {
                    let words = self.types.words(&ty);
                    let variable = Rc::new((0..words).map(|_| self.register(true)).collect::<Vec<_>>());
                    let place = Place { root: Root::Variable(variable, of), ty, offset: 0, dynamic: NONE };
                    self.globals.insert(handle, Value::Place(place));
                    continue;
                }
                // A texture, a sampler or the like: refused where it is used.
                _ => continue,
            };
            let place = Place { root: Root::Memory(space, of), ty, offset: 0, dynamic: NONE };
            self.globals.insert(handle, Value::Place(place));
        }
        Ok(())
    }

    fn refuse<T>(&self, message: impl Into<String>) -> Lowered<T> {
        Err(Refused { message: message.into(), span: self.sites[self.site as usize] })
    }

    /// A new register.
    fn register(&mut self, varying: bool) -> Reg {
        self.registers.push(Register { varying, home: self.code.len() as u32 });
        self.registers.len() as Reg - 1
    }

    fn pair(&mut self, varying: bool) -> Pair {
        [self.register(varying), self.register(varying)]
    }

    /// A register that is filled before the kernel starts.
    fn given(&mut self, given: Given) -> Reg {
        if let Some(&reg) = self.given.get(&given) {
            return reg;
        }
        let uniform = matches!(given, Given::Constant(_) | Given::WorkgroupId(_) | Given::Workgroups(_));
        let reg = self.register(!uniform);
        self.registers[reg as usize].home = 0;
        self.given.insert(given, reg);
        reg
    }

    fn constant(&mut self, word: u32) -> Reg {
        self.given(Given::Constant(word))
    }

    fn constant64(&mut self, long: u64) -> Pair {
        [self.constant(long as u32), self.constant((long >> 32) as u32)]
    }

    fn varies(&self, reg: Reg) -> bool {
        reg != NONE && self.registers[reg as usize].varying
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        self.labels - 1
    }

    fn frame(&mut self) -> Frame {
        self.frames += 1;
        self.frames - 1
    }

    fn list(&mut self, regs: Vec<Reg>) -> List {
        self.lists.push(regs);
        self.lists.len() as List - 1
    }

    /// The list of a variable's registers, shared by all that index it.
    fn variable_list(&mut self, variable: &Rc<Vec<Reg>>) -> List {
        if let Some((_, list)) = self.list_ids.get(&Rc::as_ptr(variable)) {
            return *list;
        }
        let list = self.list(variable.to_vec());
        self.list_ids.insert(Rc::as_ptr(variable), (variable.clone(), list));
        list
    }

    fn push(&mut self, instr: Instr, uniform: bool) {
        self.code.push(Step { instr, uniform, site: self.site });
    }

    /// A step that every invocation does for itself.
    fn varying(&mut self, instr: Instr) {
        self.push(instr, false);
    }

    /// The instructions from here on stand at this place of the text.
    fn at(&mut self, span: Span) {
        let Some(range) = span.to_range() else { return };
        let key = (range.start as u32, range.end as u32);
        let next = self.sites.len() as u32;
        self.site = *self.site_ids.entry(key).or_insert(next);
        if self.site == next {
            self.sites.push(span);
        }
    }

    fn un(&mut self, op: Un, a: Reg) -> Reg {
        let varying = self.varies(a);
        let to = self.register(varying);
        self.push(Instr::Un(op, to, a), !varying);
        to
    }

    fn bin(&mut self, op: Bin, a: Reg, b: Reg) -> Reg {
        let varying = self.varies(a) || self.varies(b);
        let to = self.register(varying);
        self.push(Instr::Bin(op, to, a, b), !varying);
        to
    }

    fn tern(&mut self, op: Tern, a: Reg, b: Reg, c: Reg) -> Reg {
        let varying = self.varies(a) || self.varies(b) || self.varies(c);
        let to = self.register(varying);
        self.push(Instr::Tern(op, to, a, b, c), !varying);
        to
    }

    fn quad(&mut self, op: Quad, a: Reg, b: Reg, c: Reg, d: Reg) -> Reg {
        let varying = [a, b, c, d].iter().any(|&r| self.varies(r));
        let to = self.register(varying);
        self.push(Instr::Quad(op, to, a, b, c, d), !varying);
        to
    }

    fn varies2(&self, a: Pair) -> bool {
        self.varies(a[0]) || self.varies(a[1])
    }

    fn long_un(&mut self, op: LongUn, a: Pair) -> Pair {
        let varying = self.varies2(a);
        let to = self.pair(varying);
        self.push(Instr::LongUn(op, to, a), !varying);
        to
    }

    fn long_bin(&mut self, op: LongBin, a: Pair, b: Pair) -> Pair {
        let varying = self.varies2(a) || self.varies2(b);
        let to = self.pair(varying);
        self.push(Instr::LongBin(op, to, a, b), !varying);
        to
    }

    fn long_tern(&mut self, op: LongTern, a: Pair, b: Pair, c: Pair) -> Pair {
        let varying = self.varies2(a) || self.varies2(b) || self.varies2(c);
        let to = self.pair(varying);
        self.push(Instr::LongTern(op, to, a, b, c), !varying);
        to
    }

    fn long_shift(&mut self, op: LongShift, a: Pair, b: Reg) -> Pair {
        let varying = self.varies2(a) || self.varies(b);
        let to = self.pair(varying);
        self.push(Instr::LongShift(op, to, a, b), !varying);
        to
    }

    fn widen(&mut self, op: Widen, a: Reg) -> Pair {
        let varying = self.varies(a);
        let to = self.pair(varying);
        self.push(Instr::Widen(op, to, a), !varying);
        to
    }

    fn narrow(&mut self, op: Narrow, a: Pair) -> Reg {
        let varying = self.varies2(a);
        let to = self.register(varying);
        self.push(Instr::Narrow(op, to, a), !varying);
        to
    }

    fn long_compare(&mut self, op: LongCompare, a: Pair, b: Pair) -> Reg {
        let varying = self.varies2(a) || self.varies2(b);
        let to = self.register(varying);
        self.push(Instr::LongCompare(op, to, a, b), !varying);
        to
    }

    /// Inlines the entry point.
    fn entry(&mut self, index: usize) -> Lowered<()> {
        let module = self.module;
        let entry = &module.entry_points[index];
        self.init_private()?;
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let words = match &argument.binding {
                Some(naga::Binding::BuiltIn(builtin)) => self.builtin(*builtin, entry.workgroup_size)?,
                _ => {
                    let mut words = Vec::new();
                    let Inner::Struct { members, .. } = self.types.inner(argument.ty) else {
                        return self.refuse("an argument of the entry point is no built-in value");
                    };
                    for member in members {
                        match &member.binding {
                            Some(naga::Binding::BuiltIn(b)) => words.extend(self.builtin(*b, entry.workgroup_size)?),
                            _ => return self.refuse("an argument of the entry point is no built-in value"),
                        }
                    }
                    words
                }
            };
            arguments.push(Value::Words(words.into()));
        }
        self.inline(&entry.function, self.info.get_entry_point(index), arguments)?;
        self.varying(Instr::End);
        Ok(())
    }

    fn init_private(&mut self) -> Lowered<()> {
        let module = self.module;
        for (handle, global) in module.global_variables.iter() {
            let Some(Value::Place(Place { root: Root::Variable(variable, _), .. })) =
                self.globals.get(&handle).cloned()
            else {
                continue;
            };
            let init = match global.init {
                Some(init) => self.constant_expression(init)?,
                None => vec![self.constant(0); variable.len()],
            };
            for (&to, from) in variable.iter().zip(init) {
                self.varying(Instr::Set { to, from });
            }
        }
        Ok(())
    }

    fn builtin(&mut self, builtin: BuiltIn, size: [u32; 3]) -> Lowered<Vec<Reg>> {
        let three = |make: fn(u8) -> Given| [0, 1, 2].map(make);
        let lanes: u32 = size.iter().product();
        Ok(match builtin {
            BuiltIn::LocalInvocationId => three(Given::LocalId).map(|g| self.given(g)).to_vec(),
            BuiltIn::LocalInvocationIndex => vec![self.given(Given::LocalIndex)],
            BuiltIn::WorkGroupId => three(Given::WorkgroupId).map(|g| self.given(g)).to_vec(),
            BuiltIn::NumWorkGroups => three(Given::Workgroups).map(|g| self.given(g)).to_vec(),
            BuiltIn::WorkGroupSize => size.map(|n| self.constant(n)).to_vec(),
            BuiltIn::GlobalInvocationId => {
                let mut words = vec![];
                for axis in 0..3u8 {
                    let group = self.given(Given::WorkgroupId(axis));
                    let size = self.constant(size[axis as usize]);
                    let local = self.given(Given::LocalId(axis));
                    words.push(self.tern(Tern::MulAddI32, group, size, local));
                }
                words
            }
            BuiltIn::SubgroupSize => vec![self.constant(self.types.subgroup)],
            BuiltIn::NumSubgroups => vec![self.constant(lanes.div_ceil(self.types.subgroup))],
            BuiltIn::SubgroupId => vec![self.given(Given::SubgroupId)],
            BuiltIn::SubgroupInvocationId => vec![self.given(Given::SubgroupLane)],
            other => return self.refuse(format!("{other:?} is not a built-in value of compute kernels")),
        })
    }
}
