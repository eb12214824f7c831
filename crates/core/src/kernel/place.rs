//! Where a text is wrong, for errors of naga that do not say it: the first statement without which the error is not there.

use super::text::{is_blank, position, without_comments, words};
use std::ops::Range;

/// What stands before the line and the column.
pub(super) const PLACE: &str = "┌─ wgsl:";

/// Prefixes that are tried at most; each is parsed.
const MOST: usize = 64;

/// A place of a text at which it may be cut off, and the bodies that are open there.
struct Cut {
    at: usize,
    open: usize,
    /// The end of the function.
    function: usize,
}

/// The error with its place, if it has none.
pub(super) fn placed(message: String, source: &str, fails: impl Fn(&str) -> bool) -> String {
    if message.contains(PLACE) {
        return message;
    }
    let header = || named(&message, &without_comments(source));
    match find(source, &fails).or_else(header) {
        Some((row, column)) => {
            let shown = source.lines().nth(row - 1).unwrap_or_default();
            format!("{}\n  ┌─ wgsl:{row}:{column}\n  │\n{row} │ {shown}", message.trim_end())
        }
        None => message,
    }
}

/// The line and the column of the first statement with which a text fails.
fn find(source: &str, fails: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    let code = without_comments(source);
    let (cuts, bodies) = cuts(&code);
    let mut empty = code.clone().into_bytes();
    bodies.iter().for_each(|body| empty[body.clone()].fill(b' '));
    if fails(&String::from_utf8_lossy(&empty)) {
        return None; // no statement is at fault
    }
    // A text up to a place, without what other functions do after it.
    let fails_at = |cut: &Cut| {
        let mut rest = code.as_bytes()[cut.function..].to_vec();
        for body in bodies.iter().filter(|body| body.start >= cut.function) {
            rest[body.start - cut.function..body.end - cut.function].fill(b' ');
        }
        let rest = String::from_utf8_lossy(&rest);
        fails(&[&code[..cut.at], &"}".repeat(cut.open), &rest].concat())
    };
    let (mut low, mut high) = (0, cuts.len());
    for _ in 0..MOST {
        if low >= high {
            break;
        }
        let middle = (low + high) / 2;
        match fails_at(&cuts[middle]) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    let found = cuts.get(low).filter(|cut| fails_at(cut))?;
    let before = low.checked_sub(1).map_or(0, |before| cuts[before].at);
    // A body's first statement stands after its bracket, which is a place to cut as well.
    let statement = &code[before..found.at];
    let begin = found.at - statement.trim_start_matches(is_blank).len();
    Some(position(source, begin))
}

/// The place of the entry point that naga names.
fn named(message: &str, code: &str) -> Option<(usize, usize)> {
    let name = message.split("Entry point ").nth(1)?.split(' ').next()?;
    let is_it = |&(at, word): &(usize, &str)| word == name && code[..at].trim_end_matches(is_blank).ends_with("fn");
    words(code).find(is_it).map(|(at, _)| position(code, at))
}

/// The ends of statements in functions, and the functions' bodies without their brackets.
fn cuts(code: &str) -> (Vec<Cut>, Vec<Range<usize>>) {
    let (mut cuts, mut bodies) = (vec![], vec![]);
    let mut from = 0;
    while let Some((at, _)) = words(&code[from..]).find(|(_, word)| *word == "fn") {
        let Some(open) = code[from + at..].find('{').map(|open| from + at + open) else { break };
        let (mut braces, mut others, mut end) = (0usize, 0usize, code.len());
        let first = cuts.len();
        for (offset, c) in code[open..].char_indices() {
            let after = open + offset + c.len_utf8();
            match c {
                '(' | '[' => others += 1,
                ')' | ']' => others = others.saturating_sub(1),
                '{' => braces += 1,
                '}' => braces = braces.saturating_sub(1),
                _ => {}
            }
            if braces == 0 {
                end = after;
                break;
            }
            if others == 0 && matches!(c, '{' | '}' | ';') {
                cuts.push(Cut { at: after, open: braces, function: 0 });
            }
        }
        cuts[first..].iter_mut().for_each(|cut| cut.function = end);
        bodies.push(open + 1..end.saturating_sub(1).max(open + 1));
        from = end;
    }
    (cuts, bodies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_that_fails_is_found() {
        let text = "fn f() {\n  let a = 1; /* BAD */\n  for (var i = 0; i < 3; i++) {\n    c = é;   BAD;\n  }\n}\nfn g() { let b = 1; BAD; }";
        let fails = |text: &str| text.contains("BAD");
        assert_eq!(find(text, fails), Some((4, 14)));
        let later = text.replace("é;   BAD", "d");
        assert_eq!(find(&later, fails), Some((7, 21)));
        let header = later.replace("i < 3", "BAD");
        assert_eq!(find(&header, fails), Some((3, 3)));
        assert_eq!(find("fn f() { a; } fn", |_| false), None);
        assert_eq!(find("const BAD = 1;", fails), None);
        assert_eq!(find("fn f() { a; } fn g(BAD) { b; }", fails), None);
        assert_eq!(named("error: Entry point main at Compute is invalid", "fn a() {}\nfn main() {}"), Some((2, 4)));
        assert_eq!(placed("error: at\n  ┌─ wgsl:1:2".into(), text, fails), "error: at\n  ┌─ wgsl:1:2");
        assert!(placed("error: why".into(), text, fails).starts_with("error: why\n  ┌─ wgsl:4:14\n"));
    }
}
