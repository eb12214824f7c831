//! Properties of a formula's text that are needed before naga parses it: its names, its last statement, its parameters.

use crate::element::DType;
use crate::kernel::text::{in_name, words};
use std::ops::Range;

/// A mistake in a text, and where.
pub(super) type Mistake = (String, Range<usize>);

/// The names in a text without comments, and where they stand. Suffixes of numbers are not names, nor are the members
/// of a structure or the lanes of a vector.
pub(super) fn names(clean: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let is_name =
        |&(at, word): &(usize, &str)| !word.starts_with(|c: char| c.is_ascii_digit()) && !clean[..at].ends_with('.');
    words(clean).filter(is_name).map(|(at, word)| (at..at + word.len(), word))
}

/// The last statement of a text: `name = expression`, `name: type = expression`, or an expression.
#[derive(Debug, PartialEq)]
pub(super) struct Last {
    /// The name and where it stands.
    pub name: Option<Range<usize>>,
    /// The type and where it stands.
    pub ty: Option<Range<usize>>,
    pub expression: Range<usize>,
    /// Where the last statement begins. Other statements may stand before.
    pub start: usize,
}

/// Finds the last statement. Errors: brackets that do not match, an empty text.
pub(super) fn last(clean: &str) -> Result<Last, Mistake> {
    let mut open: Vec<(u8, usize)> = vec![];
    let mut bounds = vec![0];
    for (at, byte) in clean.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open.push((byte, at)),
            b')' | b']' | b'}' => {
                let fits = open
                    .pop()
                    .is_some_and(|(left, _)| matches!((left, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')));
                if !fits {
                    return Err((format!("no bracket is open for this {:?}", byte as char), at..at + 1));
                }
                if byte == b'}' && open.is_empty() {
                    bounds.push(at + 1);
                }
            }
            b';' if open.is_empty() => bounds.push(at + 1),
            _ => {}
        }
    }
    if let Some((byte, at)) = open.pop() {
        return Err((format!("this {:?} is not closed", byte as char), at..at + 1));
    }
    bounds.push(clean.len());
    let statement = bounds.windows(2).map(|pair| trimmed(clean, pair[0]..pair[1])).rfind(|range| !range.is_empty());
    match statement {
        Some(range) if !clean[range.clone()].ends_with('}') => Ok(split(clean, range)),
        _ => Err((
            "the text ends without a value: `name = expression`, or an expression".into(),
            trimmed(clean, 0..clean.len()),
        )),
    }
}

/// The range without blanks at its ends and without a semicolon.
fn trimmed(clean: &str, range: Range<usize>) -> Range<usize> {
    let text = &clean[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    let end = start + text.trim().trim_end_matches(';').trim_end().len();
    start..end
}

/// A statement's name, type and expression.
fn split(clean: &str, range: Range<usize>) -> Last {
    let text = &clean[range.clone()];
    let bare = Last { name: None, ty: None, expression: range.clone(), start: range.start };
    let Some((0, length)) = text.find(in_name).map(|at| (at, text.find(|c| !in_name(c)).unwrap_or(text.len()))) else {
        return bare;
    };
    let equals = text.match_indices('=').map(|(at, _)| at).find(|&at| {
        let before = text[..at].ends_with(['=', '!', '<', '>', '+', '-', '*', '/', '%', '&', '|', '^']);
        !before && !text[at + 1..].starts_with('=')
    });
    let Some(equals) = equals else { return bare };
    let head = text[length..equals].trim();
    let ty = head.strip_prefix(':').map(|ty| {
        let start = length + text[length..].find(':').expect("it was found") + 1;
        trimmed(clean, range.start + start..range.start + start + ty.len() + (text[start..equals].len() - ty.len()))
    });
    if !head.is_empty() && ty.is_none() {
        return bare;
    }
    let name = Some(range.start..range.start + length);
    Last { name, ty, expression: trimmed(clean, range.start + equals + 1..range.end), start: range.start }
}

/// The type of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Always this.
    Known(DType),
    /// The argument's type: one type for all parameters with this letter, or a type of this parameter alone.
    Open(String),
}

/// A parameter of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in the formula's text.
    pub name: String,
    /// Its type, known or open.
    pub kind: Kind,
    /// Where its name stands in the parameters' text.
    pub at: Range<usize>,
}

/// A type of that name.
pub(super) fn dtype(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|dtype| dtype.name() == name)
}

/// Whether a type's name stands for any: a capital letter.
fn is_letter(name: &str) -> bool {
    name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Reads `x: f32, y: T, z`.
pub(super) fn parameters(text: &str) -> Result<Vec<Parameter>, Mistake> {
    let mut found: Vec<Parameter> = vec![];
    let mut from = 0;
    for part in text.split(',') {
        let range = trimmed(text, from..from + part.len());
        from += part.len() + 1;
        if range.is_empty() {
            // A comma may follow the last parameter.
            if from > text.len() { break } else { return Err(("a parameter is missing".into(), range)) }
        }
        let (name, ty) =
            text[range.clone()].split_once(':').map_or((&text[range.clone()], None), |(n, t)| (n, Some(t)));
        let (name, ty) = (name.trim(), ty.map(str::trim));
        let at = range.start..range.start + name.len();
        if name.is_empty() || !name.chars().all(in_name) {
            return Err(("expected a name".into(), at));
        }
        let kind = match ty {
            None => Kind::Open(format!("the type of {name}")),
            Some(letter) if is_letter(letter) => Kind::Open(letter.into()),
            Some(ty) => Kind::Known(dtype(ty).ok_or_else(|| {
                let types = DType::ALL.map(DType::name).join(", ");
                (format!("no such type: one of {types}, or a capital letter for any"), range.end - ty.len()..range.end)
            })?),
        };
        if found.iter().any(|other| other.name == name) {
            return Err((format!("there are two parameters {name}"), at));
        }
        if ["i", "n"].contains(&name) {
            return Err((
                format!("{name} is the {}", if name == "i" { "index of the element" } else { "number of elements" }),
                at,
            ));
        }
        found.push(Parameter { name: name.into(), kind, at });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::text::without_comments;

    #[test]
    fn the_last_statement() {
        let parts = |text: &str| {
            let found = last(&without_comments(text)).map_err(|mistake| mistake.0)?;
            let part = |range: Option<Range<usize>>| range.map_or(String::new(), |range| text[range].to_string());
            Ok([part(found.name), part(found.ty), part(Some(found.expression)), text[..found.start].to_string()])
        };
        let ok = |text, wanted: [&str; 4]| assert_eq!(parts(text), Ok::<_, String>(wanted.map(String::from)), "{text}");
        ok("z = x + 1.0", ["z", "", "x + 1.0", ""]);
        ok(" z : f32 = x;  ", ["z", "f32", "x", " "]);
        ok("x == y", ["", "", "x == y", ""]);
        ok("x <= y", ["", "", "x <= y", ""]);
        ok("(x)", ["", "", "(x)", ""]);
        ok("let t = x; z = t * t // square; of it", ["z", "", "t * t", "let t = x; "]);
        ok("var t = x; if t > 0 { t = 1; } z = t", ["z", "", "t", "var t = x; if t > 0 { t = 1; } "]);
        ok("x /* = */ + y", ["", "", "x /* = */ + y", ""]);
        for text in ["", "  // nothing", "if x > 0 { y = 1; }"] {
            assert!(parts(text).unwrap_err().contains("without a value"), "{text}");
        }
        assert!(parts("x } fn f() {").unwrap_err().contains("no bracket is open"));
        assert!(parts("(x").unwrap_err().contains("not closed"));
    }

    #[test]
    fn parameters_and_names() {
        let open = |name: &str| Kind::Open(name.into());
        let kinds = |text| parameters(text).map(|all| all.into_iter().map(|one| one.kind).collect::<Vec<_>>());
        assert_eq!(kinds("x: f32, y: T, z,"), Ok(vec![Kind::Known(DType::F32), open("T"), open("the type of z")]));
        assert_eq!(kinds(""), Ok(vec![]));
        assert_eq!(parameters("x: f32, y: vec2").unwrap_err().1, 11..15);
        assert!(parameters("x, x").is_err() && parameters("i").is_err() && parameters("x,,y").is_err());
        let found: Vec<&str> = names("a.x + 2.5f * T(bc_1)").map(|(_, name)| name).collect();
        assert_eq!(found, ["a", "T", "bc_1"]);
    }
}
