//! What invocations do together: atomics, barriers, subgroups, matrices.

use super::functions::Body;
use super::parts::Part;
use super::{Refused, Written};
use naga::{
    AddressSpace, AtomicFunction, Barrier, CollectiveOperation, CooperativeData, CooperativeSize, Direction,
    Expression, GatherMode, Handle, ScalarKind, Statement, SubgroupOperation, TypeInner,
};

impl Body<'_, '_> {
    pub(super) fn shared(&mut self, statement: &Statement) -> Written<()> {
        match *statement {
            Statement::ControlBarrier(flags) => self.barrier(flags),
            // WGSL has none by itself.
            Statement::MemoryBarrier(flags) => self.barrier(flags),
            Statement::Atomic { pointer, fun, value, result } => self.atomic(pointer, fun, value, result),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let place = self.expression(pointer)?;
                match self.is_atomic(pointer) {
                    true => {
                        self.line("wgsl::workgroupBarrier();");
                        let value = self.load(pointer)?;
                        self.name(result, &value)?;
                        self.line("wgsl::workgroupBarrier();");
                        Ok(())
                    }
                    false => self.name(result, &format!("wgsl::workgroupUniformLoad(&{place})")),
                }
            }
            Statement::SubgroupBallot { result, predicate } => {
                let predicate = predicate.map_or_else(|| Ok("true".into()), |predicate| self.bare(predicate))?;
                let lanes = self.lanes();
                self.result(Some(result), &format!("wgsl::subgroupBallot({lanes}, {predicate})"))
            }
            Statement::SubgroupGather { mode, argument, result } => self.gather(mode, argument, result),
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                let (lanes, x) = (self.lanes(), self.bare(argument)?);
                let name = collective(op, collective_op);
                self.result(Some(result), &format!("wgsl::{name}({lanes}, {x})"))
            }
            Statement::CooperativeStore { target, ref data } => {
                let (matrix, place) = (self.bare(target)?, self.matrix_place(target, data)?);
                let (aligned, at) = (self.is_aligned(data), self.matrix_at(data)?);
                self.line(format_args!("wgsl::coopStore{place}<{aligned}>({matrix}, {at});"));
                Ok(())
            }
            ref other => {
                let text = format!("{other:?}");
                let name = text.split([' ', '(', '{']).next().unwrap_or_default();
                self.refuse(format!("{name} is not for compute kernels over buffers"))
            }
        }
    }

    fn barrier(&mut self, flags: Barrier) -> Written<()> {
        if flags.contains(Barrier::SUB_GROUP) {
            let lanes = self.lanes();
            self.line(format_args!("wgsl::subgroupBarrier({lanes});"));
        }
        if flags.contains(Barrier::WORK_GROUP) {
            self.line("wgsl::workgroupBarrier();");
        } else if flags.intersects(Barrier::STORAGE | Barrier::TEXTURE) {
            // There are no textures to order: what is left is the wait.
            self.line("wgsl::storageBarrier();");
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Written<()> {
        self.writer.parts.insert(Part::Atomic);
        let (place, value) = (self.expression(pointer)?, self.bare(value)?);
        let name = match fun {
            AtomicFunction::Add => "atomicAdd",
            AtomicFunction::Subtract => "atomicSub",
            AtomicFunction::And => "atomicAnd",
            AtomicFunction::ExclusiveOr => "atomicXor",
            AtomicFunction::InclusiveOr => "atomicOr",
            AtomicFunction::Min => "atomicMin",
            AtomicFunction::Max => "atomicMax",
            AtomicFunction::Exchange { compare: None } => "atomicExchange",
            AtomicFunction::Exchange { compare: Some(compare) } => {
                let compare = self.bare(compare)?;
                return self.result(result, &format!("wgsl::atomicCompareExchangeWeak(&{place}, {compare}, {value})"));
            }
        };
        self.result(result, &format!("wgsl::{name}(&{place}, {value})"))
    }

    /// The lanes of the subgroup that are here.
    fn lanes(&mut self) -> &'static str {
        self.writer.parts.insert(Part::Subgroup);
        if self.parted {
            return "__activemask()";
        }
        self.writer.lanes = true;
        "lanes"
    }

    fn gather(&mut self, mode: GatherMode, argument: Handle<Expression>, result: Handle<Expression>) -> Written<()> {
        let (name, index) = match mode {
            GatherMode::BroadcastFirst => ("subgroupBroadcastFirst", None),
            GatherMode::Broadcast(index) => ("subgroupBroadcast", Some(index)),
            GatherMode::Shuffle(index) => ("subgroupShuffle", Some(index)),
            GatherMode::ShuffleDown(index) => ("subgroupShuffleDown", Some(index)),
            GatherMode::ShuffleUp(index) => ("subgroupShuffleUp", Some(index)),
            GatherMode::ShuffleXor(index) => ("subgroupShuffleXor", Some(index)),
            GatherMode::QuadBroadcast(index) => ("quadBroadcast", Some(index)),
            GatherMode::QuadSwap(Direction::X) => ("quadSwapX", None),
            GatherMode::QuadSwap(Direction::Y) => ("quadSwapY", None),
            GatherMode::QuadSwap(Direction::Diagonal) => ("quadSwapDiagonal", None),
        };
        let (lanes, x) = (self.lanes(), self.bare(argument)?);
        let index = index.map_or_else(|| Ok(String::new()), |index| Ok(format!(", {}", self.bare(index)?)))?;
        self.result(Some(result), &format!("wgsl::{name}({lanes}, {x}{index})"))
    }

    pub(super) fn matrix_load(&mut self, handle: Handle<Expression>, data: &CooperativeData) -> Written<String> {
        let ty = self.ty(handle)?;
        let order = self.matrix_place(handle, data)?;
        let shared = match self.inner(data.pointer).pointer_space() {
            Some(AddressSpace::WorkGroup) => "true",
            _ => "false",
        };
        let aligned = self.is_aligned(data);
        Ok(format!("wgsl::coopLoad{order}<{ty}, {shared}, {aligned}>({})", self.matrix_at(data)?))
    }

    /// `T` where rows lie one after the other in memory; the matrix must be one that tensor cores have.
    fn matrix_place(&self, matrix: Handle<Expression>, data: &CooperativeData) -> Written<&'static str> {
        let TypeInner::CooperativeMatrix { columns, rows, scalar, role } = *self.inner(matrix) else {
            return self.refuse("a cooperative matrix is wanted here");
        };
        let half = scalar.kind == ScalarKind::Float && scalar.width == 2;
        let single = scalar.kind == ScalarKind::Float && scalar.width == 4 && role == naga::CooperativeRole::C;
        if (columns, rows) != (CooperativeSize::Sixteen, CooperativeSize::Sixteen) || !(half || single) {
            return Err(Refused::new("CUDA has cooperative matrices of 16 x 16: A and B of f16, C of f16 or f32"));
        }
        Ok(if data.row_major { "T" } else { "" })
    }

    /// The pointer and the stride.
    fn matrix_at(&mut self, data: &CooperativeData) -> Written<String> {
        Ok(format!("&{}, {}", self.expression(data.pointer)?, self.bare(data.stride)?))
    }
}

fn collective(op: SubgroupOperation, over: CollectiveOperation) -> String {
    let over = match over {
        CollectiveOperation::Reduce => "",
        CollectiveOperation::InclusiveScan => "Inclusive",
        CollectiveOperation::ExclusiveScan => "Exclusive",
    };
    format!("subgroup{over}{op:?}")
}
