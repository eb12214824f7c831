//! `subgroupElect`, which naga lacks: the sum of ones before an invocation is 0 for the lowest active one.
//!
//! As a function all its calls would be one place in a text, and CUDA asks at a place which lanes are there: so the sum is written
//! out at each call.

use crate::kernel::blocks::inside_mut;
use naga::{
    Arena, Block, CollectiveOperation, Expression, Function, Handle, Literal, Module, Scalar, Span, Statement,
    SubgroupOperation, Type, TypeInner,
};

/// The function that programs call, and the one that looks at the sum: the library appends both.
const ELECT: &str = "subgroupElect";
const LOWEST: &str = "crosslane_lowest";

/// Writes the calls out.
pub(in super::super) fn elect(module: &mut Module) {
    let named = |name: &str| {
        let found = module.functions.iter().find(|(_, function)| function.name.as_deref() == Some(name));
        found.map(|(handle, _)| handle)
    };
    let (Some(elect), Some(lowest)) = (named(ELECT), named(LOWEST)) else { return };
    let ty = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let calls = Calls { elect, lowest, word: module.types.insert(ty, Span::UNDEFINED) };
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    let functions = module.functions.iter_mut().map(|(_, function)| function).chain(entries);
    for Function { expressions, body, .. } in functions {
        calls.write_out(body, expressions);
    }
}

struct Calls {
    elect: Handle<Function>,
    lowest: Handle<Function>,
    word: Handle<Type>,
}

impl Calls {
    fn write_out(&self, block: &mut Block, expressions: &mut Arena<Expression>) {
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            inside_mut(&mut statement).into_iter().for_each(|block| self.write_out(block, expressions));
            if let Statement::Call { function, arguments, result: Some(result) } = &mut statement
                && *function == self.elect
            {
                let one = expressions.append(Expression::Literal(Literal::U32(1)), span);
                let before = expressions.append(Expression::SubgroupOperationResult { ty: self.word }, span);
                let sum = Statement::SubgroupCollectiveOperation {
                    op: SubgroupOperation::Add,
                    collective_op: CollectiveOperation::ExclusiveScan,
                    argument: one,
                    result: before,
                };
                block.push(sum, span);
                expressions[*result] = Expression::CallResult(self.lowest);
                (*function, *arguments) = (self.lowest, vec![before]);
            }
            block.push(statement, span);
        }
    }
}
