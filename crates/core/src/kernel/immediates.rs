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
    use naga::back::hlsl;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    fn hlsl_of(module: &naga::Module) -> Result<String, String> {
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).unwrap();
        let options = hlsl::Options {
            fake_missing_bindings: true,
            immediates_target: Some(hlsl::BindTarget::default()),
            ..Default::default()
        };
        let mut text = String::new();
        let mut writer = hlsl::Writer::new(&mut text, &options, &hlsl::PipelineOptions { entry_point: None });
        writer.write(module, &info, None).map_err(|error| error.to_string())?;
        Ok(text)
    }

    #[test]
    fn what_is_no_structure_becomes_one() {
        let kinds = ["u32", "f32", "vec2<f32>", "vec3<u32>", "vec4<i32>", "mat2x2<f32>"];
        for kind in kinds {
            let first = match kind {
                "mat2x2<f32>" => "k[1][0]",
                "u32" | "f32" => "k",
                _ => "k.y",
            };
            let text = format!(
                "
                var<immediate> k: {kind};
                @group(0) @binding(0) var<storage, read_write> x: array<f32>;
                fn twice(at: u32) -> f32 {{
                    var own = 2.0;
                    if at > 3u {{ own = f32({first}); }}
                    return own + f32({first});
                }}
                fn other(at: u32) -> f32 {{ return f32(at); }}
                @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {{
                    let kept = {first};
                    for (var i = 0u; i < u32(kept); i++) {{ x[lane + i] = twice(lane) + other(i) + f32({first}); }}
                }}"
            );
            let mut module = naga::front::wgsl::parse_str(&text).unwrap();
            let refused = hlsl_of(&module).unwrap_err();
            assert!(
                refused.contains("non-struct type"),
                "naga takes {kind} by now, or refuses it otherwise: {refused}"
            );
            super::wrap(&mut module);
            let text = hlsl_of(&module).unwrap_or_else(|error| panic!("{kind}: {error}"));
            assert_eq!(text.matches("k.value").count(), 4, "{kind}:\n{text}");
            super::wrap(&mut module);
            assert_eq!(hlsl_of(&module).unwrap(), text, "once is enough");
        }
    }
}
