//! Functions, which are inlined.

use super::*;
use naga::{Block, Statement, Type};

impl<'a> Builder<'a> {
    /// Inlines a function; gives the registers of its result.
    pub(super) fn inline(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Value>,
    ) -> Outcome<Rc<[Reg]>> {
        let early = returns_early(&function.body, true);
        let result: Rc<[Reg]> = match &function.result {
            Some(result) => self.registers_of(result.ty, true)?.into(),
            None => [].into(),
        };
        let frame = early.then(|| self.open());
        let leave = self.label();
        if let Some(frame) = frame {
            self.varying(Instr::Enter { frame });
            self.joins.push(leave);
        }
        // What a pointer points to may be any variable.
        let differs = |value: &Value| match value {
            Value::Words(words) => words.iter().any(|&word| self.varies(word)),
            Value::Place(_) => true,
        };
        let arguments_differ: Vec<bool> = arguments.iter().map(differs).collect();
        let uniform = match self.checked {
            true => Default::default(),
            false => uniform::uniform_locals(self.module, function, &arguments_differ),
        };
        let (values, locals) = (HashMap::new(), HashMap::new());
        self.scopes.push(Scope { function, info, arguments, values, locals, result });
        for (handle, local) in function.local_variables.iter() {
            let variable = self.registers_of(local.ty, !uniform.contains(&handle))?;
            let (words, variable) = (variable.len(), Rc::new(variable));
            self.scopes.last_mut().expect("just pushed").locals.insert(handle, variable.clone());
            let init = match local.init {
                Some(init) => self.words(init)?,
                None => vec![self.constant(0); words].into(),
            };
            for (&to, &from) in variable.iter().zip(init.iter()) {
                self.set(to, from)?;
            }
        }
        // The usual function returns once, at its end: its value needs no variable.
        let direct = match function.body.last() {
            Some(Statement::Return { value: Some(value) }) if !early => Some(*value),
            _ => None,
        };
        self.block(&function.body, direct.is_none(), true)?;
        let result = match direct {
            Some(value) => self.words(value)?,
            None => self.scopes.last().expect("just pushed").result.clone(),
        };
        self.scopes.pop();
        if let Some(frame) = frame {
            self.joins.pop();
            self.varying(Instr::Label(leave));
            self.varying(Instr::Leave { frame });
            self.close();
        }
        Ok(result)
    }

    /// A variable of the function being inlined.
    fn registers_of(&mut self, ty: Handle<Type>, varying: bool) -> Outcome<Vec<Reg>> {
        match self.variable(self.types.inner(ty), varying) {
            Ok(variable) => Ok(variable),
            Err(message) => self.refuse(message),
        }
    }

    pub(super) fn give(&mut self, value: Option<Handle<Expression>>, set: bool, tail: bool) -> Outcome<()> {
        if let Some(value) = value.filter(|_| set) {
            let words = self.words(value)?;
            let result = self.scopes.last().expect("statements belong to a function").result.clone();
            for (&to, &from) in result.iter().zip(words.iter()) {
                self.set(to, from)?;
            }
        }
        if !tail {
            let next = self.join();
            self.varying(Instr::Return { next });
        }
        Ok(())
    }
}

/// Whether a function returns anywhere but at its end. `tail`: whether the function ends after the block.
fn returns_early(block: &Block, tail: bool) -> bool {
    let count = block.len();
    block.iter().enumerate().any(|(i, statement)| {
        let tail = tail && i + 1 == count;
        match statement {
            Statement::Return { .. } => !tail,
            Statement::Block(block) => returns_early(block, tail),
            Statement::If { accept, reject, .. } => returns_early(accept, tail) || returns_early(reject, tail),
            Statement::Switch { cases, .. } => cases.iter().any(|case| returns_early(&case.body, false)),
            Statement::Loop { body, continuing, .. } => returns_early(body, false) || returns_early(continuing, false),
            _ => false,
        }
    })
}
