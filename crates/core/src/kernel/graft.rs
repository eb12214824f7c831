//! Copies functions of the library's own text into a module, with the variables that they use.
//!
//! The program's declarations do not apply inside them: they do not call a function `min` of the program.

use super::blocks::each_mut;
use naga::{Arena, Expression, Function, GlobalVariable, Handle, Module, ResourceBinding, Span, Statement};
use std::collections::HashMap;

/// What came into a module, by its name.
pub(super) struct Grafted {
    pub functions: HashMap<String, Handle<Function>>,
    pub variables: HashMap<String, Handle<GlobalVariable>>,
}

/// Puts a text's functions before a module's own, which may then call them, and its variables after. `point` is where a
/// buffer that the text binds to goes.
///
/// The text has variables, and functions that use no other types than those of their parameters, variables and results.
pub(super) fn graft(module: &mut Module, text: &str, point: impl Fn(ResourceBinding) -> ResourceBinding) -> Grafted {
    let ours = naga::front::wgsl::parse_str(text).expect("the library's own text");
    let mut types = HashMap::new();
    for (handle, ty) in ours.types.iter() {
        let mut ty = ty.clone();
        if let naga::TypeInner::Array { base, .. } = &mut ty.inner {
            *base = types[base];
        }
        types.insert(handle, module.types.insert(ty, Span::UNDEFINED));
    }
    let mut globals = HashMap::new();
    for (handle, variable) in ours.global_variables.iter() {
        let binding = variable.binding.map(&point);
        let variable = GlobalVariable { ty: types[&variable.ty], binding, ..variable.clone() };
        globals.insert(handle, module.global_variables.append(variable, Span::UNDEFINED));
    }
    let mut theirs = std::mem::replace(&mut module.functions, Arena::new());
    let mut functions = HashMap::new();
    for (_, function) in ours.functions.iter() {
        let mut function = function.clone();
        function.arguments.iter_mut().for_each(|argument| argument.ty = types[&argument.ty]);
        function.result.iter_mut().for_each(|result| result.ty = types[&result.ty]);
        function.local_variables.iter_mut().for_each(|(_, variable)| variable.ty = types[&variable.ty]);
        for (_, expression) in function.expressions.iter_mut() {
            match expression {
                Expression::GlobalVariable(variable) => *variable = globals[variable],
                Expression::AtomicResult { ty, .. } | Expression::ZeroValue(ty) => *ty = types[ty],
                _ => {}
            }
        }
        let name = function.name.clone().expect("functions have names");
        functions.insert(name, module.functions.append(function, Span::UNDEFINED));
    }
    let mut moved = HashMap::new();
    for (handle, function, span) in theirs.drain() {
        moved.insert(handle, module.functions.append(function, span));
    }
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    let shift = |function: &mut Function| {
        for (_, expression) in function.expressions.iter_mut() {
            if let Expression::CallResult(callee) = expression {
                *callee = moved[callee];
            }
        }
        each_mut(&mut function.body, &mut |statement, _| {
            if let Statement::Call { function, .. } = statement {
                *function = moved[function];
            }
        });
    };
    moved.values().for_each(|handle| shift(&mut module.functions[*handle]));
    entries.for_each(shift);
    let variables = ours.global_variables.iter();
    let variables = variables.filter_map(|(handle, variable)| Some((variable.name.clone()?, globals[&handle])));
    Grafted { functions, variables: variables.collect() }
}
