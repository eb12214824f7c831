//! From a kernel's statements to Cranelift's IR.
//!
//! Code runs one workgroup. Invocations go in chunks: a register is one value for the workgroup, one for a chunk, or vectors.
//! Between barriers all of a chunk's steps run before the next chunk's; what lives across a barrier is kept in memory.

mod arithmetic;
mod atomics;
mod control;
mod lists;
mod long;
mod memory;
mod regions;
mod room;
mod subgroups;
mod values;

pub(super) use lists::FEW;
pub(super) use regions::{conditions, visit_regions};
use values::plain;

use super::live::Liveness;
use super::runtime;
use super::shape::{Shape, Shapes};
use super::tree::{Node, Tree};
use crate::lanes::*;
use crate::program::*;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::*;
use cranelift_codegen::ir::{
    AbiParam, Block, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot, StackSlotData, StackSlotKind, Type, Value,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use std::collections::HashMap;

/// Vectors of a chunk at most.
pub(super) const MOST_VECTORS: usize = 4;
/// Invocations of a vector.
pub(super) const VECTOR: usize = 4;

/// What a launch gives to the code, for all workgroups.
#[repr(C)]
pub struct Given {
    /// First byte and bytes of each buffer.
    pub buffers: *const Window,
    pub immediates: *const u32,
    pub groups: [u32; 3],
    /// Not 0 if the launch shall end: asked now and then.
    pub late: unsafe extern "C" fn(*const Given) -> u32,
}

/// A buffer that is bound.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Window {
    pub first: *mut u8,
    pub bytes: u64,
}

/// How a kernel is cut into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    /// Vectors of a chunk; 0 if it is a single invocation.
    pub vectors: usize,
    /// Invocations of a chunk.
    pub lanes: u32,
    /// Chunks that are full.
    pub full: u32,
    /// Invocations of one more chunk.
    pub rest: u32,
}

impl Chunks {
    pub fn count(&self) -> u32 {
        self.full + (self.rest > 0) as u32
    }
}

/// Where registers lie that are kept in the memory of a workgroup: bytes from its beginning.
#[derive(Default)]
pub(super) struct Layout {
    /// By register: what lives across regions.
    pub kept: Vec<Option<u32>>,
    /// By register: elements of variables that are chosen by an index.
    pub elements: Vec<Option<u32>>,
    /// Bytes in all.
    pub bytes: u32,
}

/// Why a kernel has no code.
pub(super) type Unsupported = &'static str;
pub(super) type Emitted<T> = Result<T, Unsupported>;

/// A register's values: one, or a vector each for some invocations.
#[derive(Clone, Copy)]
pub(super) struct Vectors([Value; MOST_VECTORS]);

/// Variables of a mask.
type Mask = [Variable; MOST_VECTORS];

/// Where a construct's invocations go.
#[derive(Clone, Copy)]
struct Target {
    frame: Frame,
    /// Where all go that leave together, with all of the chunk.
    leave: Option<Block>,
    again: Option<Block>,
    /// Those that left, and that went on to the next iteration, where not all do.
    left: Option<Mask>,
    continued: Option<Mask>,
}

pub(super) struct Emitter<'a, 'b> {
    b: FunctionBuilder<'b>,
    kernel: &'a Lowered,
    live: &'a Liveness,
    shapes: &'a Shapes,
    chunks: Chunks,
    layout: &'a Layout,
    constants: Vec<Option<u32>>,
    givens: Vec<Option<crate::program::Given>>,
    /// Buffers that the kernel writes.
    written: Vec<bool>,
    /// What this block has loaded to load from: the first byte of a buffer.
    first_bytes: HashMap<u32, Value>,
    /// What is known of conditions that this block has computed, from their first and last invocation alone.
    ends: HashMap<Reg, Ends>,
    /// Not trusted: accesses stay inside buffers, and loops are watched.
    guarded: bool,
    has_fma: bool,
    registers: Vec<[Option<Variable>; MOST_VECTORS]>,
    /// The active invocations; none if all are.
    mask: Option<Mask>,
    spare: Vec<Mask>,
    targets: Vec<Target>,
    /// Where `return` goes: from each function that is open.
    returns: Vec<Option<Block>>,
    /// The kernel's arguments.
    given: Value,
    group: [Variable; 3],
    /// Workgroups that are still to run, this one included.
    left: Variable,
    memory: Value,
    /// The chunk's number, and its first invocation.
    chunk: Variable,
    lane: Variable,
    fuel: Variable,
    /// Whether loops look at the clock.
    watched: bool,
    slot: Option<StackSlot>,
    slot_bytes: u32,
    compute: SigRef,
    late: SigRef,
    collective: SigRef,
    /// What helpers are told.
    #[expect(clippy::vec_box, reason = "code holds their addresses")]
    instrs: Vec<Box<Instr>>,
    /// The register whose step is being emitted belongs to this place of the text.
    at: usize,
}

/// Iterations of loops between two looks at the clock.
const LOOK: i64 = 4096;

/// The signature of a kernel's code: what is given, the first workgroup's three numbers, how many workgroups to run, the
/// memory of one. It gives 0; or the site of the loop that was stopped and one, and in the high half how many workgroups were
/// left.
pub(super) fn signature(call: CallConv) -> Signature {
    let mut signature = Signature::new(call);
    signature.params.extend([I64, I32, I32, I32, I32, I64].map(AbiParam::new));
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// What emission needs beside the kernel.
pub(super) struct Parts<'a> {
    pub kernel: &'a Lowered,
    pub tree: &'a Tree,
    pub live: &'a Liveness,
    pub shapes: &'a Shapes,
    pub chunks: Chunks,
    pub layout: &'a Layout,
    pub guarded: bool,
    pub watched: bool,
    pub has_fma: bool,
}

/// Whether a condition certainly holds for all invocations of a chunk, and whether for none.
#[derive(Clone, Copy)]
struct Ends {
    all: Value,
    none: Value,
}

/// By buffer: whether a kernel writes it.
pub(super) fn written(kernel: &Lowered) -> Vec<bool> {
    let mut written = vec![false; kernel.buffers.len()];
    for step in &kernel.code {
        if let Instr::Store { at, .. } | Instr::Atomic { at, .. } | Instr::MatrixStore { at, .. } = &step.instr
            && let Space::Buffer(buffer) = at.space
        {
            written[buffer as usize] = true;
        }
    }
    written
}

/// Fills a function whose signature is set; gives what must live as long as its code.
#[expect(clippy::vec_box, reason = "code holds their addresses")]
pub(super) fn emit(
    function: &mut cranelift_codegen::ir::Function,
    context: &mut FunctionBuilderContext,
    config: TargetFrontendConfig,
    parts: &Parts,
) -> Emitted<Vec<Box<Instr>>> {
    let mut b = FunctionBuilder::new(function, context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    let params: Vec<Value> = b.block_params(entry).to_vec();
    let [given, x, y, z, count, memory] = params[..] else { unreachable!("as in `signature`") };
    let call = config.default_call_conv;
    let mut import = |params: &[Type], returns: &[Type]| {
        let mut signature = Signature::new(call);
        signature.params.extend(params.iter().copied().map(AbiParam::new));
        signature.returns.extend(returns.iter().copied().map(AbiParam::new));
        b.import_signature(signature)
    };
    let compute = import(&[I64, I64, I64], &[]);
    let late = import(&[I64], &[I32]);
    let collective = import(&[I64, I64, I64, I64], &[]);
    let (chunk, lane, fuel) = (b.declare_var(I32), b.declare_var(I32), b.declare_var(I32));
    let zero = b.ins().iconst(I32, 0);
    b.def_var(chunk, zero);
    b.def_var(lane, zero);
    let group = [x, y, z].map(|number| {
        let variable = b.declare_var(I32);
        b.def_var(variable, number);
        variable
    });
    let left = b.declare_var(I32);
    b.def_var(left, count);
    let look = b.ins().iconst(I32, LOOK);
    b.def_var(fuel, look);
    let kernel = parts.kernel;
    let (mut constants, mut givens) = (vec![None; kernel.registers.len()], vec![None; kernel.registers.len()]);
    for &(reg, given) in &kernel.given {
        givens[reg as usize] = Some(given);
        if let crate::program::Given::Constant(word) = given {
            constants[reg as usize] = Some(word);
        }
    }
    let mut emitter = Emitter {
        b,
        kernel,
        live: parts.live,
        shapes: parts.shapes,
        chunks: parts.chunks,
        layout: parts.layout,
        constants,
        givens,
        written: written(kernel),
        first_bytes: HashMap::new(),
        ends: HashMap::new(),
        guarded: parts.guarded,
        has_fma: parts.has_fma,
        registers: vec![[None; MOST_VECTORS]; kernel.registers.len()],
        mask: None,
        spare: vec![],
        targets: vec![],
        returns: vec![],
        given,
        group,
        left,
        memory,
        chunk,
        lane,
        fuel,
        watched: parts.watched,
        slot: None,
        slot_bytes: 0,
        compute,
        late,
        collective,
        instrs: vec![],
        at: 0,
    };
    emitter.workgroups(&parts.tree.nodes)?;
    let done = emitter.b.ins().iconst(I64, 0);
    emitter.b.ins().return_(&[done]);
    let Emitter { mut b, instrs, .. } = emitter;
    b.seal_all_blocks();
    b.finalize(config);
    Ok(instrs)
}

impl Emitter<'_, '_> {
    /// A block to go on in.
    fn block(&mut self) -> Block {
        self.b.create_block()
    }

    fn jump(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
    }

    fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.b.ins().brif(condition, then, &[], otherwise, &[]);
    }

    /// Goes on in a block.
    fn enter(&mut self, block: Block) {
        self.first_bytes.clear();
        self.ends.clear();
        self.b.switch_to_block(block);
    }

    fn int(&mut self, word: u32) -> Value {
        self.b.ins().iconst(I32, word as i32 as i64)
    }

    /// Room on the stack that steps use in turns.
    fn room(&mut self, bytes: u32) -> Value {
        if self.slot.is_none() || self.slot_bytes < bytes {
            self.slot_bytes = bytes.max(1024);
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, self.slot_bytes, 4);
            self.slot = Some(self.b.create_sized_stack_slot(data));
        }
        self.b.ins().stack_addr(I64, self.slot.expect("made above"), 0)
    }

    /// The invocations of a chunk.
    fn lanes(&self) -> u32 {
        self.chunks.lanes
    }

    /// Vectors of a register with a value for each invocation.
    fn vectors(&self) -> usize {
        self.chunks.vectors
    }

    /// A step of a chunk, or of all where it is uniform.
    fn step(&mut self, at: usize) -> Emitted<()> {
        self.at = at;
        let step = &self.kernel.code[at];
        match step.instr {
            Instr::Set { .. } if self.live.dead[at] => Ok(()),
            Instr::Set { to, from } => {
                self.set(to, from);
                Ok(())
            }
            Instr::Pick { to, list, index } => {
                self.pick(to, list, index);
                Ok(())
            }
            Instr::Put { list, index, from } => {
                self.put(list, index, from);
                Ok(())
            }
            Instr::Length { to, buffer, offset, stride } => {
                let bytes = self.window_bytes(buffer);
                let bytes = self.b.ins().ireduce(I32, bytes);
                let offset = self.int(offset);
                let short = self.b.ins().icmp(IntCC::UnsignedLessThan, bytes, offset);
                let rest = self.b.ins().isub(bytes, offset);
                let zero = self.int(0);
                let rest = self.b.ins().select(short, zero, rest);
                let stride = self.int(stride);
                let count = self.b.ins().udiv(rest, stride);
                self.define_one(to, count);
                Ok(())
            }
            Instr::Load { to, at, width } => {
                self.load(to, at, width);
                Ok(())
            }
            Instr::Store { from, at, width } => {
                self.store(from, at, width);
                Ok(())
            }
            Instr::Atomic { op, kind, to, at, value, compare } => {
                self.atomic(op, kind, to, at, value, compare);
                Ok(())
            }
            Instr::Barrier { .. } => Ok(()),
            Instr::Ballot { .. } | Instr::Gather { .. } | Instr::Collective { .. } => self.subgroup(&step.instr),
            Instr::MatrixLoad { .. } | Instr::MatrixStore { .. } | Instr::MatrixMulAdd { .. } => {
                Err("cooperative matrices")
            }
            Instr::CheckIndex { .. } | Instr::CheckNan { .. } => Err("checks"),
            _ => {
                self.arithmetic(&step.instr);
                Ok(())
            }
        }
    }

    /// At the end of an iteration: now and then looks at the clock, and leaves the kernel if its time is used up.
    fn watch(&mut self, again: usize) {
        if !self.watched {
            return;
        }
        let fuel = self.b.use_var(self.fuel);
        let fuel = self.b.ins().iadd_imm_s(fuel, -1);
        self.b.def_var(self.fuel, fuel);
        let (look, stop, refill, on) = (self.block(), self.block(), self.block(), self.block());
        self.branch(fuel, on, look);
        self.enter(look);
        self.b.set_cold_block(look);
        let offset = std::mem::offset_of!(Given, late) as i32;
        let late = self.b.ins().load(I64, plain(), self.given, offset);
        let call = self.b.ins().call_indirect(self.late, late, &[self.given]);
        let late = self.b.inst_results(call)[0];
        self.branch(late, stop, refill);
        self.enter(stop);
        self.b.set_cold_block(stop);
        let left = self.b.use_var(self.left);
        let left = self.b.ins().uextend(I64, left);
        let left = self.b.ins().ishl_imm_u(left, 32);
        let site = self.b.ins().iconst(I64, self.kernel.code[again].site as i64 + 1);
        let stopped = self.b.ins().bor(left, site);
        self.b.ins().return_(&[stopped]);
        self.enter(refill);
        let full = self.b.ins().iconst(I32, LOOK);
        self.b.def_var(self.fuel, full);
        self.jump(on);
        self.enter(on);
    }
}
