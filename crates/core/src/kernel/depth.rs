//! How deep a text nests: naga and the engines call themselves for what stands inside something else, and the stack of a
//! thread ends. What is too deep is refused before it is parsed; what is deep has a stack of its own.

mod scan;

use naga::front::wgsl::ParseError;
use naga::{Function, Module, Statement, TypeInner};

/// Operators and brackets at most that are applied to the value of one another: `a + b + c` are two.
const MOST_OPERATORS: usize = 1000;
/// Statements inside one another at most; each `else if` stands inside the one before it.
const MOST_BLOCKS: usize = 250;
/// Declarations of a text at most, each of which may need the one before it.
const MOST_DECLARATIONS: usize = 1 << 14;
/// Clauses of switches in a text at most: naga's time grows with their square, and was 37 s for 60,000.
const MOST_CLAUSES: usize = 1 << 14;
/// Functions that call one another at most.
const MOST_CALLS: usize = 250;
/// Expressions and statements at most, were all calls written out, as drivers' compilers do: twenty functions that each call the
/// next one twice are a million.
const MOST_WRITTEN_OUT: usize = 1 << 18;
/// Types inside one another at most.
const MOST_TYPES: usize = 250;

/// A text no deeper than this is parsed where it is: measured frames of naga are 20 KiB in a build without optimisation, and threads
/// of 1 MiB are common.
const SHALLOW: usize = 12;
/// The same for declarations, whose frames are small.
const FEW_DECLARATIONS: usize = 200;
/// Expressions and statements, all calls written out, each of which may need the one before it. Of llvmpipe through OpenGL 990 `let`, each
/// made of the one before it, did not end a stack of 1 MiB, and 3,000 did; a `let` is two.
const SHORT: usize = 1000;
/// Bytes of a stack for all that is not refused. Only what is used is ever made.
const STACK: usize = 128 << 20;

/// What a text has at most, at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    operators: usize,
    blocks: usize,
    declarations: usize,
}

impl Depth {
    /// The deepest there is.
    pub const MOST: Depth = Depth { operators: MOST_OPERATORS, blocks: MOST_BLOCKS, declarations: MOST_DECLARATIONS };

    /// How deep a text is.
    ///
    /// Errors: deeper than anything is parsed.
    pub fn of(source: &str) -> Result<Depth, String> {
        scan::depth(source)
    }

    /// Runs what goes through a text of this depth, or through what was made of it: on a stack of its own where this thread's may not do.
    pub fn run<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        match self.operators.max(self.blocks) > SHALLOW || self.declarations > FEW_DECLARATIONS {
            true => on_large_stack(work),
            false => work(),
        }
    }
}

/// Runs work that calls itself deeply, on a thread with a stack for it; here, if the system has no thread to give.
pub fn on_large_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let mut work = Some(work);
    let mut result = None;
    let (take, give) = (&mut work, &mut result);
    let run = move || *give = take.take().map(|work| work());
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("crosslane parse".into()).stack_size(STACK);
        thread.spawn_scoped(scope, run).map(|thread| thread.join())
    });
    if let Ok(Err(panic)) = done {
        std::panic::resume_unwind(panic);
    }
    match (result, work) {
        (Some(result), _) => result,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("what was taken has given its result or panicked"),
    }
}

/// The line and the column at which a text nests deepest.
pub fn deepest(source: &str) -> (usize, usize) {
    scan::deepest(source)
}

/// The limit of naga's own parser in our words, if that is what it says.
pub fn parser_limit(error: &ParseError) -> Option<&'static str> {
    // The error tells it in a note only.
    let told = error.labels().next().is_none() && error.emit_to_string("").contains("Parser recursion limit exceeded");
    told.then_some("wanted at most 200 brackets and statements inside one another, got more: split it by let a = ..;")
}

/// Whether a module is so long that a compiler which follows each value to those it is made of needs a large stack.
pub(super) fn is_long(module: &Module) -> bool {
    longest(module) > SHORT
}

/// Refuses a module whose functions call one another, or whose types hold one another, deeper than engines follow.
pub(super) fn check(module: &Module) -> Result<(), String> {
    let refused =
        |what: &str, wanted: usize, got: usize| Err(format!("error: wanted at most {wanted} {what}, got {got}"));
    // Each comes after those that it needs.
    let mut calls = vec![0usize; module.functions.len()];
    for (handle, function) in module.functions.iter() {
        calls[handle.index()] = depth(function, &calls);
    }
    let entries = module.entry_points.iter().map(|entry| depth(&entry.function, &calls));
    let deepest = entries.chain(calls.iter().copied()).max().unwrap_or(0);
    if deepest > MOST_CALLS {
        return refused("functions that call one another", MOST_CALLS, deepest);
    }
    let longest = longest(module);
    if longest > MOST_WRITTEN_OUT {
        return refused("expressions and statements with all calls written out", MOST_WRITTEN_OUT, longest);
    }
    let mut types = vec![0usize; module.types.len()];
    for (handle, ty) in module.types.iter() {
        let inside = match &ty.inner {
            TypeInner::Array { base, .. } | TypeInner::Pointer { base, .. } => types[base.index()],
            TypeInner::Struct { members, .. } => {
                members.iter().map(|member| types[member.ty.index()]).max().unwrap_or(0)
            }
            _ => 0,
        };
        types[handle.index()] = inside + 1;
    }
    let deepest = types.iter().copied().max().unwrap_or(0);
    if deepest > MOST_TYPES {
        return refused("types inside one another", MOST_TYPES, deepest);
    }
    Ok(())
}

/// Expressions and statements of the longest entry point, all calls written out.
fn longest(module: &Module) -> usize {
    // Each comes after those that it needs.
    let mut lengths = vec![0usize; module.functions.len()];
    for (handle, function) in module.functions.iter() {
        lengths[handle.index()] = written_out(function, &lengths);
    }
    module.entry_points.iter().map(|entry| written_out(&entry.function, &lengths)).max().unwrap_or(0)
}

/// Functions below a function, itself included.
fn depth(function: &Function, calls: &[usize]) -> usize {
    let mut deepest = 0;
    super::blocks::each(&function.body, &mut |_, statement| {
        if let Statement::Call { function, .. } = statement {
            deepest = deepest.max(calls[function.index()]);
        }
    });
    deepest + 1
}

/// Expressions and statements of a function and of all that it calls, each time.
fn written_out(function: &Function, lengths: &[usize]) -> usize {
    let mut length = function.expressions.len();
    super::blocks::each(&function.body, &mut |_, statement| {
        let called = match statement {
            Statement::Call { function, .. } => lengths[function.index()],
            _ => 0,
        };
        length = length.saturating_add(called).saturating_add(1);
    });
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_a_large_stack_gives_its_result_or_its_panic() {
        fn deep(left: usize) -> usize {
            let room = std::hint::black_box([left; 128]);
            if left == 0 { 0 } else { 1 + deep(room[7] - 1) }
        }
        assert_eq!(on_large_stack(|| deep(50_000)), 50_000);
        let panic = std::panic::catch_unwind(|| on_large_stack(|| std::panic::resume_unwind(Box::new("on purpose"))));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"on purpose"));
    }
}
