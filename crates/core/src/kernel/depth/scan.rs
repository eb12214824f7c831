//! How deep a text nests, read from its tokens alone: nothing here calls itself.

use super::{Depth, MOST_BLOCKS, MOST_CLAUSES, MOST_DECLARATIONS, MOST_OPERATORS};
use crate::kernel::templates::{self, Bracket};
use crate::kernel::text::{in_name, is_blank, position, without_comments, words};

/// Operators of several characters. Others are of one: `~~x` has two.
const LONG: [&str; 21] = [
    "<<=", ">>=", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=",
];

/// What is open at a place: a bracket.
#[derive(Default)]
struct Level {
    bracket: u8,
    operators: usize,
    /// How many `else` follow one another.
    chained: usize,
}

/// A text as it is read.
struct Scan {
    open: Vec<Level>,
    now: Depth,
    most: Depth,
    /// Operators and statements that are open where most are, and the first such place.
    deepest: (usize, usize),
}

/// How deep a text is. Operators are counted from what separates values; a template's bracket counts as one.
///
/// Errors: deeper than anything is parsed.
pub(super) fn depth(source: &str) -> Result<Depth, String> {
    let code = without_comments(source);
    let most = read(&code)?.most;
    match words(&code).filter(|(_, word)| *word == "case").nth(MOST_CLAUSES) {
        None => Ok(most),
        Some((at, _)) => Err(refused(MOST_CLAUSES, "clauses", "take an array", position(&code, at))),
    }
}

/// A text that has too much of something, where it has.
fn refused(most: usize, what: &str, help: &str, (line, column): (usize, usize)) -> String {
    format!("error: wanted fewer than {most} {what}, got more\n  ┌─ wgsl:{line}:{column}\n  = note: {help}")
}

/// The line and the column at which a text nests deepest; of a text that is deeper than anything is parsed, its beginning.
pub(super) fn deepest(source: &str) -> (usize, usize) {
    let code = without_comments(source);
    position(&code, read(&code).map_or(0, |scan| scan.deepest.1))
}

fn read(code: &str) -> Result<Scan, String> {
    let brackets = templates::brackets(code);
    let start = Depth::default();
    let mut scan = Scan { open: vec![Level::default()], now: start, most: start, deepest: (0, 0) };
    let (bytes, mut at) = (code.as_bytes(), 0);
    while let Some(&byte) = bytes.get(at) {
        let (begin, rest) = (at, &code[at..]);
        at += rest.chars().next().map_or(1, char::len_utf8);
        match byte {
            b'<' | b'>' if brackets.contains_key(&begin) => match brackets[&begin] {
                Bracket::Opens => scan.open(byte),
                Bracket::Closes => scan.close(byte, &code[at..]),
            },
            b'(' | b'[' | b'{' => scan.open(byte),
            b')' | b']' | b'}' => scan.close(byte, &code[at..]),
            b',' | b';' => scan.part(byte),
            b'.' if of_number(&code[..begin], bytes.get(at)) => continue,
            b'.' => scan.operator(),
            _ if is_operator(byte) => {
                at = begin + LONG.iter().find(|long| rest.starts_with(**long)).map_or(1, |long| long.len());
                scan.operator();
            }
            _ => continue,
        }
        scan.check(begin).map_err(|(most, what, help)| refused(most, what, help, position(code, begin)))?;
    }
    Ok(scan)
}

/// Whether a point belongs to a number: a digit follows, or a number stands before it.
fn of_number(before: &str, next: Option<&u8>) -> bool {
    // All that is not ASCII may be of a name.
    let word = before.trim_end_matches(|c| in_name(c) || !c.is_ascii()).len();
    next.is_some_and(u8::is_ascii_digit) || before[word..].starts_with(|c: char| c.is_ascii_digit())
}

fn is_operator(byte: u8) -> bool {
    matches!(byte, b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>' | b'=' | b'!' | b'~')
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
        let word = rest.trim_start_matches(is_blank).strip_prefix("else");
        let chained = word.is_some_and(|rest| !rest.starts_with(in_name));
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

    /// Takes note of the most so far; if that is too much, an error: how much there may be of what, and the remedy.
    fn check(&mut self, at: usize) -> Result<(), (usize, &'static str, &'static str)> {
        let (now, most) = (self.now, &mut self.most);
        if now.operators + now.blocks > self.deepest.0 {
            self.deepest = (now.operators + now.blocks, at);
        }
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
            Some(&(_, wanted, what, help)) => Err((wanted, what, help)),
        }
    }
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
        assert_eq!(of("let a = ~~!-b && c >= d;"), [7, 0, 1]);
        assert_eq!(of("let a = b.c + 1. + .5 + v1.x;"), [6, 0, 1]);
        assert_eq!(of("var a: array<ptr<function, vec2<u32>>, 4>;"), [3, 0, 1]);
        assert_eq!(of("a = f(b < c, d < e, g < h);"), [3, 0, 1]);
    }

    #[test]
    fn what_is_too_deep_is_refused_by_its_line() {
        let sum = |count: usize| format!("fn f() {{\n let x = {}1;\n}}", "1 + ".repeat(count));
        assert!(Depth::of(&sum(900)).is_ok());
        let told = Depth::of(&sum(1100)).unwrap_err();
        assert!(told.contains("wanted fewer than 1000 operators") && told.contains("wgsl:2:4"), "{told}");
        for (deep, part) in [
            ("(".repeat(5000), "operators"),
            ("x[0]".to_string() + &"[0]".repeat(5000), "operators"),
            ("{".repeat(5000), "statements"),
            ("fn f() { ".to_string() + &"if a { } else ".repeat(5000), "statements"),
            ("const a = 1;".repeat(20_000), "declarations"),
            ("fn f() { switch 1 { ".to_string() + &"case 1: {} ".repeat(20_000), "clauses"),
        ] {
            assert!(Depth::of(&deep).unwrap_err().contains(part), "{part}");
        }
        for deep in [
            "let a = ".to_string() + &"~".repeat(1100),
            "let a = ".to_string() + &"!-".repeat(600),
            "let a = b".to_string() + &"\n. c".repeat(1100),
            "let a = b1".to_string() + &"._é1".repeat(1100),
            "var a: ".to_string() + &"ptr<function, ".repeat(1100) + &">".repeat(1100),
            "// \r let a = ".to_string() + &"(".repeat(1100),
            "/* /* */ */ let a = ".to_string() + &"(".repeat(1100),
            "fn f() { ".to_string() + &"if a { }\u{200e}else ".repeat(300),
        ] {
            assert!(Depth::of(&deep).is_err(), "{deep:.60}");
        }
        // Neighbours are as many as anyone likes.
        assert_eq!(of(&format!("const a = array({});", "-1, ".repeat(50_000)))[0], 3);
    }
}
