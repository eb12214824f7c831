//! What naga 30's writer of HLSL takes for granted, and refuses itself or DXC otherwise.
//!
//! `alias Key = u32` makes a second u32 of naga's module, and a second array of it. The writer has a function for the zero value of
//! each type, named by what the type is: a text with zeros of both would have one function twice. So what is the same becomes
//! one type.
//!
//! HLSL has no semantics for the built-in values of subgroups: the writer computes them, but looks for them among the entry
//! point's own arguments only, not in structures. So an entry point with such a structure gets one more argument, unused.

use super::immediates;
use naga::{Binding, BuiltIn, Expression, FunctionArgument, Handle, Module, Scalar, Span, Type, TypeInner};
use std::collections::HashMap;

const OF_SUBGROUPS: [BuiltIn; 4] =
    [BuiltIn::SubgroupSize, BuiltIn::NumSubgroups, BuiltIn::SubgroupInvocationId, BuiltIn::SubgroupId];

/// Makes a module what naga writes valid HLSL for.
pub fn for_directx(module: &mut Module) {
    merge_same_types(module);
    name_subgroups(module);
    immediates::wrap(module);
}

/// The built-in values of subgroups that an entry point's arguments are, and those that are members of its structures.
fn of_subgroups(module: &Module, arguments: &[FunctionArgument]) -> [Vec<BuiltIn>; 2] {
    let built_in = |binding: &Option<Binding>| match binding {
        Some(Binding::BuiltIn(value)) if OF_SUBGROUPS.contains(value) => Some(*value),
        _ => None,
    };
    let members = |argument: &FunctionArgument| match &module.types[argument.ty].inner {
        TypeInner::Struct { members, .. } => members.iter().filter_map(|member| built_in(&member.binding)).collect(),
        _ => vec![],
    };
    [
        arguments.iter().filter_map(|argument| built_in(&argument.binding)).collect(),
        arguments.iter().flat_map(members).collect(),
    ]
}

/// A structure that has all four keeps what it has: no kernel of the library is like that.
fn name_subgroups(module: &mut Module) {
    for nth in 0..module.entry_points.len() {
        let [own, within] = of_subgroups(module, &module.entry_points[nth].function.arguments);
        let free = OF_SUBGROUPS.iter().find(|value| !within.contains(value));
        if let (true, false, Some(&value)) = (own.is_empty(), within.is_empty(), free) {
            let ty = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
            let ty = module.types.insert(ty, Span::UNDEFINED);
            let argument = FunctionArgument { name: None, ty, binding: Some(Binding::BuiltIn(value)) };
            module.entry_points[nth].function.arguments.push(argument);
        }
    }
}

type Merged = HashMap<Handle<Type>, Handle<Type>>;

/// Makes types that are the same one type. Structures stay as they are: their names tell them apart.
fn merge_same_types(module: &mut Module) {
    let old = std::mem::take(&mut module.types);
    let mut merged = Merged::new();
    for (handle, ty) in old.iter() {
        let mut ty = ty.clone();
        match &mut ty.inner {
            TypeInner::Pointer { base, .. } | TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => {
                *base = merged[base];
            }
            TypeInner::Struct { members, .. } => members.iter_mut().for_each(|member| member.ty = merged[&member.ty]),
            _ => {}
        }
        if !matches!(ty.inner, TypeInner::Struct { .. }) {
            ty.name = None;
        }
        merged.insert(handle, module.types.insert(ty, old.get_span(handle)));
    }
    replace(module, &merged);
}

fn replace(module: &mut Module, merged: &Merged) {
    let of = |ty: &mut Handle<Type>| *ty = merged[ty];
    let special = &mut module.special_types;
    let single = [&mut special.ray_desc, &mut special.ray_intersection, &mut special.ray_vertex_return];
    let textures = [&mut special.external_texture_params, &mut special.external_texture_transfer_function];
    single.into_iter().chain(textures).flatten().for_each(of);
    special.predeclared_types.values_mut().for_each(of);
    module.doc_comments = None; // which name types, and say nothing to a compiler
    module.constants.iter_mut().for_each(|(_, constant)| of(&mut constant.ty));
    module.overrides.iter_mut().for_each(|(_, value)| of(&mut value.ty));
    module.global_variables.iter_mut().for_each(|(_, global)| of(&mut global.ty));
    module.global_expressions.iter_mut().for_each(|(_, expression)| within(expression, merged));
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in module.functions.iter_mut().map(|(_, function)| function).chain(entries) {
        function.arguments.iter_mut().for_each(|argument| of(&mut argument.ty));
        function.result.iter_mut().for_each(|result| of(&mut result.ty));
        function.local_variables.iter_mut().for_each(|(_, local)| of(&mut local.ty));
        function.expressions.iter_mut().for_each(|(_, expression)| within(expression, merged));
    }
}

fn within(expression: &mut Expression, merged: &Merged) {
    match expression {
        Expression::ZeroValue(ty)
        | Expression::Compose { ty, .. }
        | Expression::AtomicResult { ty, .. }
        | Expression::WorkGroupUniformLoadResult { ty }
        | Expression::SubgroupOperationResult { ty } => *ty = merged[ty],
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    const TEXT: &str = "
        alias Key = u32;
        alias Keys = array<Key, 4>;
        struct Pair { a: Key, b: vec2<u32> }
        @group(0) @binding(0) var<storage, read_write> x: array<Key>;
        var<workgroup> held: atomic<u32>;
        fn sum(keys: Keys, more: array<u32, 4>) -> Key { return keys[0] + more[1]; }
        @compute @workgroup_size(1) fn main() {
            var keys = Keys();
            var more = array<u32, 4>();
            let pair = Pair(x[0], vec2<u32>());
            keys[pair.a % 4] += atomicAdd(&held, 1u);
            x[1] = sum(keys, more) + Key() + u32() + pair.b.y;
        }";

    fn zeros(module: &Module) -> Vec<Handle<Type>> {
        let of_zero = |(_, expression): (_, &Expression)| match expression {
            Expression::ZeroValue(ty) => Some(*ty),
            _ => None,
        };
        let own = module.entry_points[0].function.expressions.iter().filter_map(of_zero);
        own.chain(module.global_expressions.iter().filter_map(of_zero)).collect()
    }

    #[test]
    fn two_names_are_one_type() {
        let mut module = naga::front::wgsl::parse_str(TEXT).unwrap();
        let same = |module: &Module| {
            let mut texts: Vec<String> = zeros(module)
                .into_iter()
                .map(|ty| match &module.types[ty].inner {
                    TypeInner::Array { base, size, .. } => format!("{:?} {size:?}", module.types[*base].inner),
                    inner => format!("{inner:?}"),
                })
                .collect();
            texts.sort();
            texts.dedup();
            texts.len()
        };
        let distinct = |module: &Module| zeros(module).into_iter().collect::<std::collections::HashSet<_>>().len();
        assert!(distinct(&module) > same(&module), "naga has one type for both names: this module is not needed");
        merge_same_types(&mut module);
        assert_eq!(distinct(&module), same(&module));
        Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
        assert!(module.types.iter().any(|(_, ty)| ty.name.as_deref() == Some("Pair")));
    }

    #[test]
    fn structures_of_subgroups_are_seen() {
        let text = "
            struct At { @builtin(subgroup_id) subgroup: u32, @builtin(subgroup_invocation_id) place: u32 }
            @group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(64) fn main(at: At) { x[at.subgroup] = at.place; }
            @compute @workgroup_size(64) fn other(@builtin(global_invocation_id) id: vec3<u32>) { x[0] = id.x; }";
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        for_directx(&mut module);
        let count = |nth: usize| module.entry_points[nth].function.arguments.len();
        assert_eq!([count(0), count(1)], [2, 1]);
        Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
        for_directx(&mut module);
        assert_eq!(module.entry_points[0].function.arguments.len(), 2, "once is enough");
    }
}
