//! Expressions: operators become C++'s where those mean the same, else functions of the prelude.

use super::functions::Body;
use super::parts::Part;
use super::{Refused, Written};
use naga::{
    BinaryOperator as B, Expression, Handle, Literal, RelationalFunction, Scalar, ScalarKind, TypeInner, UnaryOperator,
};

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

impl Body<'_, '_> {
    /// The text of an expression: a name where it has been evaluated.
    pub(super) fn expression(&mut self, handle: Handle<Expression>) -> Written<String> {
        if let Some(name) = self.values.get(&handle) {
            if let Some(needs) = &mut self.needs {
                needs.insert(handle);
            }
            return Ok(name.clone());
        }
        self.evaluated(handle).map_err(|refused| refused.at(self.function.expressions.get_span(handle)))
    }

    fn expressions(&mut self, handles: &[Handle<Expression>]) -> Written<Vec<String>> {
        handles.iter().map(|&handle| self.expression(handle)).collect()
    }

    /// The text that evaluates an expression.
    pub(super) fn evaluated(&mut self, handle: Handle<Expression>) -> Written<String> {
        Ok(match self.function.expressions[handle] {
            Expression::Literal(literal) => self.writer.literal(literal)?,
            Expression::Constant(constant) => self.writer.constant(constant)?,
            Expression::ZeroValue(ty) => self.writer.zero(ty)?,
            Expression::Compose { ty, ref components } => {
                let values = match self.writer.inner(ty) {
                    TypeInner::Vector { .. } => self.components(components)?,
                    _ => self.expressions(components)?,
                };
                self.writer.compose(ty, values.iter().map(|value| super::functions::bare(value).into()).collect())?
            }
            Expression::Splat { size, value } => format!("splat<{}>({})", size as u32, self.bare(value)?),
            Expression::Swizzle { vector, ref pattern, size } => {
                let from = self.expression(vector)?;
                let fields: Vec<_> =
                    pattern[..size as usize].iter().map(|&c| format!("{from}.{}", COMPONENTS[c as usize])).collect();
                format!("{}{{{}}}", self.ty(handle)?, fields.join(", "))
            }
            Expression::FunctionArgument(index) => self.argument(index),
            Expression::GlobalVariable(global) => self.writer.globals.get(&global).cloned().ok_or_else(|| {
                let name = self.writer.module.global_variables[global].name.clone().unwrap_or_default();
                let what = "a texture, sampler or acceleration structure; kernels here use buffers only";
                Refused::new(format!("`{name}` is {what}"))
            })?,
            Expression::LocalVariable(local) => self.local(local),
            Expression::Access { base, index } => self.access(base, index)?,
            Expression::AccessIndex { base, index } => self.access_index(base, index)?,
            Expression::Load { pointer } => self.load(pointer)?,
            Expression::Unary { op, expr } => self.unary(op, expr)?,
            Expression::Binary { op, left, right } => self.binary(op, left, right)?,
            Expression::Select { condition, accept, reject } => {
                let [c, a, r] = [self.expression(condition)?, self.expression(accept)?, self.expression(reject)?];
                match self.inner(condition) {
                    TypeInner::Vector { .. } => format!("select({}, {}, {})", bare(&r), bare(&a), bare(&c)),
                    _ => format!("({c} ? {a} : {r})"),
                }
            }
            Expression::Relational { fun, argument } => {
                let name = match fun {
                    RelationalFunction::All => "wgsl::all",
                    RelationalFunction::Any => "wgsl::any",
                    RelationalFunction::IsNan => self.of_part(Part::Math, "wgsl::isnan_"),
                    RelationalFunction::IsInf => self.of_part(Part::Math, "wgsl::isinf_"),
                };
                format!("{name}({})", self.bare(argument)?)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let more = [arg1, arg2, arg3].into_iter().flatten();
                let arguments: Vec<Handle<Expression>> = std::iter::once(arg).chain(more).collect();
                self.math(fun, &arguments)?
            }
            Expression::As { expr, kind, convert } => self.cast(expr, kind, convert)?,
            Expression::ArrayLength(pointer) => format!("{}.length()", self.expression(pointer)?),
            Expression::CooperativeLoad { ref data, .. } => self.matrix_load(handle, data)?,
            Expression::CooperativeMultiplyAdd { a, b, c } => {
                format!("wgsl::coopMultiplyAdd({})", self.expressions(&[a, b, c])?.join(", "))
            }
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. } => match &mut self.needs {
                // It gets its name where the text is written in earnest.
                Some(needs) => {
                    needs.insert(handle);
                    format!("e{}", handle.index())
                }
                None => return self.refuse("a result is used before its statement"),
            },
            ref other => {
                let text = format!("{other:?}");
                let name = text.split([' ', '(', '{']).next().unwrap_or_default();
                return self.refuse(format!("{name} is not for compute kernels over buffers"));
            }
        })
    }

    /// An expression where nothing stands beside it.
    pub(super) fn bare(&mut self, handle: Handle<Expression>) -> Written<String> {
        Ok(bare(&self.expression(handle)?).to_string())
    }

    /// The name of something, noting which part of the prelude has it.
    pub(super) fn of_part(&mut self, part: Part, name: &'static str) -> &'static str {
        self.writer.parts.insert(part);
        name
    }

    /// The components of scalars and vectors in a row.
    fn components(&mut self, handles: &[Handle<Expression>]) -> Written<Vec<String>> {
        let mut values = vec![];
        for &handle in handles {
            let text = self.expression(handle)?;
            match *self.inner(handle) {
                TypeInner::Vector { size, .. } => {
                    values.extend(COMPONENTS[..size as usize].iter().map(|component| format!("{text}.{component}")));
                }
                _ => values.push(text),
            }
        }
        Ok(values)
    }

    fn unary(&mut self, op: UnaryOperator, expr: Handle<Expression>) -> Written<String> {
        let x = self.expression(expr)?;
        let scalar = match *self.inner(expr) {
            TypeInner::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        Ok(match (op, scalar) {
            (UnaryOperator::Negate, Some(Scalar { kind: ScalarKind::Float, width: 4 | 8 })) => match x.starts_with('-')
            {
                true => format!("-({x})"),
                false => format!("-{x}"),
            },
            (UnaryOperator::Negate, _) => format!("neg({})", bare(&x)),
            (UnaryOperator::LogicalNot, Some(_)) => format!("!{x}"),
            (UnaryOperator::LogicalNot, None) => format!("not_({})", bare(&x)),
            (UnaryOperator::BitwiseNot, Some(Scalar { kind: ScalarKind::Uint, .. })) => format!("~{x}"),
            (UnaryOperator::BitwiseNot, _) => format!("bit_not({})", bare(&x)),
        })
    }

    fn binary(&mut self, op: B, left: Handle<Expression>, right: Handle<Expression>) -> Written<String> {
        let scalar = match (self.inner(left), self.inner(right)) {
            (&TypeInner::Scalar(scalar), TypeInner::Scalar(_)) => Some(scalar),
            _ => None,
        };
        let (a, b) = (self.expression(left)?, self.expression(right)?);
        if let Some(operator) = scalar.and_then(|scalar| infix(op, scalar)) {
            return Ok(format!("({a} {operator} {b})"));
        }
        let name = match op {
            // The prelude says what compilers make of it else.
            B::Subtract if self.is_whole(left, 0) => return Ok(format!("neg({})", bare(&b))),
            B::Multiply if self.is_whole(left, -1) => return Ok(format!("neg({})", bare(&b))),
            B::Multiply if self.is_whole(right, -1) => return Ok(format!("neg({})", bare(&a))),
            B::Add => "add",
            B::Subtract => "sub",
            B::Multiply => "mul",
            B::Divide if self.writer.checked() => "div",
            B::Divide => "div_unguarded",
            B::Modulo if self.writer.checked() => "rem",
            B::Modulo => "rem_unguarded",
            B::Equal => "eq",
            B::NotEqual => "ne",
            B::Less => "lt",
            B::LessEqual => "le",
            B::Greater => "gt",
            B::GreaterEqual => "ge",
            B::And => "bit_and",
            B::ExclusiveOr => "bit_xor",
            B::InclusiveOr => "bit_or",
            B::LogicalAnd => "and_",
            B::LogicalOr => "or_",
            B::ShiftLeft => "shl",
            B::ShiftRight => "shr",
        };
        Ok(format!("{name}({}, {})", bare(&a), bare(&b)))
    }

    /// Whether an expression is this number, or a vector of it, as i32.
    fn is_whole(&self, expression: Handle<Expression>, number: i32) -> bool {
        let signed = Scalar { kind: ScalarKind::Sint, width: 4 };
        match self.function.expressions[expression] {
            Expression::Literal(literal) => literal == Literal::I32(number),
            Expression::Splat { value, .. } => self.is_whole(value, number),
            Expression::ZeroValue(_) => number == 0 && self.inner(expression).scalar() == Some(signed),
            _ => false,
        }
    }

    /// A conversion, or the same bits as another type.
    fn cast(&mut self, expr: Handle<Expression>, kind: ScalarKind, convert: Option<u8>) -> Written<String> {
        let inner = self.inner(expr);
        let Some(from) = inner.scalar() else { return self.refuse(format!("a conversion of {inner:?}")) };
        let to = Scalar { kind, width: convert.unwrap_or(from.width) };
        let x = self.expression(expr)?;
        if to == from {
            return Ok(x);
        }
        self.writer.parts.insert(Part::Convert);
        let ty = match *inner {
            TypeInner::Vector { size, .. } => self.writer.type_of(&TypeInner::Vector { size, scalar: to })?,
            TypeInner::Matrix { columns, rows, .. } => {
                self.writer.type_of(&TypeInner::Matrix { columns, rows, scalar: to })?
            }
            _ => self.writer.scalar(to)?.into(),
        };
        let name = if convert.is_some() { "convert" } else { "bitcast" };
        Ok(format!("{name}<{ty}>({})", bare(&x)))
    }
}

pub(super) use super::functions::bare;

/// C++'s operator, where it means what WGSL's does.
fn infix(op: B, scalar: Scalar) -> Option<&'static str> {
    let Scalar { kind, width } = scalar;
    let (boolean, float) = (kind == ScalarKind::Bool, kind == ScalarKind::Float && width >= 4);
    let natural = kind == ScalarKind::Uint;
    let native = float || natural || boolean || kind == ScalarKind::Sint;
    Some(match op {
        B::Add if float || natural => "+",
        B::Subtract if float || natural => "-",
        B::Multiply if float || natural => "*",
        B::Divide if float => "/",
        B::Equal if native => "==",
        B::NotEqual if native => "!=",
        B::Less if native => "<",
        B::LessEqual if native => "<=",
        B::Greater if native => ">",
        B::GreaterEqual if native => ">=",
        B::LogicalAnd => "&&",
        B::LogicalOr => "||",
        B::And if boolean => "&&",
        B::InclusiveOr if boolean => "||",
        B::And if native && !float => "&",
        B::InclusiveOr if native && !float => "|",
        B::ExclusiveOr if native && !float && !boolean => "^",
        _ => return None,
    })
}
