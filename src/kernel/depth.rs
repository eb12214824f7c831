//! How deep a text nests: naga and the engines call themselves for what stands inside something else, and the stack of a
//! thread ends. What is too deep is refused before it is parsed; what is deep has a stack of its own.

use super::text::without_comments;
use naga::{Function, Module, Statement, TypeInner};

/// Operators and brackets at most that are applied to the value of one another: `a + b + c` are two.
const MOST_OPERATORS: usize = 1000;
/// Statements inside one another at most; each `else if` stands inside the one before it.
const MOST_BLOCKS: usize = 250;
/// Declarations of a text at most, each of which may need the one before it.
const MOST_DECLARATIONS: usize = 1 << 14;
/// Functions that call one another at most.
const MOST_CALLS: usize = 250;
/// Expressions and statements at most, were all calls written out, as drivers' compilers do: twenty functions that each call the
/// next one twice are a million.
const MOST_WRITTEN_OUT: usize = 1 << 18;
/// Types inside one another at most.
const MOST_TYPES: usize = 250;

/// A text no deeper than this is parsed where it is: measured frames of naga are 20 KiB in a build without optimisation.
const SHALLOW: usize = 50;
/// Bytes of a stack for all that is not refused. Only what is used is ever made.
const STACK: usize = 128 << 20;

/// What a text has at most, at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Depth {
    operators: usize,
    blocks: usize,
    declarations: usize,
}

/// What is open at a place: a bracket.
#[derive(Default)]
struct Level {
    bracket: u8,
    operators: usize,
    /// How many `else` follow one another.
    chained: usize,
}

impl Depth {
    /// The deepest there is.
    pub const MOST: Depth = Depth { operators: MOST_OPERATORS, blocks: MOST_BLOCKS, declarations: MOST_DECLARATIONS };

    /// How deep a text is. Operators are counted from what separates values; a template's brackets count as two.
    ///
    /// Errors: deeper than anything is parsed.
    pub fn of(source: &str) -> Result<Depth, String> {
        let code = without_comments(source);
        let mut scan = Scan { open: vec![Level::default()], now: Depth::default(), most: Depth::default() };
        let mut bytes = code.bytes().enumerate().peekable();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'(' | b'[' | b'{' => scan.open(byte),
                b')' | b']' | b'}' => scan.close(byte, &code[at + 1..]),
                b',' | b';' => scan.part(byte),
                b'.' if bytes.peek().is_none_or(|(_, next)| !next.is_ascii_alphabetic()) => {}
                b'.' => scan.operator(),
                _ if is_operator(byte) => {
                    scan.operator();
                    while bytes.next_if(|(_, next)| is_operator(*next)).is_some() {}
                }
                _ => continue,
            }
            scan.check(|| 1 + code[..at].matches('\n').count())?;
        }
        Ok(scan.most)
    }

    /// Runs what goes through a text of this depth: on a stack of its own where this thread's may not do.
    pub fn run<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        match self.operators.max(self.blocks) > SHALLOW || self.declarations > 4 * SHALLOW {
            true => on_large_stack(work),
            false => work(),
        }
    }
}

/// A text as it is read.
struct Scan {
    open: Vec<Level>,
    now: Depth,
    most: Depth,
}

impl Scan {
    fn last(&mut self) -> &mut Level {
        self.open.last_mut().expect("the text itself")
    }

    fn operator(&mut self) {
        self.last().operators += 1;
        self.now.operators += 1;
    }

    fn open(&mut self, bracket: u8) {
        match bracket {
            b'{' => self.now.blocks += 1,
            _ => self.operator(),
        }
        self.open.push(Level { bracket, ..Level::default() });
    }

    /// After a block comes a statement of its own, or another `else`.
    fn close(&mut self, bracket: u8, rest: &str) {
        if self.open.len() > 1
            && let Some(closed) = self.open.pop()
        {
            self.now.operators -= closed.operators;
            self.now.blocks -= closed.chained + (closed.bracket == b'{') as usize;
        }
        if bracket != b'}' {
            return;
        }
        self.part(bracket);
        let word = rest.trim_start().strip_prefix("else");
        let chained = word.is_some_and(|rest| !rest.starts_with(super::text::in_name));
        let level = self.last();
        let before = level.chained;
        level.chained = if chained { before + 1 } else { 0 };
        match chained {
            true => self.now.blocks += 1,
            false => self.now.blocks -= before,
        }
    }

    /// A value, a statement or a declaration ends: what follows is not applied to it.
    fn part(&mut self, by: u8) {
        self.now.operators -= std::mem::take(&mut self.last().operators);
        self.now.declarations += (self.open.len() == 1 && by != b',') as usize;
    }

    /// Takes note of the most so far; an error if that is too much.
    fn check(&mut self, line: impl Fn() -> usize) -> Result<(), String> {
        let (now, most) = (self.now, &mut self.most);
        most.operators = most.operators.max(now.operators);
        most.blocks = most.blocks.max(now.blocks);
        most.declarations = now.declarations;
        let limits = [
            (most.operators, MOST_OPERATORS, "operators applied to one another", "split it: let a = ..;"),
            (most.blocks, MOST_BLOCKS, "statements inside one another", "take a switch, or functions"),
            (most.declarations, MOST_DECLARATIONS, "declarations", "take arrays"),
        ];
        match limits.iter().find(|(got, wanted, ..)| got >= wanted) {
            None => Ok(()),
            Some((_, wanted, what, help)) => Err(format!(
                "error: wanted fewer than {wanted} {what}, got more\n  ┌─ wgsl:{}:1\n  = note: {help}",
                line()
            )),
        }
    }
}

fn is_operator(byte: u8) -> bool {
    matches!(byte, b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>' | b'=' | b'!' | b'~')
}

/// Runs work that calls itself deeply, on a thread with a stack for it; here, if the system has no thread to give.
pub(crate) fn on_large_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
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
    let mut lengths = vec![0usize; module.functions.len()];
    for (handle, function) in module.functions.iter() {
        lengths[handle.index()] = written_out(function, &lengths);
    }
    let longest = module.entry_points.iter().map(|entry| written_out(&entry.function, &lengths)).max().unwrap_or(0);
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

    fn of(code: &str) -> [usize; 3] {
        let Depth { operators, blocks, declarations } = Depth::of(code).unwrap();
        [operators, blocks, declarations]
    }

    #[test]
    fn texts_are_as_deep_as_they_are() {
        assert_eq!(of(""), [0, 0, 0]);
        assert_eq!(of("const a = 1.5 + 2.0;"), [2, 0, 1], "the = and the +");
        assert_eq!(of("fn f() { x = a.b; } /* ((({{{ */ fn g() {}"), [3, 1, 2], "the first bracket too");
        assert_eq!(of("fn f() { if a { b(c, -d, (e)); } }"), [3, 2, 1]);
        let chained = |count: usize| format!("fn f() {{ {} }}", "if a { } else ".repeat(count) + "{ }");
        assert_eq!(of(&chained(9)), [1, 11, 1]);
        assert_eq!(of("fn f() { if a { } else { } if a { } else { } elsewhere(); }")[1], 3);
        assert_eq!(of(")))]]}}} a + b"), [1, 0, 3], "whatever closes nothing");
    }

    #[test]
    fn what_is_too_deep_is_refused_by_its_line() {
        let sum = |count: usize| format!("fn f() {{\n let x = {}1;\n}}", "1 + ".repeat(count));
        assert!(Depth::of(&sum(900)).is_ok());
        let told = Depth::of(&sum(1100)).unwrap_err();
        assert!(told.contains("wanted fewer than 1000 operators") && told.contains("wgsl:2:1"), "{told}");
        for (deep, part) in [
            ("(".repeat(5000), "operators"),
            ("x[0]".to_string() + &"[0]".repeat(5000), "operators"),
            ("{".repeat(5000), "statements"),
            ("fn f() { ".to_string() + &"if a { } else ".repeat(5000), "statements"),
            ("const a = 1;".repeat(20_000), "declarations"),
        ] {
            assert!(Depth::of(&deep).unwrap_err().contains(part), "{part}");
        }
        // Neighbours are as many as anyone likes.
        assert_eq!(of(&format!("const a = array({});", "-1, ".repeat(50_000)))[0], 3);
    }

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
