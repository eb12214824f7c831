//! A kernel as the interpreter runs it: a list of instructions over registers.

use super::lanes::*;
use naga::Span;
use std::sync::Arc;

/// A register: one word for each invocation of a workgroup.
pub(super) type Reg = u32;

/// Two registers that hold a 64-bit value, low word first.
pub(super) type Pair = [Reg; 2];

/// Index into [`Program::lists`].
pub(super) type List = u32;

/// Index into [`Program::labels`].
pub(super) type Label = u32;

/// Index of a control-flow construct's masks: how many constructs it lies in.
pub(super) type Frame = u32;

/// The assumed number of iterations of a loop without a known bound.
const ITERATIONS: u64 = 64;

/// No register.
pub(super) const NONE: Reg = Reg::MAX;

/// Memory that addresses refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    /// A buffer of the launch, by its place in [`Program::buffers`].
    Buffer(u32),
    /// Workgroup memory.
    Workgroup,
    /// The launch's parameters.
    Immediate,
}

/// A byte address for each invocation: a register, or 0 for [`NONE`], plus a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub space: Space,
    pub base: Reg,
    pub offset: u32,
}

/// What a read-modify-write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtomicOp {
    Load,
    Store,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exchange,
    CompareExchange,
}

impl AtomicOp {
    /// In their order.
    pub const ALL: [AtomicOp; 11] = {
        use AtomicOp::*;
        [Load, Store, Add, Sub, And, Or, Xor, Min, Max, Exchange, CompareExchange]
    };
}

/// How the words of an atomic or a subgroup operation are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I32,
    U32,
    F32,
    F16,
    I64,
    U64,
    F64,
    Bool,
}

/// Which invocation of the subgroup a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gather {
    First,
    At,
    Down,
    Up,
    Xor,
    Quad,
    SwapX,
    SwapY,
    SwapDiagonal,
}

/// What an instruction does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Read,
    Write,
    /// Written for active invocations only: the others keep their value.
    Update,
}

/// A matrix distributed over the registers of a subgroup: element `e` in column-major order lies in invocation
/// `e % size` of the register `e / size` of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub rows: u32,
    pub columns: u32,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Instr {
    Un(Un, Reg, Reg),
    Bin(Bin, Reg, Reg, Reg),
    Tern(Tern, Reg, Reg, Reg, Reg),
    Quad(Quad, Reg, Reg, Reg, Reg, Reg),
    LongUn(LongUn, Pair, Pair),
    LongBin(LongBin, Pair, Pair, Pair),
    LongTern(LongTern, Pair, Pair, Pair, Pair),
    LongShift(LongShift, Pair, Pair, Reg),
    Widen(Widen, Pair, Reg),
    Narrow(Narrow, Reg, Pair),
    LongCompare(LongCompare, Reg, Pair, Pair),
    /// Copies the first lane to all active ones.
    Broadcast(Reg),
    /// Writes a variable, for active invocations.
    Set {
        to: Reg,
        from: Reg,
    },
    /// The register of the list that each invocation's index names.
    Pick {
        to: Reg,
        list: List,
        index: Reg,
    },
    /// Writes the register of the list that each invocation's index names.
    Put {
        list: List,
        index: Reg,
        from: Reg,
    },
    /// Elements of a runtime-sized array.
    Length {
        to: Reg,
        buffer: u32,
        offset: u32,
        stride: u32,
    },
    /// Reads neighbours of `width` bytes: 4, 2 or 1.
    Load {
        to: List,
        at: Address,
        width: u8,
    },
    Store {
        from: List,
        at: Address,
        width: u8,
    },
    /// Returns the old value, unless `to` is NONE; `to`, `value` and `compare` are pairs if `kind` has 64 bits.
    Atomic {
        op: AtomicOp,
        kind: Kind,
        to: Pair,
        at: Address,
        value: Pair,
        compare: Pair,
    },

    Label(Label),
    Jump(Label),
    /// Jumps unless the condition, which is the same for all, holds.
    JumpUnless {
        condition: Reg,
        to: Label,
    },
    If {
        condition: Reg,
        frame: Frame,
        otherwise: Label,
    },
    Else {
        frame: Frame,
        end: Label,
    },
    EndIf {
        frame: Frame,
        next: Label,
    },
    /// Opens a construct that `Break` and `Continue` leave.
    Open {
        frame: Frame,
    },
    Break {
        frame: Frame,
        next: Label,
    },
    Continue {
        frame: Frame,
        next: Label,
    },
    /// The invocations that continued come back.
    Continuing {
        frame: Frame,
        end: Label,
    },
    /// Ends an iteration; invocations where `break_if` holds leave.
    Again {
        frame: Frame,
        break_if: Reg,
        start: Label,
        next: Label,
    },
    /// The invocations that broke out of a switch come back.
    Close {
        frame: Frame,
        next: Label,
    },
    /// Opens a function; invocations that return early wait at its end.
    Enter {
        frame: Frame,
    },
    Return {
        next: Label,
    },
    Leave {
        frame: Frame,
    },
    End,

    Barrier {
        workgroup: bool,
        storage: bool,
        subgroup: bool,
    },
    Ballot {
        to: List,
        predicate: Reg,
    },
    Gather {
        mode: Gather,
        to: Reg,
        from: Reg,
        index: Reg,
    },
    /// Reduces or scans over the subgroup; pairs if `kind` has 64 bits.
    Collective {
        op: naga::SubgroupOperation,
        scan: naga::CollectiveOperation,
        kind: Kind,
        to: Pair,
        from: Pair,
    },

    MatrixLoad {
        to: List,
        at: Address,
        /// First byte of the variable, and the one past it.
        within: [u32; 2],
        stride: Reg,
        row_major: bool,
        shape: Shape,
    },
    MatrixStore {
        from: List,
        at: Address,
        /// First byte of the variable, and the one past it.
        within: [u32; 2],
        stride: Reg,
        row_major: bool,
        shape: Shape,
    },
    /// to = a * b + c.
    MatrixMulAdd {
        to: List,
        a: List,
        b: List,
        c: List,
        shape_a: Shape,
        shape_b: Shape,
        shape_c: Shape,
    },

    /// An index must be below the limit; `exact` is the result of arithmetic without wrapping, or NONE. `to` is what was
    /// computed from it: an address, or elements of a value.
    CheckIndex {
        index: Reg,
        limit: Reg,
        exact: Pair,
        of: u32,
        to: List,
    },
    /// A result is NaN though no operand is.
    CheckNan {
        result: Reg,
        operands: List,
    },
}

/// An instruction, whether once is enough for all invocations, and where it stands in the WGSL text.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub instr: Instr,
    pub uniform: bool,
    pub site: u32,
}

/// What a register holds before the kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Given {
    Constant(u32),
    LocalId(u8),
    LocalIndex,
    SubgroupId,
    SubgroupLane,
    /// The same for all invocations of a workgroup.
    WorkgroupId(u8),
    Workgroups(u8),
}

/// A buffer that a kernel binds.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub name: String,
    /// The place in the launch's list of windows, or none for parameters in a uniform buffer.
    pub window: Option<usize>,
}

/// What is known of a register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Register {
    pub varying: bool,
    /// The step before which it does not exist.
    pub home: u32,
}

/// A kernel, lowered for one subgroup size: each value has a register of its own, and labels are steps.
#[derive(Debug)]
pub(super) struct Lowered {
    pub name: String,
    pub source: Arc<str>,
    pub code: Vec<Step>,
    pub lists: Vec<Vec<Reg>>,
    pub labels: usize,
    pub sites: Vec<Span>,
    pub registers: Vec<Register>,
    pub frames: usize,
    pub given: Vec<(Reg, Given)>,
    pub size: [u32; 3],
    pub subgroup: u32,
    pub workgroup_bytes: u32,
    pub workgroup_names: Vec<(String, u32, u32)>,
    pub buffers: Vec<Buffer>,
    pub names: Vec<String>,
    pub small: bool,
}

/// A kernel as the interpreter runs it.
#[derive(Debug)]
pub(super) struct Program {
    pub name: String,
    pub source: Arc<str>,
    pub code: Vec<Step>,
    pub lists: Vec<Vec<Reg>>,
    pub labels: Vec<u32>,
    pub sites: Vec<Span>,
    pub registers: usize,
    pub frames: usize,
    pub given: Vec<(Reg, Given)>,
    pub size: [u32; 3],
    pub subgroup: u32,
    pub workgroup_bytes: u32,
    /// Workgroup variables: name, first byte, bytes.
    pub workgroup_names: Vec<(String, u32, u32)>,
    pub buffers: Vec<Buffer>,
    /// Names of what indices are checked against.
    pub names: Vec<String>,
    /// Whether elements of 2 bytes occur.
    pub small: bool,
}

impl Program {
    pub fn lanes(&self) -> usize {
        self.size.iter().map(|&n| n as usize).product()
    }
}

impl Lowered {
    pub fn lanes(&self) -> usize {
        self.size.iter().map(|&n| n as usize).product()
    }

    /// Whether atomics of buffers are read and there are loops: one may wait for another workgroup.
    pub fn listens(&self) -> bool {
        let reads = |instr: &Instr| matches!(instr, Instr::Atomic { to, at: Address { space: Space::Buffer(_), .. }, .. } if to[0] != NONE);
        self.code.iter().any(|step| reads(&step.instr))
            && self.code.iter().any(|step| matches!(step.instr, Instr::Again { .. }))
    }

    /// Roughly how many words one workgroup computes: steps times invocations, those of a loop many times.
    pub fn effort(&self) -> u64 {
        let mut starts = vec![0; self.labels];
        let mut steps = 0u64;
        for (at, step) in (0u64..).zip(&self.code) {
            match step.instr {
                Instr::Label(label) => starts[label as usize] = at,
                Instr::Again { start, .. } => steps += at.saturating_sub(starts[start as usize]) * ITERATIONS,
                _ => steps += 1,
            }
        }
        steps * self.lanes() as u64
    }
}

impl Kind {
    /// In their order.
    pub const ALL: [Kind; 8] = {
        use Kind::*;
        [I32, U32, F32, F16, I64, U64, F64, Bool]
    };

    pub fn long(self) -> bool {
        matches!(self, Kind::I64 | Kind::U64 | Kind::F64)
    }
}
