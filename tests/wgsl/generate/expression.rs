//! Random expressions of a given type.

use super::rules::{RULES, WIDE_RULES};
use super::{Elem, Tape, Ty, Writer};

/// Whether a rule's result pattern fits a type.
fn fits(pattern: &str, ty: Ty) -> bool {
    let (elem, width) = pattern.split_at(1);
    let elem = match elem {
        "X" => true,
        "M" => ty.elem != Elem::B,
        "N" => matches!(ty.elem, Elem::U | Elem::I),
        other => named(other) == Some(ty.elem),
    };
    let width = match width {
        "" => true,
        "v" => ty.width > 1,
        digit => digit.parse() == Ok(ty.width),
    };
    elem && width
}

fn named(letter: &str) -> Option<Elem> {
    match letter {
        "U" => Some(Elem::U),
        "I" => Some(Elem::I),
        "F" => Some(Elem::F),
        "B" => Some(Elem::B),
        "L" => Some(Elem::L),
        "Q" => Some(Elem::Q),
        "H" => Some(Elem::H),
        _ => None,
    }
}

/// The type of an argument.
fn argument(pattern: &str, result: Ty, number: Elem, vector: usize) -> Ty {
    let (elem, width) = pattern.split_at(1);
    let elem = match elem {
        "T" => result.elem,
        "O" => match result.elem {
            Elem::U => Elem::I,
            _ => Elem::U,
        },
        "K" => number,
        other => named(other).expect("rules name no other types"),
    };
    let width = match width {
        "" => result.width,
        "v" => vector,
        digit => digit.parse().expect("rules have no other widths"),
    };
    Ty::new(elem, width)
}

fn swizzle(tape: &mut Tape, from: usize, len: usize) -> String {
    let letters = *tape.pick(&["xyzw", "rgba"]);
    (0..len).map(|_| letters.as_bytes()[tape.below(from)] as char).collect()
}

impl Writer<'_> {
    /// An expression of a type, at most so deep.
    pub fn expression(&mut self, ty: Ty, depth: usize) -> String {
        let wide = if self.wide { WIDE_RULES } else { &[] };
        let rules: Vec<_> = RULES.iter().chain(wide).filter(|rule| fits(rule.0, ty)).collect();
        let functions: Vec<_> =
            self.functions.iter().filter(|f| f.result == ty && f.pointer.is_none()).cloned().collect();
        // A third of the choices are leaves.
        let leaves = (rules.len() + functions.len()) / 2;
        let choice = self.tape.below(leaves + rules.len() + functions.len());
        if depth == 0 || choice < leaves {
            return self.leaf(ty);
        }
        if let Some(function) = functions.get(choice - leaves) {
            let args: Vec<_> = function.args.iter().map(|&arg| self.expression(arg, depth - 1)).collect();
            return format!("{}({})", function.name, args.join(", "));
        }
        let (_, text, args) = rules[choice - leaves - functions.len()];
        let numbers = [Elem::U, Elem::I, Elem::F, Elem::L, Elem::Q, Elem::H];
        let number = *self.tape.pick(if self.wide { &numbers } else { &numbers[..3] });
        let vector = 2 + self.tape.below(3);
        let mut text = text.to_string();
        if text.contains("{S}") {
            text = text.replace("{S}", &swizzle(&mut self.tape, vector, ty.width));
        }
        let of = |elem| Ty::new(elem, ty.width).to_string();
        for (mark, with) in [
            ("{T}", ty.to_string()),
            ("{U}", of(Elem::U)),
            ("{I}", of(Elem::I)),
            ("{W}", ty.width.to_string()),
            ("{V}", vector.to_string()),
        ] {
            text = text.replace(mark, &with);
        }
        for (n, pattern) in args.split(' ').enumerate() {
            let arg = self.expression(argument(pattern, ty, number, vector), depth - 1);
            text = text.replace(&format!("{{{n}}}"), &arg);
        }
        text
    }

    /// A variable, or a word of the input.
    fn leaf(&mut self, ty: Ty) -> String {
        let places: Vec<_> = self.places.iter().filter(|place| place.ty == ty).map(|p| p.path.clone()).collect();
        let choice = self.tape.below(places.len() + 1);
        if let Some(path) = places.get(choice) {
            let path = path.clone();
            return self.fill(path);
        }
        let word = self.tape.below(64);
        let scalar = |n: usize| match ty.elem {
            Elem::U => format!("word({}u)", word + n),
            Elem::I => format!("bitcast<i32>(word({}u))", word + n),
            Elem::B => format!("(word({}u) % 2u == 1u)", word + n),
            Elem::F => format!("(f32(bitcast<i32>(word({}u)) % 64) * 0.25)", word + n),
            Elem::L => format!("bitcast<i64>(long({}u))", word + n),
            Elem::Q => format!("long({}u)", word + n),
            Elem::H => format!("(f16(bitcast<i32>(word({}u)) % 16) * 0.25h)", word + n),
        };
        match ty.width {
            1 => scalar(0),
            n => format!("{ty}({})", (0..n).map(scalar).collect::<Vec<_>>().join(", ")),
        }
    }

    /// A path with its open indices filled in, in bounds.
    pub fn fill(&mut self, mut path: String) -> String {
        while let Some(at) = path.find('#') {
            let end = at + path[at..].find(']').expect("an index ends");
            let bound: usize = path[at + 1..end].parse().expect("a bound is a number");
            let index = match self.tape.once_in(2) {
                true => format!("{} % {bound}u", self.expression(Ty::new(Elem::U, 1), 1)),
                false => self.tape.below(bound).to_string(),
            };
            path.replace_range(at..end, &index);
        }
        path
    }
}
