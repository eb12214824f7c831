//! Random statements: assignments, all control flow, calls through pointers.

use super::{Elem, Place, Ty, Writer};

const U: Ty = Ty::new(Elem::U, 1);
const I: Ty = Ty::new(Elem::I, 1);
const B: Ty = Ty::new(Elem::B, 1);

/// Most levels of nested blocks.
const NESTING: usize = 4;

impl Writer<'_> {
    /// Up to `most` statements, with blocks inside.
    pub fn statements(&mut self, most: usize) {
        for _ in 0..1 + self.tape.below(most) {
            if self.tape.ended() {
                return;
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        let nested = self.depth < NESTING;
        match self.tape.below(20) {
            0..=4 => self.assign(),
            5 => self.increment(),
            6 | 7 => self.declare(),
            8 => self.through_pointer(),
            9 => self.call(),
            10 => self.component(),
            11 if self.structs => {
                let word = self.expression(U, 1);
                self.line(format_args!("s = touch(s, {word});"));
            }
            12 | 13 if nested => self.branch(),
            14 | 15 if nested => self.switch(),
            16..=18 if nested && self.loops < 2 => self.repeat(),
            19 => self.leave(),
            _ => self.assign(),
        }
    }

    /// Something to assign to; there is always one.
    fn target(&mut self, wanted: impl Fn(&Place) -> bool) -> Option<Place> {
        let targets: Vec<_> = self.places.iter().filter(|place| place.mutable && wanted(place)).cloned().collect();
        if targets.is_empty() {
            return None;
        }
        let mut target = self.tape.pick(&targets).clone();
        target.path = self.fill(target.path);
        Some(target)
    }

    /// A value that a place may hold: floats come back into their range.
    pub fn value(&mut self, ty: Ty, depth: usize) -> String {
        let value = self.expression(ty, depth);
        if ty.elem == Elem::F { format!("n{}({value})", ty.width) } else { value }
    }

    fn assign(&mut self) {
        let Some(target) = self.target(|_| true) else { return };
        let value = self.value(target.ty, 3);
        let operators: &[&str] = match target.ty.elem {
            Elem::U | Elem::I => &["", "", "", "+", "-", "*", "/", "%", "&", "|", "^"],
            _ => &[""],
        };
        let operator = self.tape.pick(operators);
        self.line(format_args!("{} {operator}= {value};", target.path));
    }

    fn increment(&mut self) {
        let Some(target) = self.target(|place| place.ty == U || place.ty == I) else { return };
        let operator = *self.tape.pick(&["++", "--"]);
        self.line(format_args!("{}{operator};", target.path));
    }

    fn declare(&mut self) {
        let ty = Ty::random(&mut self.tape, false);
        let value = self.value(ty, 3);
        let mutable = self.tape.once_in(2);
        let path = self.name(if mutable { "v" } else { "c" });
        let word = if mutable { "var" } else { "let" };
        self.line(format_args!("{word} {path}: {ty} = {value};"));
        self.places.push(Place { path, ty, mutable, pointer: mutable });
    }

    fn through_pointer(&mut self) {
        let Some(target) = self.target(|place| place.mutable && place.ty.elem != Elem::B) else { return };
        let pointer = self.name("p");
        self.line(format_args!("let {pointer} = &{};", target.path));
        let value = self.value(target.ty, 2);
        self.line(format_args!("*{pointer} = {value} + *{pointer};"));
        if target.ty.elem == Elem::F {
            self.line(format_args!("*{pointer} = n{}(*{pointer});", target.ty.width));
        }
    }

    /// Calls a function that writes through a pointer to a variable.
    fn call(&mut self) {
        let functions: Vec<_> = self.functions.iter().filter(|f| f.pointer.is_some()).cloned().collect();
        if functions.is_empty() {
            return self.assign();
        }
        let function = self.tape.pick(&functions).clone();
        let Some(target) = self.target(|place| place.pointer && Some(place.ty) == function.pointer) else { return };
        let mut args: Vec<_> = function.args.iter().map(|&arg| self.expression(arg, 2)).collect();
        args.push(format!("&{}", target.path));
        let (result, value) = (self.name("c"), format!("{}({})", function.name, args.join(", ")));
        self.line(format_args!("let {result} = {value};"));
        self.places.push(Place { path: result, ty: function.result, mutable: false, pointer: false });
    }

    /// Assigns to one component of a vector.
    fn component(&mut self) {
        let Some(target) = self.target(|place| place.ty.width > 1) else { return };
        let value = self.value(Ty::new(target.ty.elem, 1), 2);
        let at = match self.tape.once_in(2) {
            true => format!("[{} % {}u]", self.expression(U, 1), target.ty.width),
            false => format!(".{}", *self.tape.pick(&["x", "y", "z", "w"][..target.ty.width])),
        };
        self.line(format_args!("{}{at} = {value};", target.path));
    }

    fn branch(&mut self) {
        let condition = self.expression(B, 3);
        let ends = self.tape.below(3);
        self.block(format_args!("if {condition}"), "", |w| w.statements(3));
        if ends > 0 {
            let head = match ends {
                1 => "else".to_string(),
                _ => format!("else if {}", self.expression(B, 2)),
            };
            self.block(head, "", |w| w.statements(3));
        }
    }

    fn switch(&mut self) {
        let (selector, suffix) = match self.tape.once_in(2) {
            true => (format!("{} % 5", self.expression(I, 2)), ""),
            false => (format!("{} % 5u", self.expression(U, 2)), "u"),
        };
        let cases = 1 + self.tape.below(4);
        let default = self.tape.below(cases + 1);
        self.block(format_args!("switch {selector}"), "", |w| {
            for case in 0..=cases {
                let head = match case {
                    _ if case == default && w.tape.once_in(3) => format!("case {}{suffix}, default", case + 7),
                    _ if case == default => "default".into(),
                    _ if w.tape.once_in(3) => format!("case {case}{suffix}, {}{suffix}", case + 17),
                    _ => format!("case {case}{suffix}"),
                };
                w.block(format_args!("{head}:"), "", |w| {
                    w.statements(2);
                    if w.tape.once_in(4) {
                        let condition = w.expression(B, 1);
                        w.block(format_args!("if {condition}"), "", |w| w.line("break;"));
                        w.assign();
                    }
                });
            }
        });
    }

    /// A loop of any form, of at most six turns.
    fn repeat(&mut self) {
        let counter = self.name("t");
        let bound = match self.tape.once_in(2) {
            true => format!("{} % 6u", self.expression(U, 2)),
            false => format!("{}u", 1 + self.tape.below(4)),
        };
        self.loops += 1;
        let (result, known) = (self.result, self.places.len());
        match self.tape.below(3) {
            0 => {
                self.block(format_args!("for (var {counter} = 0u; {counter} < {bound}; {counter}++)"), "", |w| {
                    w.turn(&counter, "continue;")
                });
            }
            1 => {
                self.line(format_args!("var {counter} = {bound};"));
                self.block(format_args!("while {counter} > 0u"), "", |w| {
                    w.line(format_args!("{counter}--;"));
                    w.turn(&counter, "continue;");
                });
            }
            _ => {
                self.line(format_args!("var {counter} = 0u;"));
                self.block("loop", "", |w| {
                    w.turn(&counter, "continue;");
                    w.block("continuing", "", |w| {
                        // What the body declares may be jumped over: not known here.
                        w.places.truncate(known);
                        w.line(format_args!("{counter}++;"));
                        w.assign();
                        w.line(format_args!("break if {counter} > {bound};"));
                    });
                });
            }
        }
        self.loops -= 1;
        self.result = result;
    }

    /// The body of a loop, perhaps left or gone on with early.
    fn turn(&mut self, counter: &str, next: &str) {
        self.places.push(Place { path: counter.into(), ty: U, mutable: false, pointer: false });
        self.statements(3);
        for leave in [next, "break;"] {
            if self.tape.once_in(3) {
                let condition = self.expression(B, 2);
                self.block(format_args!("if {condition}"), "", |w| w.line(leave));
                self.statements(2);
            }
        }
    }

    /// Returns, where a function may.
    fn leave(&mut self) {
        let Some(result) = self.result else { return self.assign() };
        let condition = self.expression(B, 2);
        self.block(format_args!("if {condition}"), "", |w| {
            let value = w.value(result, 2);
            w.line(format_args!("return {value};"));
        });
    }
}
