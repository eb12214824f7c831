//! Expressions.

use super::types::{kind, scalar_words};
use super::*;
use naga::{Literal, RelationalFunction, UnaryOperator};

impl<'a> Builder<'a> {
    fn scope(&self) -> &Scope<'a> {
        self.scopes.last().expect("statements belong to a function")
    }

    /// The type of an expression of the function being inlined.
    pub(super) fn ty(&self, handle: Handle<Expression>) -> &'a Inner {
        let scope = self.scopes.last().expect("statements belong to a function");
        scope.info[handle].ty.inner_with(&self.module.types)
    }

    /// The scalar type and the number of components of an expression.
    pub(super) fn scalar(&self, handle: Handle<Expression>) -> Outcome<Kind> {
        let scalar = self.ty(handle).scalar().and_then(kind);
        scalar.map_or_else(|| self.refuse(format!("{:?} has no scalar type here", self.ty(handle))), Ok)
    }

    /// What an expression gives: remembered, or lowered now if it is one that needs no statement.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Outcome<Value> {
        if let Some(value) = self.scope().values.get(&handle) {
            return Ok(value.clone());
        }
        let site = self.site;
        self.at(self.scope().function.expressions.get_span(handle));
        self.compose(self.types.words(self.ty(handle)))?;
        let value = self.expression(handle)?;
        self.site = site;
        self.remember(handle, value.clone());
        Ok(value)
    }

    /// Counts a value's words where it has more than a vector.
    fn compose(&mut self, words: u32) -> Outcome<()> {
        if words <= 4 {
            return Ok(());
        }
        if let Err(message) = self.room(words as usize) {
            return self.refuse(message);
        }
        self.composed += words as usize;
        Ok(())
    }

    pub(super) fn remember(&mut self, handle: Handle<Expression>, value: Value) {
        self.scopes.last_mut().expect("statements belong to a function").values.insert(handle, value);
    }

    /// The registers of a value.
    pub(super) fn words(&mut self, handle: Handle<Expression>) -> Outcome<Rc<[Reg]>> {
        match self.value(handle)? {
            Value::Words(words) => Ok(words),
            Value::Place(_) => self.refuse("a pointer stands where a value is wanted"),
        }
    }

    pub(super) fn word(&mut self, handle: Handle<Expression>) -> Outcome<Reg> {
        let words = self.words(handle)?;
        words.first().map_or_else(|| self.refuse("a value without a scalar"), |&w| Ok(w))
    }

    pub(super) fn place(&mut self, handle: Handle<Expression>) -> Outcome<Place> {
        match self.value(handle)? {
            Value::Place(place) => Ok(place),
            Value::Words(_) => self.refuse("a value stands where a pointer is wanted"),
        }
    }

    fn expression(&mut self, handle: Handle<Expression>) -> Outcome<Value> {
        let function = self.scope().function;
        let words: Vec<Reg> = match function.expressions[handle] {
            Expression::Literal(literal) => self.literal(literal)?,
            Expression::Constant(constant) => self.constant_expression(self.module.constants[constant].init)?,
            Expression::ZeroValue(ty) => vec![self.constant(0); self.types.words(self.types.inner(ty)) as usize],
            Expression::Compose { ref components, .. } => {
                let mut words = vec![];
                for &component in components {
                    words.extend_from_slice(&self.words(component)?);
                }
                words
            }
            Expression::Splat { size, value } => {
                let one = self.words(value)?;
                one.iter().copied().cycle().take(one.len() * size as usize).collect()
            }
            Expression::Swizzle { size, vector, pattern } => {
                let from = self.words(vector)?;
                let width = self.ty(vector).scalar().map_or(1, scalar_words) as usize;
                let chosen = pattern[..size as usize].iter().map(|&c| c as usize);
                chosen.flat_map(|c| from[c * width..][..width].to_vec()).collect()
            }
            Expression::FunctionArgument(index) => return Ok(self.scope().arguments[index as usize].clone()),
            Expression::GlobalVariable(global) => match self.globals.get(&global) {
                Some(value) => return Ok(value.clone()),
                None => {
                    let name = self.module.global_variables[global].name.clone().unwrap_or_default();
                    return self.refuse(format!(
                        "`{name}` is a texture, sampler or acceleration structure; kernels here use buffers only"
                    ));
                }
            },
            Expression::LocalVariable(local) => {
                let variable = self.scope().locals[&local].clone();
                let ty = self.types.inner(function.local_variables[local].ty).clone();
                let of = self.name(function.local_variables[local].name.as_deref().unwrap_or("a variable"));
                let root = Root::Variable(variable, of);
                return Ok(Value::Place(Place { root, ty, offset: 0, dynamic: NONE }));
            }
            Expression::Access { base, index } => return self.access(base, index),
            Expression::AccessIndex { base, index } => return self.access_index(base, index),
            Expression::Load { pointer } => {
                let place = self.place(pointer)?;
                self.load(&place)?
            }
            Expression::Unary { op, expr } => self.unary(op, expr)?,
            Expression::Binary { op, left, right } => self.binary(op, left, right)?,
            Expression::Select { condition, accept, reject } => self.select(condition, accept, reject)?,
            Expression::Relational { fun, argument } => self.relational(fun, argument)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let more = [arg1, arg2, arg3].into_iter().flatten();
                let arguments: Vec<Handle<Expression>> = std::iter::once(arg).chain(more).collect();
                self.math(fun, &arguments)?
            }
            Expression::As { expr, kind, convert } => self.cast(expr, kind, convert)?,
            Expression::ArrayLength(pointer) => vec![self.array_length(pointer)?],
            Expression::CooperativeLoad { columns, rows, ref data, .. } => {
                self.matrix_load(self.ty(handle), rows as u32, columns as u32, data)?
            }
            Expression::CooperativeMultiplyAdd { a, b, c } => self.matrix_multiply_add(a, b, c)?,
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. } => {
                return self.refuse("a result is used before its statement");
            }
            ref other => {
                let text = format!("{other:?}");
                let name = text.split([' ', '(', '{']).next().unwrap_or_default();
                return self.refuse(format!("{name} is not for compute kernels over buffers"));
            }
        };
        Ok(Value::Words(words.into()))
    }

    fn literal(&mut self, literal: Literal) -> Outcome<Vec<Reg>> {
        Ok(match literal {
            Literal::F64(x) => self.constant64(x.to_bits()).to_vec(),
            Literal::F32(x) => vec![self.constant(x.to_bits())],
            Literal::F16(x) => vec![self.constant(x.to_bits() as u32)],
            Literal::U32(x) => vec![self.constant(x)],
            Literal::I32(x) => vec![self.constant(x as u32)],
            Literal::U64(x) => self.constant64(x).to_vec(),
            Literal::I64(x) => self.constant64(x as u64).to_vec(),
            Literal::Bool(x) => vec![self.constant(crate::scalar::mask(x))],
            other => return self.refuse(format!("{other:?} has no concrete type")),
        })
    }

    /// A constant expression of the module.
    pub(super) fn constant_expression(&mut self, handle: Handle<Expression>) -> Outcome<Vec<Reg>> {
        Ok(match self.module.global_expressions[handle] {
            Expression::Literal(literal) => self.literal(literal)?,
            Expression::Constant(constant) => self.constant_expression(self.module.constants[constant].init)?,
            Expression::ZeroValue(ty) => vec![self.constant(0); self.types.words(self.types.inner(ty)) as usize],
            Expression::Compose { ref components, .. } => {
                let mut words = vec![];
                for &component in components {
                    words.extend(self.constant_expression(component)?);
                }
                words
            }
            Expression::Splat { size, value } => {
                let one = self.constant_expression(value)?;
                one.iter().copied().cycle().take(one.len() * size as usize).collect()
            }
            ref other => return self.refuse(format!("{other:?} is no constant")),
        })
    }

    fn unary(&mut self, op: UnaryOperator, expr: Handle<Expression>) -> Outcome<Vec<Reg>> {
        let kind = self.scalar(expr)?;
        let words = self.words(expr)?;
        let per = if kind.long() { 2 } else { 1 };
        let mut result = vec![];
        for a in words.chunks_exact(per) {
            match (op, kind) {
                (UnaryOperator::Negate, Kind::I64 | Kind::U64) => {
                    result.extend(self.long_un(LongUn::Neg, [a[0], a[1]]));
                }
                (UnaryOperator::Negate, Kind::F64) => result.extend(self.long_un(LongUn::NegF64, [a[0], a[1]])),
                (UnaryOperator::Negate, Kind::F32) => result.push(self.un(Un::NegF32, a[0])),
                (UnaryOperator::Negate, Kind::F16) => result.push(self.un(Un::NegF16, a[0])),
                (UnaryOperator::Negate, _) => {
                    let to = self.un(Un::NegI32, a[0]);
                    self.follow_negated(kind, to, a[0]);
                    result.push(to);
                }
                (UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot, _) => {
                    a.iter().for_each(|&w| result.push(self.un(Un::Not, w)));
                }
            }
        }
        Ok(result)
    }

    fn select(
        &mut self,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> Outcome<Vec<Reg>> {
        let conditions = self.words(condition)?;
        let (accept, reject) = (self.words(accept)?, self.words(reject)?);
        // One condition for all words, or one for each component of one or two words.
        let per = accept.len() / conditions.len();
        let choose = |(i, (&a, &r))| {
            let to = self.tern(Tern::Select, conditions[i / per], a, r);
            self.follow_chosen(to, conditions[i / per], a, r);
            to
        };
        Ok(accept.iter().zip(reject.iter()).enumerate().map(choose).collect())
    }

    fn relational(&mut self, fun: RelationalFunction, argument: Handle<Expression>) -> Outcome<Vec<Reg>> {
        let kind = self.scalar(argument)?;
        let words = self.words(argument)?;
        let fold = |builder: &mut Self, op| {
            let rest = words[1..].iter();
            rest.fold(words[0], |a, &b| builder.bin(op, a, b))
        };
        Ok(match fun {
            RelationalFunction::All => vec![fold(self, Bin::And)],
            RelationalFunction::Any => vec![fold(self, Bin::Or)],
            RelationalFunction::IsNan | RelationalFunction::IsInf => {
                let nan = fun == RelationalFunction::IsNan;
                let (op, long) = if nan { (Un::IsNanF32, Narrow::IsNanF64) } else { (Un::IsInfF32, Narrow::IsInfF64) };
                let per = if kind.long() { 2 } else { 1 };
                let mut result = vec![];
                for a in words.chunks_exact(per) {
                    result.push(match kind {
                        Kind::F64 => self.narrow(long, [a[0], a[1]]),
                        Kind::F16 => {
                            let wide = self.un(Un::F16ToF32, a[0]);
                            self.un(op, wide)
                        }
                        _ => self.un(op, a[0]),
                    });
                }
                result
            }
        })
    }
}
