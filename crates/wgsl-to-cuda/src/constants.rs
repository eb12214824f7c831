//! Literals and constant expressions.

use super::parts::Part;
use super::{Refused, Writer, Written};
use naga::proc::NameKey;
use naga::{Constant, Expression, Handle, Literal, Type, TypeInner};

impl Writer<'_> {
    pub(super) fn literal(&mut self, literal: Literal) -> Written<String> {
        Ok(match literal {
            Literal::Bool(x) => x.to_string(),
            Literal::U32(x) => format!("{x}u"),
            // C++ has no negative literals: this one would be the negation of a number that does not fit.
            Literal::I32(i32::MIN) => "i32(0x80000000u)".into(),
            Literal::I32(x) => x.to_string(),
            Literal::U64(x) => format!("{x}ull"),
            Literal::I64(i64::MIN) => "i64(0x8000000000000000ull)".into(),
            Literal::I64(x) => format!("{x}ll"),
            Literal::F64(x) if x.is_finite() => format!("{x:?}"),
            Literal::F64(x) => self.of_bits("f64", format!("0x{:016x}ull", x.to_bits())),
            Literal::F32(x) if is_kept(x) => format!("{x:?}f"),
            Literal::F32(x) => self.of_bits("f32", format!("0x{:08x}u", x.to_bits())),
            Literal::F16(x) => {
                self.parts.insert(Part::Half);
                format!("f16{{0x{:04x}}}", x.to_bits())
            }
            other => return Err(Refused::new(format!("{other:?} has no concrete type"))),
        })
    }

    fn of_bits(&mut self, ty: &str, bits: String) -> String {
        self.parts.insert(Part::Convert);
        format!("bitcast<{ty}>({bits})")
    }

    /// The value of a type that is all zeros.
    pub(super) fn zero(&mut self, ty: Handle<Type>) -> Written<String> {
        Ok(match self.inner(ty) {
            TypeInner::Scalar(scalar) if scalar.width <= 4 => match self.scalar(*scalar)? {
                "bool" => "false".into(),
                "u32" => "0u".into(),
                "i32" => "0".into(),
                "f32" => "0.0f".into(),
                other => format!("{other}{{}}"),
            },
            _ => format!("{}{{}}", self.ty(ty)?),
        })
    }

    /// A composite of these values, the components of vectors one by one.
    pub(super) fn compose(&mut self, ty: Handle<Type>, values: Vec<String>) -> Written<String> {
        let name = self.ty(ty)?;
        Ok(match self.inner(ty) {
            TypeInner::Array { .. } | TypeInner::Matrix { .. } => format!("{name}{{{{{}}}}}", values.join(", ")),
            TypeInner::Struct { .. } => {
                let slots = self.slots(ty).cloned().unwrap_or_else(|| (0..values.len() as u32).map(Some).collect());
                let fields = slots.iter().map(|slot| slot.map_or("{}", |index| &values[index as usize]));
                format!("{name}{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
            _ => format!("{name}{{{}}}", values.join(", ")),
        })
    }

    /// A constant: arrays and structures by a name, for their elements are picked; others by their value.
    pub(super) fn constant(&mut self, handle: Handle<Constant>) -> Written<String> {
        let constant = &self.module.constants[handle];
        if !matches!(self.inner(constant.ty), TypeInner::Array { .. } | TypeInner::Struct { .. }) {
            return self.constant_expression(constant.init);
        }
        let name = self.names[&NameKey::Constant(handle)].clone();
        if self.constants.insert(handle) {
            let (ty, value) = (self.ty(constant.ty)?, self.constant_expression(constant.init)?);
            let value = value.strip_prefix(&ty).unwrap_or(&value);
            self.globals_text += &format!("__device__ const {ty} {name} = {value};\n");
        }
        Ok(name)
    }

    /// A constant expression of the module.
    pub(super) fn constant_expression(&mut self, handle: Handle<Expression>) -> Written<String> {
        match self.module.global_expressions[handle] {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Constant(constant) => self.constant_expression(self.module.constants[constant].init),
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::Compose { ty, ref components } => {
                let mut values = vec![];
                for &component in components {
                    match self.inner(ty) {
                        TypeInner::Vector { .. } => values.extend(self.constant_components(component)?),
                        _ => values.push(self.constant_expression(component)?),
                    }
                }
                self.compose(ty, values)
            }
            Expression::Splat { .. } => {
                // Written out: a function could not give a constant its value.
                let ty = self.type_of(self.info[handle].inner_with(&self.module.types))?;
                Ok(format!("{ty}{{{}}}", self.constant_components(handle)?.join(", ")))
            }
            ref other => Err(Refused::new(format!("{other:?} is no constant"))),
        }
    }

    /// The components of a constant vector, or the scalar.
    fn constant_components(&mut self, handle: Handle<Expression>) -> Written<Vec<String>> {
        match self.module.global_expressions[handle] {
            Expression::Constant(constant) => self.constant_components(self.module.constants[constant].init),
            Expression::Compose { ref components, .. } => {
                let parts: Written<Vec<_>> = components.iter().map(|&part| self.constant_components(part)).collect();
                Ok(parts?.concat())
            }
            Expression::Splat { size, value } => Ok(vec![self.constant_expression(value)?; size as usize]),
            Expression::ZeroValue(ty) => match *self.inner(ty) {
                TypeInner::Vector { size, scalar } => Ok(vec![format!("{}{{}}", self.scalar(scalar)?); size as usize]),
                _ => Ok(vec![self.zero(ty)?]),
            },
            _ => Ok(vec![self.constant_expression(handle)?]),
        }
    }
}

/// Whether a finite f32 is what its shortest text says even if that is read as f64 first.
fn is_kept(x: f32) -> bool {
    x.is_finite() && format!("{x:?}").parse::<f64>().is_ok_and(|wide| (wide as f32).to_bits() == x.to_bits())
}
