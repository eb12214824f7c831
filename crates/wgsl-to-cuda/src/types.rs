//! WGSL's types in C++, with WGSL's layout: what C++ would lay out otherwise is padded, and all of it is asserted.

use super::parts::Part;
use super::{Refused, Writer, Written};
use naga::proc::{IndexableLength, NameKey};
use naga::{ArraySize, CooperativeRole, Handle, PredeclaredType, Scalar, ScalarKind, Type, TypeInner, VectorSize};
use std::fmt::Write;

/// A struct in C++: its members in order, `None` where bytes are put between.
pub(super) type Slots = Vec<Option<u32>>;

impl<'a> Writer<'a> {
    pub(super) fn inner(&self, ty: Handle<Type>) -> &'a TypeInner {
        &self.module.types[ty].inner
    }

    pub(super) fn scalar(&mut self, scalar: Scalar) -> Written<&'static str> {
        if scalar.width == 2 {
            self.parts.insert(Part::Half);
        }
        Ok(match (scalar.kind, scalar.width) {
            (ScalarKind::Bool, _) => "bool",
            (ScalarKind::Sint, 4) => "i32",
            (ScalarKind::Uint, 4) => "u32",
            (ScalarKind::Float, 4) => "f32",
            (ScalarKind::Float, 2) => "f16",
            (ScalarKind::Sint, 8) => "i64",
            (ScalarKind::Uint, 8) => "u64",
            (ScalarKind::Float, 8) => "f64",
            _ => return Err(Refused::new(format!("scalars of {} bytes", scalar.width))),
        })
    }

    /// A type by its name.
    pub(super) fn ty(&mut self, ty: Handle<Type>) -> Written<String> {
        match self.inner(ty) {
            TypeInner::Struct { .. } => self.structure(ty),
            inner => self.type_of(inner),
        }
    }

    pub(super) fn type_of(&mut self, inner: &TypeInner) -> Written<String> {
        Ok(match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => self.scalar(scalar)?.into(),
            TypeInner::Vector { size, scalar } => format!("vec<{}, {}>", self.scalar(scalar)?, size as u32),
            TypeInner::Matrix { columns, rows, scalar } => {
                self.parts.insert(Part::Matrix);
                format!("mat<{}, {}, {}>", self.scalar(scalar)?, columns as u32, rows as u32)
            }
            TypeInner::Array { base, size, stride } => match self.length(size) {
                Some(length) => format!("array<{}, {length}>", self.element(base, stride)?),
                None => format!("span<{}>", self.element(base, stride)?),
            },
            TypeInner::CooperativeMatrix { columns, rows, scalar, role } => {
                self.parts.insert(Part::Cooperative);
                let role = match role {
                    CooperativeRole::A => "A",
                    CooperativeRole::B => "B",
                    CooperativeRole::C => "C",
                };
                let scalar = self.scalar(scalar)?;
                format!("coop<{scalar}, {}, {}, role::{role}>", rows as u32, columns as u32)
            }
            TypeInner::Pointer { base, .. } => format!("{}&", self.ty(base)?),
            ref other => {
                let text = format!("{other:?}");
                let name = text.split([' ', '(', '{']).next().unwrap_or_default();
                return Err(Refused::new(format!("{name} is not for compute kernels over buffers")));
            }
        })
    }

    /// Elements of an array, unless its binding decides.
    pub(super) fn length(&self, size: ArraySize) -> Option<u32> {
        match size.resolve(self.module.to_ctx()) {
            Ok(IndexableLength::Known(count)) => Some(count),
            _ => None,
        }
    }

    /// What an array is made of: three components take the room of four.
    pub(super) fn element(&mut self, base: Handle<Type>, stride: u32) -> Written<String> {
        let text = match self.inner(base) {
            TypeInner::Vector { size: VectorSize::Tri, .. } => format!("padded<{}>", self.ty(base)?),
            _ => self.ty(base)?,
        };
        if !matches!(self.inner(base), TypeInner::Scalar(_) | TypeInner::Atomic(_) | TypeInner::Struct { .. }) {
            self.assert(format!("sizeof({text}) == {stride}"));
        }
        Ok(text)
    }

    fn assert(&mut self, what: String) {
        let text = format!("static_assert({what}, \"\");\n");
        if self.asserted.insert(text.clone()) {
            self.structs += &text;
        }
    }

    /// The name of a structure; it is defined when it is first named.
    fn structure(&mut self, ty: Handle<Type>) -> Written<String> {
        if let Some(name) = self.predeclared(ty)? {
            return Ok(name);
        }
        let name = self.names[&NameKey::Type(ty)].clone();
        if !self.slots.contains_key(&ty) {
            let slots = self.define(ty, &name).map_err(|refused| refused.at(self.module.types.get_span(ty)))?;
            self.slots.insert(ty, slots);
        }
        Ok(name)
    }

    /// The result types of built-in functions.
    fn predeclared(&mut self, ty: Handle<Type>) -> Written<Option<String>> {
        let found = self.module.special_types.predeclared_types.iter().find(|(_, of)| **of == ty);
        let Some((predeclared, _)) = found else { return Ok(None) };
        let of = |writer: &mut Self, size: Option<VectorSize>, scalar| match size {
            Some(size) => writer.type_of(&TypeInner::Vector { size, scalar }),
            None => writer.scalar(scalar).map(str::to_string),
        };
        Ok(Some(match *predeclared {
            PredeclaredType::AtomicCompareExchangeWeakResult(scalar) => {
                self.parts.insert(Part::Atomic);
                format!("exchange_result<{}>", self.scalar(scalar)?)
            }
            PredeclaredType::ModfResult { size, scalar } => {
                self.parts.insert(Part::Math);
                format!("modf_result<{}>", of(self, size, scalar)?)
            }
            PredeclaredType::FrexpResult { size, scalar } => {
                self.parts.insert(Part::Math);
                format!("frexp_result<{}>", of(self, size, scalar)?)
            }
        }))
    }

    fn define(&mut self, ty: Handle<Type>, name: &str) -> Written<Slots> {
        let TypeInner::Struct { members, span } = self.inner(ty) else {
            return Err(Refused::new("a structure is wanted here"));
        };
        let alignment = self.layouter[ty].alignment.round_up(1);
        let (mut text, mut asserts, mut slots) = (String::new(), String::new(), Slots::new());
        let mut end = 0;
        let pad = |text: &mut String, slots: &mut Slots, bytes: u32| {
            let count = slots.iter().filter(|slot| slot.is_none()).count();
            writeln!(text, "    unsigned char pad{count}[{bytes}];").expect("writing to a string");
            slots.push(None);
        };
        let mut open = false;
        for (member, index) in members.iter().zip(0..) {
            let inner = self.inner(member.ty);
            if inner.is_dynamically_sized(&self.module.types) {
                // It is reached by a pointer of its own.
                open = true;
                continue;
            }
            let own = match *inner {
                TypeInner::Vector { size: VectorSize::Tri, scalar } => scalar.width as u32,
                _ => self.layouter[member.ty].alignment.round_up(1),
            };
            if member.offset > u32::next_multiple_of(end, own) {
                pad(&mut text, &mut slots, member.offset - end);
            }
            let field = self.names[&NameKey::StructMember(ty, index)].clone();
            let of = self.ty(member.ty)?;
            writeln!(text, "    {of} {field};").expect("writing to a string");
            writeln!(asserts, "WGSL_OFFSET({name}, {field}, {});", member.offset).expect("writing to a string");
            slots.push(Some(index));
            end = member.offset + self.size(member.ty);
        }
        if !open && u32::next_multiple_of(end, alignment) < *span {
            pad(&mut text, &mut slots, span - end);
        }
        if !open {
            writeln!(asserts, "static_assert(sizeof({name}) == {span}, \"\");").expect("writing to a string");
        }
        write!(self.structs, "struct alignas({alignment}) {name} {{\n{text}}};\n{asserts}\n")
            .expect("writing to a string");
        Ok(slots)
    }

    /// Bytes of a type, which is 0 for arrays without a length.
    pub(super) fn size(&self, ty: Handle<Type>) -> u32 {
        match *self.inner(ty) {
            TypeInner::Array { size, stride, .. } => self.length(size).unwrap_or(0) * stride,
            _ => self.layouter[ty].size,
        }
    }

    /// How the structure with this type lies in C++; nothing for those of the prelude.
    pub(super) fn slots(&self, ty: Handle<Type>) -> Option<&Slots> {
        self.slots.get(&ty)
    }
}
