//! Random WGSL programs whose result is exact, so that all devices must agree on every bit.
//!
//! A program is a function of a tape of choices. Choice 0 is the simplest, and an empty tape gives zeros: so when
//! proptest shortens the tape and lowers its numbers, the program gets smaller and stays well typed.

mod expression;
mod program;
mod rules;
mod statement;

pub use program::{INVOCATIONS, OUTPUTS, Program, expressions, program, wide_expressions};

use std::fmt;

/// The choices that make a program.
pub struct Tape<'a> {
    choices: &'a [u16],
    at: usize,
}

impl Tape<'_> {
    pub fn new(choices: &[u16]) -> Tape<'_> {
        Tape { choices, at: 0 }
    }

    /// A number below `n`; larger choices give larger numbers.
    pub fn below(&mut self, n: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        (choice as usize * n) >> 16
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Whether to do something that is done once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub fn ended(&self) -> bool {
        self.at >= self.choices.len()
    }
}

/// A scalar type; floats are multiples of a quarter below 2^20, which all their operations keep exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    U,
    I,
    B,
    F,
    /// i64 and u64: only in wide expressions.
    L,
    Q,
    /// f16, multiples of a quarter up to 512: only in wide expressions.
    H,
}

/// A scalar, or a vector of 2 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    pub elem: Elem,
    pub width: usize,
}

impl Ty {
    pub const fn new(elem: Elem, width: usize) -> Ty {
        Ty { elem, width }
    }

    /// A random type; of those that memory can hold if `host` says so.
    pub fn random(tape: &mut Tape, host: bool) -> Ty {
        let elem = *tape.pick(if host { &[Elem::U, Elem::I, Elem::F] } else { &[Elem::U, Elem::I, Elem::F, Elem::B] });
        Ty::new(elem, 1 + tape.below(4))
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elem = match self.elem {
            Elem::U => "u32",
            Elem::I => "i32",
            Elem::B => "bool",
            Elem::F => "f32",
            Elem::L => "i64",
            Elem::Q => "u64",
            Elem::H => "f16",
        };
        match self.width {
            1 => f.write_str(elem),
            n => write!(f, "vec{n}<{elem}>"),
        }
    }
}

/// Something with a value: a variable, or a path into one. `[#5]` in it is an index below 5 that is still open.
#[derive(Clone, Debug)]
pub struct Place {
    pub path: String,
    pub ty: Ty,
    /// Whether it can be assigned to.
    pub mutable: bool,
    /// Whether a pointer to it can be given to a function: a whole variable of the function's.
    pub pointer: bool,
}

/// A function of the program.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub result: Ty,
    pub args: Vec<Ty>,
    /// The type of the variable that the last argument points to.
    pub pointer: Option<Ty>,
}

/// What is being written, and what can be named there.
pub struct Writer<'a> {
    pub tape: Tape<'a>,
    pub text: String,
    pub places: Vec<Place>,
    pub functions: Vec<Function>,
    /// Whether types of 16 and 64 bits are there.
    pub wide: bool,
    /// Whether a struct variable `s` is there to be given to `touch`.
    pub structs: bool,
    depth: usize,
    names: usize,
    /// Inside how many loops.
    loops: usize,
    /// The result of the function being written; `None` in `main`, which must not return before a barrier.
    result: Option<Ty>,
}

impl<'a> Writer<'a> {
    pub fn new(choices: &'a [u16]) -> Writer<'a> {
        Writer {
            tape: Tape::new(choices),
            text: String::new(),
            places: vec![],
            functions: vec![],
            wide: false,
            structs: false,
            depth: 0,
            names: 0,
            loops: 0,
            result: None,
        }
    }

    pub fn line(&mut self, text: impl fmt::Display) {
        self.text += &format!("{:indent$}{text}\n", "", indent = self.depth * 4);
    }

    /// A block: what is declared in it is forgotten after it.
    pub fn block(&mut self, head: impl fmt::Display, tail: &str, body: impl FnOnce(&mut Self)) {
        self.line(format_args!("{head} {{"));
        let known = self.places.len();
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.places.truncate(known);
        self.line(format_args!("}}{tail}"));
    }

    /// A name that nothing has.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
}
