//! Which `<` and `>` of a text are brackets of a template, by the standard's section on template lists.

use super::text::{in_name, is_blank};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bracket {
    Opens,
    Closes,
}

/// The brackets of templates by where they stand, in a text without comments.
pub(super) fn brackets(code: &str) -> HashMap<usize, Bracket> {
    let bytes = code.as_bytes();
    let is_at = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    // Each `<` that may be one, with the brackets around it.
    let (mut pending, mut found): (Vec<(usize, usize)>, _) = (vec![], HashMap::new());
    let (mut around, mut at) = (0usize, 0);
    while let Some(c) = code[at..].chars().next() {
        let begin = at;
        at += c.len_utf8();
        match c {
            _ if in_name(c) => {
                let rest = code[begin..].trim_start_matches(in_name).trim_start_matches(is_blank);
                at = code.len() - rest.len();
                if !c.is_ascii_digit() && rest.starts_with('<') {
                    match rest.as_bytes().get(1) {
                        Some(b'<' | b'=') => at += 1,
                        _ => pending.push((at, around)),
                    }
                    at += 1;
                }
            }
            '>' => match pending.last() {
                Some(&(open, level)) if level == around => {
                    pending.pop();
                    found.extend([(open, Bracket::Opens), (begin, Bracket::Closes)]);
                }
                _ => at += is_at(at, b'=') as usize,
            },
            '(' | '[' => around += 1,
            ')' | ']' => {
                leave(&mut pending, around);
                around = around.saturating_sub(1);
            }
            '!' => at += is_at(at, b'=') as usize,
            '=' if is_at(at, b'=') => at += 1,
            ';' | '{' | ':' | '=' => {
                pending.clear();
                around = 0;
            }
            '&' | '|' if is_at(at, c as u8) => {
                leave(&mut pending, around);
                at += 1;
            }
            _ => {}
        }
    }
    found
}

/// Nothing that began inside these brackets is a template.
fn leave(pending: &mut Vec<(usize, usize)>, around: usize) {
    while pending.last().is_some_and(|(_, level)| *level >= around) {
        pending.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str) -> String {
        let found = brackets(code);
        code.char_indices().filter(|(at, _)| found.contains_key(at)).map(|(_, c)| c).collect()
    }

    #[test]
    fn templates_are_told_from_comparisons() {
        assert_eq!(of("let x = a < b;"), "");
        assert_eq!(of("var x: array<array<u32, 4>, 1 << 2>;"), "<<>>");
        assert_eq!(of("f(a < b, c > d)"), "<>", "as the standard reads it");
        assert_eq!(of("f((a < b), c > (d))"), "");
        assert_eq!(of("if a < b && c > d {}"), "");
        assert_eq!(of("x >>= a<b>>1;"), "<>");
        assert_eq!(of("a <= b; vec2 < f32 > (1.0)"), "<>");
        assert_eq!(of("array<vec4<f32>>=b"), "<<>>");
    }
}
