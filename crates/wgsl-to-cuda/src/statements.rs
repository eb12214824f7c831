//! Statements.

use super::Written;
use super::flow::continues;
use super::functions::Body;
use naga::{Block, Expression, Function, Handle, Statement, SwitchCase, SwitchValue};
use std::collections::HashSet;

impl<'a> Body<'_, 'a> {
    pub(super) fn block(&mut self, block: &'a Block) -> Written<()> {
        for (statement, span) in block.span_iter() {
            let before = self.parted;
            let inside = self.flow.inside(statement, before);
            self.parted = inside;
            self.statement(statement).map_err(|refused| refused.at(*span))?;
            self.parted = self.flow.after(statement, before, inside);
        }
        Ok(())
    }

    fn indented(&mut self, block: &'a Block) -> Written<()> {
        let parted = self.parted;
        self.depth += 1;
        self.block(block)?;
        self.depth -= 1;
        self.parted = parted;
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement) -> Written<()> {
        match *statement {
            Statement::Emit(ref range) => range.clone().try_for_each(|handle| self.emit(handle))?,
            Statement::Block(ref block) => {
                self.line("{");
                self.indented(block)?;
                self.line("}");
            }
            Statement::If { condition, ref accept, ref reject } => self.branch(condition, accept, reject)?,
            Statement::Switch { selector, ref cases } => self.switch(selector, cases)?,
            Statement::Loop { ref body, ref continuing, break_if } => self.repeat(body, continuing, break_if)?,
            Statement::Break => self.line("break;"),
            Statement::Continue => match self.loops.last() {
                Some(Some(label)) => self.line(format!("goto {label};")),
                _ => self.line("continue;"),
            },
            Statement::Return { value: Some(value) } => {
                let value = self.bare(value)?;
                self.line(format_args!("return {value};"));
            }
            Statement::Return { value: None } => self.line("return;"),
            Statement::Store { pointer, value } => self.store(pointer, value)?,
            Statement::Call { function, ref arguments, result } => {
                self.called_with(function, arguments);
                let arguments: Written<Vec<_>> = arguments.iter().map(|&argument| self.bare(argument)).collect();
                let name = self.writer.names[&naga::proc::NameKey::Function(function)].clone();
                self.result(result, &format!("{name}({})", arguments?.join(", ")))?;
            }
            ref other => self.shared(other)?,
        }
        Ok(())
    }

    /// Notes what a function is called with, and from where.
    fn called_with(&mut self, function: Handle<Function>, arguments: &[Handle<Expression>]) {
        let differs: Vec<bool> = arguments.iter().map(|&argument| self.flow.differs(argument)).collect();
        let call = self.writer.calls.entry(function).or_insert_with(|| (vec![false; arguments.len()], false));
        call.0.iter_mut().zip(differs).for_each(|(all, one)| *all |= one);
        call.1 |= self.parted;
    }

    /// A value that a statement gives.
    pub(super) fn result(&mut self, result: Option<Handle<Expression>>, value: &str) -> Written<()> {
        match result.filter(|&result| self.info[result].ref_count > 0) {
            Some(result) => self.name(result, value),
            None => {
                self.line(format_args!("{value};"));
                Ok(())
            }
        }
    }

    /// Evaluates an expression, if it matters when that is done, or how often.
    fn emit(&mut self, handle: Handle<Expression>) -> Written<()> {
        let expression = &self.function.expressions[handle];
        let count = self.info[handle].ref_count;
        if count == 0 || self.is_pointer(handle) {
            return Ok(());
        }
        let wanted = self.picked.contains(&handle)
            || matches!(expression, Expression::CooperativeLoad { .. }) // it reads memory, as a load does
            || self.function.named_expressions.contains_key(&handle)
            || count >= expression.bake_ref_count();
        if wanted {
            let value = self.evaluated(handle).map_err(|refused| refused.at(self.span(handle)))?;
            self.name(handle, &value)?;
        }
        Ok(())
    }

    pub(super) fn span(&self, handle: Handle<Expression>) -> naga::Span {
        self.function.expressions.get_span(handle)
    }

    fn branch(&mut self, condition: Handle<Expression>, accept: &'a Block, reject: &'a Block) -> Written<()> {
        let text = self.bare(condition)?;
        let (first, second) = match accept.is_empty() {
            true => (reject, accept),
            false => (accept, reject),
        };
        match accept.is_empty() {
            true => self.line(format_args!("if (!({text})) {{")),
            false => self.line(format_args!("if ({text}) {{")),
        }
        self.indented(first)?;
        if !second.is_empty() {
            self.line("} else {");
            self.indented(second)?;
        }
        self.line("}");
        Ok(())
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase]) -> Written<()> {
        let text = self.bare(selector)?;
        self.line(format_args!("switch ({text}) {{"));
        for case in cases {
            let label = match case.value {
                SwitchValue::I32(value) => format!("case {}:", self.writer.literal(naga::Literal::I32(value))?),
                SwitchValue::U32(value) => format!("case {value}u:"),
                SwitchValue::Default => "default:".into(),
            };
            if case.fall_through && case.body.is_empty() {
                self.line(label);
                continue;
            }
            self.line(format_args!("{label} {{"));
            self.indented(&case.body)?;
            if !case.fall_through && !ends(&case.body) {
                self.line("    break;");
            }
            self.line("}");
        }
        self.line("}");
        Ok(())
    }

    fn repeat(&mut self, body: &'a Block, continuing: &'a Block, break_if: Option<Handle<Expression>>) -> Written<()> {
        let ending = !continuing.is_empty() || break_if.is_some();
        if ending && continues(body) {
            self.repeat_from_the_middle(body, continuing, break_if)?;
        } else {
            self.loops.push(None);
            self.line("while (true) {");
            self.indented(body)?;
            self.again(continuing, break_if)?;
            self.line("}");
            self.loops.pop();
        }
        Ok(())
    }

    /// What is done between two rounds of a loop.
    fn again(&mut self, continuing: &'a Block, break_if: Option<Handle<Expression>>) -> Written<()> {
        self.indented(continuing)?;
        if let Some(condition) = break_if {
            let condition = self.bare(condition)?;
            self.line(format_args!("    if ({condition}) {{"));
            self.line("        break;");
            self.line("    }");
        }
        Ok(())
    }

    /// A loop with a `continue`, which jumps to the statements between two rounds. What these need of the body is
    /// declared before it.
    fn repeat_from_the_middle(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Written<()> {
        let carried = self.carried(body, continuing, break_if)?;
        self.labels += 1;
        let label = format!("next{}", self.labels);
        self.line("while (true) {");
        self.depth += 1;
        for handle in carried {
            let (ty, name) = (self.ty(handle)?, self.fresh(handle));
            self.line(format_args!("{ty} {name};"));
            self.carried.insert(handle, name);
        }
        self.line("{");
        self.loops.push(Some(label.clone()));
        self.indented(body)?;
        self.loops.pop();
        self.line("}");
        self.depth -= 1;
        self.line(format_args!("{label}:;"));
        self.loops.push(None);
        self.again(continuing, break_if)?;
        self.loops.pop();
        self.line("}");
        Ok(())
    }

    /// The values of a loop's body that its end needs: both are written once to see.
    fn carried(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Written<Vec<Handle<Expression>>> {
        let before = (self.values.clone(), self.text.len(), self.labels, self.parted);
        let outer = self.needs.replace(HashSet::new());
        self.loops.push(None);
        self.block(body)?;
        self.needs = Some(HashSet::new());
        self.again(continuing, break_if)?;
        self.loops.pop();
        let needs = std::mem::replace(&mut self.needs, outer).unwrap_or_default();
        self.values = before.0;
        self.text.truncate(before.1);
        (self.labels, self.parted) = (before.2, before.3);
        let mut carried: Vec<_> = needs.into_iter().filter(|handle| !self.values.contains_key(handle)).collect();
        carried.retain(|handle| defined(body, *handle));
        carried.sort();
        if let Some(outer) = &mut self.needs {
            // An enclosing loop that is looked at needs what this one does.
            outer.extend(carried.iter().copied());
        }
        Ok(carried)
    }
}

/// Whether a block itself, not one inside it, evaluates an expression.
fn defined(block: &Block, handle: Handle<Expression>) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Emit(range) => range.clone().any(|of| of == handle),
        Statement::Call { result, .. } | Statement::Atomic { result, .. } => *result == Some(handle),
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. } => *result == handle,
        _ => false,
    })
}

/// Whether a block ends by going elsewhere.
fn ends(block: &Block) -> bool {
    matches!(block.last(), Some(Statement::Break | Statement::Continue | Statement::Return { .. }))
}
