//! Functions: each is a method, and what is known of it while it is written.

use super::flow::Flow;
use super::{Refused, Writer, Written};
use naga::proc::{NameKey, TypeResolution};
use naga::valid::FunctionInfo;
use naga::{Expression, Function, Handle, LocalVariable, TypeInner};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// A function of WGSL, or its entry point.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Function(Handle<Function>),
    Entry(u16),
}

impl Of {
    fn name(self) -> NameKey {
        match self {
            Of::Function(handle) => NameKey::Function(handle),
            Of::Entry(index) => NameKey::EntryPoint(index),
        }
    }

    fn argument(self, index: u32) -> NameKey {
        match self {
            Of::Function(handle) => NameKey::FunctionArgument(handle, index),
            Of::Entry(entry) => NameKey::EntryPointArgument(entry, index),
        }
    }

    fn local(self, local: Handle<LocalVariable>) -> NameKey {
        match self {
            Of::Function(handle) => NameKey::FunctionLocal(handle, local),
            Of::Entry(entry) => NameKey::EntryPointLocal(entry, local),
        }
    }
}

/// A function while it is written.
pub(super) struct Body<'w, 'a> {
    pub writer: &'w mut Writer<'a>,
    pub function: &'a Function,
    pub info: &'a FunctionInfo,
    of: Of,
    pub text: String,
    pub depth: usize,
    /// Expressions that have been evaluated, by name.
    pub values: HashMap<Handle<Expression>, String>,
    /// Vectors whose components are picked one by one: to evaluate them once they get a name.
    pub picked: HashSet<Handle<Expression>>,
    /// Values that the end of a loop needs of its body: declared before it, under these names.
    pub carried: HashMap<Handle<Expression>, String>,
    /// While text is written only to see what it needs: which expressions.
    pub needs: Option<HashSet<Handle<Expression>>>,
    /// The label to which `continue` jumps in each enclosing loop; none where C++'s own does.
    pub loops: Vec<Option<String>>,
    pub labels: u32,
    pub flow: Flow<'a>,
    /// Whether the invocations of a subgroup may have parted here.
    pub parted: bool,
}

impl<'a> Writer<'a> {
    /// A function as a method.
    pub(super) fn function(&mut self, of: Of) -> Written<String> {
        let (function, info) = match of {
            Of::Function(handle) => (&self.module.functions[handle], &self.info[handle]),
            Of::Entry(index) => {
                let index = index as usize;
                (&self.module.entry_points[index].function, self.info.get_entry_point(index))
            }
        };
        let (differing, parted) = match of {
            Of::Function(handle) => self.calls.get(&handle).cloned().unwrap_or_default(),
            Of::Entry(_) => (vec![true; function.arguments.len()], false),
        };
        let flow = Flow::new(self.module, function, info, differing, parted);
        let picked = picked(function, info, self);
        let mut body = Body {
            writer: self,
            function,
            info,
            of,
            text: String::new(),
            depth: 1,
            values: HashMap::new(),
            picked,
            carried: HashMap::new(),
            needs: None,
            loops: vec![],
            labels: 0,
            flow,
            parted,
        };
        body.whole()?;
        Ok(body.text)
    }
}

/// The vectors of which the text names each component.
fn picked(function: &Function, info: &FunctionInfo, writer: &Writer) -> HashSet<Handle<Expression>> {
    let is_vector = |handle: &Handle<Expression>| {
        matches!(info[*handle].ty.inner_with(&writer.module.types), TypeInner::Vector { .. })
    };
    let mut picked = HashSet::new();
    for (_, expression) in function.expressions.iter() {
        match expression {
            Expression::Swizzle { vector, .. } => _ = picked.insert(*vector),
            Expression::Compose { ty, components } if matches!(writer.inner(*ty), TypeInner::Vector { .. }) => {
                picked.extend(components.iter().filter(|component| is_vector(component)));
            }
            _ => {}
        }
    }
    picked
}

impl<'a> Body<'_, 'a> {
    fn whole(&mut self) -> Written<()> {
        let result = match &self.function.result {
            Some(result) => self.writer.ty(result.ty)?,
            None => "void".into(),
        };
        let mut arguments = vec![];
        for (argument, index) in self.function.arguments.iter().zip(0..) {
            let name = self.argument(index);
            arguments.push(match *self.writer.inner(argument.ty) {
                TypeInner::Pointer { base, .. } => format!("{}& {name}", self.writer.ty(base)?),
                TypeInner::ValuePointer { size: None, scalar, .. } => {
                    format!("{}& {name}", self.writer.scalar(scalar)?)
                }
                TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                    format!("{}& {name}", self.writer.type_of(&TypeInner::Vector { size, scalar })?)
                }
                _ => format!("{} {name}", self.writer.ty(argument.ty)?),
            });
        }
        let name = self.writer.names[&self.of.name()].clone();
        self.line(format_args!("WGSL_FN {result} {name}({}) {{", arguments.join(", ")));
        self.depth += 1;
        for (handle, local) in self.function.local_variables.iter() {
            let (ty, name) = (self.writer.ty(local.ty)?, self.local(handle));
            let value = match local.init {
                Some(init) => self.expression(init)?,
                None => self.writer.zero(local.ty)?,
            };
            self.line(format_args!("{ty} {name} = {value};"));
        }
        self.block(&self.function.body)?;
        if let Some(text) = self.text.strip_suffix("        return;\n") {
            self.text.truncate(text.len());
        }
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    pub(super) fn argument(&self, index: u32) -> String {
        self.writer.names[&self.of.argument(index)].clone()
    }

    pub(super) fn local(&self, local: Handle<LocalVariable>) -> String {
        self.writer.names[&self.of.local(local)].clone()
    }

    pub(super) fn line(&mut self, text: impl Display) {
        let indent = self.depth * 4;
        self.text += &format!("{:indent$}{text}\n", "");
    }

    /// What an expression or the thing behind a pointer is.
    pub(super) fn inner(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.writer.module.types)
    }

    /// The type of an expression in C++.
    pub(super) fn ty(&mut self, handle: Handle<Expression>) -> Written<String> {
        match &self.info[handle].ty {
            TypeResolution::Handle(ty) => self.writer.ty(*ty),
            TypeResolution::Value(inner) => self.writer.type_of(inner),
        }
    }

    /// Gives a value a name, by which the text after it says it.
    pub(super) fn name(&mut self, handle: Handle<Expression>, value: &str) -> Written<()> {
        let value = bare(value);
        if let Some(name) = self.carried.get(&handle).cloned() {
            self.line(format_args!("{name} = {value};"));
            self.values.insert(handle, name);
            return Ok(());
        }
        let (ty, name) = (self.ty(handle)?, self.fresh(handle));
        self.line(format_args!("const {ty} {name} = {value};"));
        self.values.insert(handle, name);
        Ok(())
    }

    /// A name for a value: the one in the text, or a number. No name of the text ends with a digit.
    pub(super) fn fresh(&mut self, handle: Handle<Expression>) -> String {
        match self.function.named_expressions.get(&handle) {
            Some(name) if self.needs.is_none() => self.writer.namer.call(name),
            _ => format!("e{}", handle.index()),
        }
    }

    pub(super) fn refuse<T>(&self, message: impl Into<String>) -> Written<T> {
        Err(Refused::new(message))
    }
}

/// Without the parentheses around all of it.
pub(super) fn bare(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for c in inside.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return text,
            ')' => depth -= 1,
            _ => {}
        }
    }
    inside
}
