//! Immediates that are no structure, made structures of one member: naga 30's writer of HLSL takes no others
//! (<https://github.com/gfx-rs/wgpu/issues/5683>).

use super::{blocks, operands};
use naga::proc::Layouter;
use naga::{AddressSpace, Expression, Function, GlobalVariable, Handle, Module, Range, Span, Statement};
use naga::{StructMember, Type, TypeInner};

pub(super) fn wrap(module: &mut Module) {
    let is_bare = |global: &GlobalVariable| {
        global.space == AddressSpace::Immediate && !matches!(module.types[global.ty].inner, TypeInner::Struct { .. })
    };
    let all = module.global_variables.iter();
    let bare: Vec<_> = all.filter(|(_, global)| is_bare(global)).map(|(handle, _)| handle).collect();
    for global in bare {
        let variable = &module.global_variables[global];
        let mut sizes = Layouter::default();
        sizes.update(module.to_ctx()).expect("the parser has laid it out");
        let (ty, span) = (variable.ty, sizes[variable.ty].to_stride());
        let member = StructMember { name: Some("value".into()), ty, binding: None, offset: 0 };
        let name = variable.name.as_ref().map(|name| format!("{name}_alone"));
        let inner = TypeInner::Struct { members: vec![member], span };
        module.global_variables[global].ty = module.types.insert(Type { name, inner }, Span::UNDEFINED);
        let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
        let functions = module.functions.iter_mut().map(|(_, function)| function);
        functions.chain(entries).for_each(|function| take_member(function, global));
    }
}

/// Makes a function use the variable's member instead of the variable.
fn take_member(function: &mut Function, global: Handle<GlobalVariable>) {
    let is_it = |expression: &Expression| matches!(expression, Expression::GlobalVariable(other) if *other == global);
    if !function.expressions.iter().any(|(_, expression)| is_it(expression)) {
        return;
    }
    let old = std::mem::take(&mut function.expressions);
    let base = function.expressions.append(Expression::GlobalVariable(global), Span::UNDEFINED);
    let member = function.expressions.append(Expression::AccessIndex { base, index: 0 }, Span::UNDEFINED);
    let mut new: Vec<Handle<Expression>> = vec![];
    for (handle, expression) in old.iter() {
        new.push(if is_it(expression) {
            member
        } else {
            let mut expression = expression.clone();
            operands::of_expression(&mut expression, &mut |operand| *operand = new[operand.index()]);
            function.expressions.append(expression, old.get_span(handle))
        });
    }
    let moved = |operand: &mut Handle<Expression>| *operand = new[operand.index()];
    blocks::each_mut(&mut function.body, &mut |statement, _| match statement {
        Statement::Emit(range) => {
            let ends = range.first_and_last();
            *range = ends
                .map_or(range.clone(), |(first, last)| Range::new_from_bounds(new[first.index()], new[last.index()]));
        }
        _ => operands::of_statement(statement, &mut { moved }, &mut { moved }),
    });
    function.local_variables.iter_mut().filter_map(|(_, local)| local.init.as_mut()).for_each(moved);
    function.named_expressions =
        function.named_expressions.drain(..).map(|(handle, name)| (new[handle.index()], name)).collect();
    let emitted = Statement::Emit(Range::new_from_bounds(member, member));
    let mut body = naga::Block::with_capacity(function.body.len() + 1);
    body.push(emitted, Span::UNDEFINED);
    body.extend_block(std::mem::take(&mut function.body));
    function.body = body;
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use naga::{AddressSpace, TypeInner};

    /// `tests/compilers` has HLSL written of it, and FXC compile that.
    #[test]
    fn what_is_no_structure_becomes_one() {
        let text = "
            var<immediate> k: vec3<u32>;
            fn twice(at: u32) -> u32 {
                var own = 2u;
                if at > 3u { own = k.y; }
                return own + k[at];
            }
            fn other(at: u32) -> u32 { return at; }
            @group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
                let kept = k;
                for (var i = 0u; i < kept.x; i++) { x[lane + i] = twice(lane) + other(i) + k.z; }
            }";
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        let spans = |module: &naga::Module| -> Vec<Option<u32>> {
            let all = module.global_variables.iter().filter(|(_, global)| global.space == AddressSpace::Immediate);
            let span = |ty| match &module.types[ty].inner {
                TypeInner::Struct { span, .. } => Some(*span),
                _ => None,
            };
            all.map(|(_, global)| span(global.ty)).collect()
        };
        assert_eq!(spans(&module), [None]);
        for _ in 0..2 {
            super::wrap(&mut module);
            assert_eq!(spans(&module), [Some(16)], "once is enough");
            Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
        }
    }
}
