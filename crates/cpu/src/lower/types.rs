//! The layout of WGSL types in registers and in memory.

use crate::program::Kind;
use naga::proc::{IndexableLength, Layouter};
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner};

/// What a pointer or value is, with nested types by handle.
pub(super) type Inner = TypeInner;

/// A scalar of a composite type: where it lies in memory.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub scalar: Scalar,
    pub offset: u32,
}

/// Types of a module.
pub(super) struct Types<'a> {
    pub module: &'a Module,
    pub layouter: Layouter,
    /// Invocations of a subgroup, which share a cooperative matrix.
    pub subgroup: u32,
}

/// Registers of a scalar.
pub(super) fn scalar_words(scalar: Scalar) -> u32 {
    if scalar.width == 8 { 2 } else { 1 }
}

/// How a scalar's words are to be read; none for what a kernel cannot hold.
pub(super) fn kind(scalar: Scalar) -> Option<Kind> {
    Some(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Kind::Bool,
        (ScalarKind::Sint, 4) => Kind::I32,
        (ScalarKind::Uint, 4) => Kind::U32,
        (ScalarKind::Float, 4) => Kind::F32,
        (ScalarKind::Float, 2) => Kind::F16,
        (ScalarKind::Sint, 8) => Kind::I64,
        (ScalarKind::Uint, 8) => Kind::U64,
        (ScalarKind::Float, 8) => Kind::F64,
        _ => return None,
    })
}

impl<'a> Types<'a> {
    pub fn inner(&self, ty: Handle<Type>) -> &'a Inner {
        &self.module.types[ty].inner
    }

    /// Elements of an array whose length is known, by a constant or an override.
    pub fn count(&self, size: ArraySize) -> Option<u32> {
        match size.resolve(self.module.to_ctx()) {
            Ok(IndexableLength::Known(count)) => Some(count),
            _ => None,
        }
    }

    /// Bytes and alignment of a variable.
    pub fn layout(&self, ty: Handle<Type>) -> (u32, u32) {
        let layout = self.layouter[ty];
        let alignment = layout.alignment.round_up(1);
        match *self.inner(ty) {
            Inner::Array { size, stride, .. } => (self.count(size).unwrap_or(0) * stride, alignment),
            _ => (layout.size, alignment),
        }
    }

    /// Registers of a value.
    pub fn words(&self, inner: &Inner) -> u32 {
        match *inner {
            Inner::Scalar(scalar) | Inner::Atomic(scalar) => scalar_words(scalar),
            Inner::Vector { size, scalar } => size as u32 * scalar_words(scalar),
            Inner::Matrix { columns, rows, scalar } => columns as u32 * rows as u32 * scalar_words(scalar),
            Inner::Array { base, size, .. } => self.count(size).unwrap_or(0) * self.words(self.inner(base)),
            Inner::Struct { ref members, .. } => members.iter().map(|m| self.words(self.inner(m.ty))).sum(),
            Inner::CooperativeMatrix { columns, rows, .. } => (columns as u32 * rows as u32).div_ceil(self.subgroup),
            _ => 0,
        }
    }

    /// Bytes between columns of a matrix: a column of three takes the room of four.
    pub fn column_stride(rows: naga::VectorSize, scalar: Scalar) -> u32 {
        let rows = if rows == naga::VectorSize::Tri { 4 } else { rows as u32 };
        rows * scalar.width as u32
    }

    /// The scalars of a type with their offsets in memory, in the order of registers.
    pub fn leaves(&self, inner: &Inner, offset: u32, to: &mut Vec<Leaf>) {
        match *inner {
            Inner::Scalar(scalar) | Inner::Atomic(scalar) => to.push(Leaf { scalar, offset }),
            Inner::Vector { size, scalar } => {
                to.extend((0..size as u32).map(|i| Leaf { scalar, offset: offset + i * scalar.width as u32 }));
            }
            Inner::Matrix { columns, rows, scalar } => {
                let stride = Types::column_stride(rows, scalar);
                for column in 0..columns as u32 {
                    self.leaves(&Inner::Vector { size: rows, scalar }, offset + column * stride, to);
                }
            }
            Inner::Array { base, size, stride } => {
                (0..self.count(size).unwrap_or(0)).for_each(|i| self.leaves(self.inner(base), offset + i * stride, to));
            }
            Inner::Struct { ref members, .. } => {
                members.iter().for_each(|m| self.leaves(self.inner(m.ty), offset + m.offset, to));
            }
            _ => {}
        }
    }

    /// An element of a composite by dynamic index: its type, registers and bytes from one to the next, and how many
    /// there are (none for a runtime-sized array).
    pub fn element(&self, inner: &Inner) -> Option<(Inner, u32, u32, Option<u32>)> {
        Some(match *inner {
            Inner::Vector { size, scalar } => {
                (Inner::Scalar(scalar), scalar_words(scalar), scalar.width as u32, Some(size as u32))
            }
            Inner::Matrix { columns, rows, scalar } => {
                let column = Inner::Vector { size: rows, scalar };
                let words = self.words(&column);
                (column, words, Types::column_stride(rows, scalar), Some(columns as u32))
            }
            Inner::Array { base, size, stride } => {
                let inner = self.inner(base).clone();
                let words = self.words(&inner);
                (inner, words, stride, self.count(size))
            }
            _ => return None,
        })
    }

    /// A member or element by constant index: its type, first register and first byte.
    pub fn member(&self, inner: &Inner, index: u32) -> Option<(Inner, u32, u32)> {
        if let Inner::Struct { ref members, .. } = *inner {
            let words = members.iter().take(index as usize).map(|m| self.words(self.inner(m.ty))).sum();
            let member = members.get(index as usize)?;
            return Some((self.inner(member.ty).clone(), words, member.offset));
        }
        let (element, words, stride, _) = self.element(inner)?;
        Some((element, index * words, index * stride))
    }
}
