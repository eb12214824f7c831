//! The built-in values of the language extension `linear_indexing`, computed from those that naga has.
//!
//! An entry point that takes one becomes a function, called by an entry point that takes what the value is made of.

use super::words::{LINEAR, linear_values};
use naga::{
    Binding, BuiltIn, Expression, Function, FunctionArgument, Handle, Module, Scalar, Span, Statement, Type, TypeInner,
    VectorSize,
};

/// What a value is made of: the name of its function, and the place in the grid that it takes beside the grid's size.
const MADE_OF: [(BuiltIn, &str, BuiltIn); 2] = [
    (BuiltIn::HitKind, "crosslane_workgroup_index", BuiltIn::WorkGroupId),
    (BuiltIn::GeometryIndex, "crosslane_invocation_index", BuiltIn::GlobalInvocationId),
];

/// The functions that the built-in values of a text need, by [`index_function`].
pub(in super::super) fn index_functions(code: &str) -> Vec<&'static str> {
    let found = linear_values(code);
    let named = |nth: usize| found.iter().any(|(_, marker)| *marker == LINEAR[nth].1);
    (0..LINEAR.len()).filter(|&nth| named(nth)).map(|nth| MADE_OF[nth].1).collect()
}

/// The text of such a function, for a workgroup of this size: a program may have a `linear_index` of its own.
pub(in super::super) fn index_function(name: &str, size: &[String; 3]) -> Option<String> {
    let nth = MADE_OF.iter().position(|(_, function, _)| *function == name)?;
    let [x, y, _] = size;
    let counts = ["groups.xy".into(), format!("groups.xy * vec2<u32>({x}, {y})")][nth].clone();
    Some(format!(
        "fn {name}(place: vec3<u32>, groups: vec3<u32>) -> u32 {{\n    let counts = {counts};\n    \
         return place.x + counts.x * (place.y + counts.y * place.z);\n}}\n"
    ))
}

/// Computes the values for each entry point that takes one.
pub(in super::super) fn settle(module: &mut Module) {
    for nth in 0..module.entry_points.len() {
        let old = &module.entry_points[nth];
        let takes = |ty: Handle<Type>, binding: &Option<Binding>| match &module.types[ty].inner {
            TypeInner::Struct { members, .. } => members.iter().any(|member| made_of(&member.binding).is_some()),
            _ => made_of(binding).is_some(),
        };
        if old.function.arguments.iter().any(|argument| takes(argument.ty, &argument.binding)) {
            let function = old.function.clone();
            module.entry_points[nth].function = wrapped(module, function);
        }
    }
}

fn made_of(binding: &Option<Binding>) -> Option<(&'static str, BuiltIn)> {
    let Some(Binding::BuiltIn(value)) = binding else { return None };
    MADE_OF.iter().find(|(marker, ..)| marker == value).map(|&(_, function, place)| (function, place))
}

/// An entry point that calls a function of its own as the old one was called.
fn wrapped(module: &mut Module, mut old: Function) -> Function {
    let name = old.name.clone();
    let mut new = Caller { function: Function { name, ..Function::default() }, module };
    let mut arguments = vec![];
    for argument in &mut old.arguments {
        arguments.push(new.value(argument.ty, argument.binding.take()));
    }
    let Caller { mut function, .. } = new;
    let callee = module.functions.append(old, Span::UNDEFINED);
    function.body.push(Statement::Call { function: callee, arguments, result: None }, Span::UNDEFINED);
    function.body.push(Statement::Return { value: None }, Span::UNDEFINED);
    function
}

/// The new entry point as it is made.
struct Caller<'a> {
    function: Function,
    module: &'a mut Module,
}

impl Caller<'_> {
    /// The value of an argument of the old entry point.
    fn value(&mut self, ty: Handle<Type>, binding: Option<Binding>) -> Handle<Expression> {
        if let TypeInner::Struct { members, .. } = self.module.types[ty].inner.clone() {
            let components = members.into_iter().map(|member| self.value(member.ty, member.binding)).collect();
            return self.emitted(Expression::Compose { ty, components });
        }
        match (made_of(&binding), binding) {
            (Some((name, place)), _) => self.made(name, place),
            (None, Some(binding)) => self.argument(ty, binding),
            // The validator refuses it, as it would have refused the old entry point.
            (None, None) => self.function.expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED),
        }
    }

    /// A built-in value, taken once.
    fn argument(&mut self, ty: Handle<Type>, binding: Binding) -> Handle<Expression> {
        let arguments = &mut self.function.arguments;
        let known = arguments.iter().position(|argument| argument.binding.as_ref() == Some(&binding));
        let index = known.unwrap_or_else(|| {
            arguments.push(FunctionArgument { name: None, ty, binding: Some(binding) });
            arguments.len() - 1
        });
        self.function.expressions.append(Expression::FunctionArgument(index as u32), Span::UNDEFINED)
    }

    /// What a function of the library makes of a place in the grid and the grid's size.
    fn made(&mut self, name: &str, place: BuiltIn) -> Handle<Expression> {
        let inner = TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 };
        let vector = self.module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        let arguments =
            [place, BuiltIn::NumWorkGroups].map(|value| self.argument(vector, Binding::BuiltIn(value))).to_vec();
        let mut functions = self.module.functions.iter();
        let found = functions.find(|(_, function)| function.name.as_deref() == Some(name));
        let (function, _) = found.expect("it was appended because the text has the value");
        let result = self.function.expressions.append(Expression::CallResult(function), Span::UNDEFINED);
        let call = Statement::Call { function, arguments, result: Some(result) };
        self.function.body.push(call, Span::UNDEFINED);
        result
    }

    fn emitted(&mut self, expression: Expression) -> Handle<Expression> {
        let before = self.function.expressions.len();
        let value = self.function.expressions.append(expression, Span::UNDEFINED);
        self.function.body.push(Statement::Emit(self.function.expressions.range_from(before)), Span::UNDEFINED);
        value
    }
}
