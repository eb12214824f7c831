//! Places in memory: elements, loads and stores. A pointer is written as the place that it points to.

use super::Written;
use super::functions::{Body, bare};
use super::parts::Part;
use naga::proc::NameKey;
use naga::{AddressSpace, Expression, Handle, ScalarKind, Type, TypeInner, VectorSize};

/// What is indexed.
enum Base<'a> {
    /// A structure has a handle too.
    Of(&'a TypeInner, Option<Handle<Type>>),
    Vector(VectorSize),
}

impl<'a> Body<'_, 'a> {
    /// What a value is, or what a pointer points to.
    fn base(&self, handle: Handle<Expression>) -> Base<'a> {
        let types = &self.writer.module.types;
        match *self.inner(handle) {
            TypeInner::Pointer { base, .. } => Base::Of(&types[base].inner, Some(base)),
            TypeInner::ValuePointer { size: Some(size), .. } => Base::Vector(size),
            ref inner => Base::Of(inner, self.info[handle].ty.handle()),
        }
    }

    pub(super) fn is_pointer(&self, handle: Handle<Expression>) -> bool {
        self.inner(handle).pointer_space().is_some()
    }

    /// Whether it is a variable that one invocation has: indexed vectors are kept in registers there.
    fn is_own(&self, handle: Handle<Expression>) -> bool {
        matches!(self.inner(handle).pointer_space(), None | Some(AddressSpace::Function | AddressSpace::Private))
    }

    /// An index that stays below the length, which is text.
    fn index(&mut self, index: Handle<Expression>, length: &str) -> Written<String> {
        let signed = self.inner(index).scalar().is_some_and(|scalar| scalar.kind == ScalarKind::Sint);
        let text = self.bare(index)?;
        Ok(match (self.writer.checked(), signed) {
            (true, _) => format!("at({text}, {length})"),
            (false, true) => format!("u32({text})"),
            (false, false) => text,
        })
    }

    /// An element by dynamic index, of a value or a place.
    pub(super) fn access(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Written<String> {
        let of = self.base(base);
        let text = self.expression(base)?;
        let (length, vectors) = match of {
            Base::Vector(size) | Base::Of(&TypeInner::Vector { size, .. }, _) => (Some(size as u32), false),
            Base::Of(&TypeInner::Matrix { columns, .. }, _) => (Some(columns as u32), false),
            Base::Of(&TypeInner::Array { base, size, .. }, _) => (
                self.writer.length(size),
                matches!(self.writer.inner(base), TypeInner::Vector { size: VectorSize::Tri, .. }),
            ),
            Base::Of(other, _) => return self.refuse(format!("indexing {other:?}")),
        };
        let length = length.map_or_else(|| format!("{text}.length()"), |length| format!("{length}u"));
        let index = self.index(index, &length)?;
        let is_vector = matches!(of, Base::Vector(_) | Base::Of(TypeInner::Vector { .. }, _));
        let is_matrix = matches!(of, Base::Of(TypeInner::Matrix { .. }, _));
        Ok(match (self.is_pointer(base), is_vector || is_matrix) {
            (false, true) => format!("component({}, {index})", bare(&text)),
            (false, false) if vectors => format!("load({text}[{index}])"),
            _ => format!("{text}[{index}]"),
        })
    }

    /// A member or element by constant index.
    pub(super) fn access_index(&mut self, base: Handle<Expression>, index: u32) -> Written<String> {
        if let Some(tail) = self.tail(base, index) {
            return Ok(tail);
        }
        let text = self.expression(base)?;
        Ok(match self.base(base) {
            Base::Vector(_) | Base::Of(TypeInner::Vector { .. }, _) => {
                format!("{text}.{}", ["x", "y", "z", "w"][index as usize])
            }
            Base::Of(TypeInner::Struct { .. }, Some(ty)) => {
                format!("{text}.{}", self.writer.names[&NameKey::StructMember(ty, index)])
            }
            Base::Of(&TypeInner::Array { base: of, size, .. }, _) => {
                let vectors = matches!(self.writer.inner(of), TypeInner::Vector { size: VectorSize::Tri, .. });
                match (self.writer.length(size), self.is_pointer(base)) {
                    (None, _) if self.writer.checked() => format!("{text}[at({index}u, {text}.length())]"),
                    (_, false) if vectors => format!("load({text}[{index}])"),
                    _ => format!("{text}[{index}]"),
                }
            }
            Base::Of(&TypeInner::Matrix { rows, .. }, _) => match (self.is_pointer(base), rows) {
                (false, VectorSize::Tri) => format!("load({text}[{index}])"),
                _ => format!("{text}[{index}]"),
            },
            Base::Of(other, _) => return self.refuse(format!("a member of {other:?}")),
        })
    }

    /// The runtime-sized array at the end of a structure.
    fn tail(&self, base: Handle<Expression>, index: u32) -> Option<String> {
        let Expression::GlobalVariable(global) = self.function.expressions[base] else { return None };
        let TypeInner::Struct { members, .. } = self.writer.inner(self.writer.module.global_variables[global].ty)
        else {
            return None;
        };
        self.writer.tails.get(&global).filter(|_| index as usize + 1 == members.len()).cloned()
    }

    /// The vector and the index behind a pointer to a component that is not known before the kernel runs.
    fn component(&mut self, pointer: Handle<Expression>) -> Written<Option<(String, String)>> {
        let Expression::Access { base, index } = self.function.expressions[pointer] else { return Ok(None) };
        let size = match self.base(base) {
            Base::Vector(size) | Base::Of(&TypeInner::Vector { size, .. }, _) => size as u32,
            _ => return Ok(None),
        };
        if !self.is_own(base) {
            return Ok(None);
        }
        Ok(Some((self.bare(base)?, self.index(index, &format!("{size}u"))?)))
    }

    pub(super) fn is_atomic(&self, pointer: Handle<Expression>) -> bool {
        self.inner(pointer).is_atomic_pointer(&self.writer.module.types)
    }

    /// What a place holds.
    pub(super) fn load(&mut self, pointer: Handle<Expression>) -> Written<String> {
        if self.is_atomic(pointer) {
            self.writer.parts.insert(Part::Atomic);
            return Ok(format!("wgsl::atomicLoad(&{})", self.expression(pointer)?));
        }
        if let Some((vector, index)) = self.component(pointer)? {
            return Ok(format!("component({vector}, {index})"));
        }
        self.expression(pointer)
    }

    pub(super) fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Written<()> {
        let value = self.bare(value)?;
        if self.is_atomic(pointer) {
            self.writer.parts.insert(Part::Atomic);
            let place = self.expression(pointer)?;
            self.line(format_args!("wgsl::atomicStore(&{place}, {value});"));
        } else if let Some((vector, index)) = self.component(pointer)? {
            self.line(format_args!("set_component({vector}, {index}, {value});"));
        } else {
            let place = self.expression(pointer)?;
            self.line(format_args!("{place} = {value};"));
        }
        Ok(())
    }
}
