//! The expressions that expressions and statements of compute kernels are made of.

use naga::{AtomicFunction, CooperativeData, Expression, GatherMode, Handle, Statement};

type Operand = Handle<Expression>;

/// Every operand of an expression.
pub(super) fn of_expression(expression: &mut Expression, visit: &mut impl FnMut(&mut Operand)) {
    use Expression as E;
    match expression {
        E::Literal(_)
        | E::Constant(_)
        | E::Override(_)
        | E::ZeroValue(_)
        | E::FunctionArgument(_)
        | E::GlobalVariable(_)
        | E::LocalVariable(_)
        | E::CallResult(_)
        | E::AtomicResult { .. }
        | E::WorkGroupUniformLoadResult { .. }
        | E::SubgroupBallotResult
        | E::SubgroupOperationResult { .. } => {}
        E::Compose { components, .. } => components.iter_mut().for_each(visit),
        E::Access { base, index } => [base, index].into_iter().for_each(visit),
        E::AccessIndex { base: operand, .. }
        | E::Splat { value: operand, .. }
        | E::Swizzle { vector: operand, .. }
        | E::Load { pointer: operand }
        | E::Unary { expr: operand, .. }
        | E::Derivative { expr: operand, .. }
        | E::Relational { argument: operand, .. }
        | E::As { expr: operand, .. }
        | E::ArrayLength(operand) => visit(operand),
        E::Binary { left, right, .. } => [left, right].into_iter().for_each(visit),
        E::Select { condition, accept, reject } => [condition, accept, reject].into_iter().for_each(visit),
        E::Math { arg, arg1, arg2, arg3, .. } => {
            [Some(arg), arg1.as_mut(), arg2.as_mut(), arg3.as_mut()].into_iter().flatten().for_each(visit);
        }
        E::CooperativeLoad { data, .. } => of_matrix(data, visit),
        E::CooperativeMultiplyAdd { a, b, c } => [a, b, c].into_iter().for_each(visit),
        E::ImageSample { .. }
        | E::ImageLoad { .. }
        | E::ImageQuery { .. }
        | E::RayQueryVertexPositions { .. }
        | E::RayQueryProceedResult
        | E::RayQueryGetIntersection { .. } => unreachable!("no kernel of the library has textures or rays"),
    }
}

fn of_matrix(data: &mut CooperativeData, visit: &mut impl FnMut(&mut Operand)) {
    [&mut data.pointer, &mut data.stride].into_iter().for_each(visit);
}

/// Every operand of a statement, but for those of statements inside it and of `Emit`; `result` gets what the statement makes.
pub(super) fn of_statement(
    statement: &mut Statement,
    visit: &mut impl FnMut(&mut Operand),
    result: &mut impl FnMut(&mut Operand),
) {
    use Statement as S;
    match statement {
        S::Emit(_) | S::Block(_) | S::Loop { break_if: None, .. } => {}
        S::Break | S::Continue | S::Kill | S::ControlBarrier(_) | S::MemoryBarrier(_) => {}
        S::If { condition: operand, .. } | S::Switch { selector: operand, .. } => visit(operand),
        S::Loop { break_if: Some(operand), .. } => visit(operand),
        S::Return { value } => value.iter_mut().for_each(visit),
        S::Store { pointer, value } => [pointer, value].into_iter().for_each(visit),
        S::Atomic { pointer, fun, value, result: made } => {
            [pointer, value].into_iter().for_each(&mut *visit);
            if let AtomicFunction::Exchange { compare } = fun {
                compare.iter_mut().for_each(visit);
            }
            made.iter_mut().for_each(result);
        }
        S::WorkGroupUniformLoad { pointer, result: made } => {
            visit(pointer);
            result(made);
        }
        S::Call { arguments, result: made, .. } => {
            arguments.iter_mut().for_each(visit);
            made.iter_mut().for_each(result);
        }
        S::SubgroupBallot { result: made, predicate } => {
            predicate.iter_mut().for_each(visit);
            result(made);
        }
        S::SubgroupGather { mode, argument, result: made } => {
            match mode {
                GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => {}
                GatherMode::Broadcast(index)
                | GatherMode::Shuffle(index)
                | GatherMode::ShuffleDown(index)
                | GatherMode::ShuffleUp(index)
                | GatherMode::ShuffleXor(index)
                | GatherMode::QuadBroadcast(index) => visit(index),
            }
            visit(argument);
            result(made);
        }
        S::SubgroupCollectiveOperation { argument, result: made, .. } => {
            visit(argument);
            result(made);
        }
        S::CooperativeStore { target, data } => {
            visit(target);
            of_matrix(data, visit);
        }
        S::ImageStore { .. } | S::ImageAtomic { .. } | S::RayQuery { .. } | S::RayPipelineFunction(_) => {
            unreachable!("no kernel of the library has textures or rays")
        }
    }
}
