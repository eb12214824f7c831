//! The directives at the head of a text, by WGSL's grammar: `enable`, `requires`, `diagnostic`.
//!
//! naga knows fewer extensions than it gives. Of a directive, the names that it does not know become spaces, so that each line and
//! column stays where it was.

use super::extensions::{ENABLE, REQUIRES, Taken};
use super::told::told;
use std::ops::Range;

/// What the directives of a text ask for.
#[derive(Debug, Default)]
pub(in super::super) struct Directives {
    /// The names after `enable`.
    pub enabled: Vec<String>,
    /// What naga must not see.
    pub(super) hidden: Vec<Range<usize>>,
}

/// Reads the directives of a text; `code` is the text with spaces in place of its comments.
///
/// Errors: an extension that kernels do not have, or a list that does not follow the grammar, with line and column. All else
/// is left to naga.
pub(in super::super) fn directives(source: &str, code: &str) -> Result<Directives, String> {
    let mut scan = Scan { source, code, at: 0 };
    let mut found = Directives::default();
    loop {
        scan.skip();
        let start = scan.at;
        match scan.word() {
            Some(word) if &code[word.clone()] == "enable" => {
                let names = scan.list("an extension's name")?;
                let kept = scan.known(&names, ENABLE, "enable")?;
                found.enabled.extend(names.iter().map(|name| code[name.clone()].to_string()));
                found.hide(start..scan.at, &names, &kept, code);
            }
            Some(word) if &code[word.clone()] == "requires" => {
                let names = scan.list("a language extension's name")?;
                scan.known(&names, REQUIRES, "requires")?;
                found.hidden.push(start..scan.at);
            }
            // naga reads filters as the standard has them.
            Some(word) if &code[word.clone()] == "diagnostic" => match code[scan.at..].find(';') {
                Some(end) => scan.at += end + 1,
                None => return Ok(found),
            },
            _ => return Ok(found),
        }
    }
}

impl Directives {
    /// Hides all of a list but the names that are kept, and a comma between each two of them.
    fn hide(&mut self, all: Range<usize>, names: &[Range<usize>], kept: &[bool], code: &str) {
        let Some(last) = kept.iter().rposition(|&kept| kept) else { return self.hidden.push(all) };
        for (nth, name) in names.iter().enumerate() {
            let next = names.get(nth + 1).map_or(name.end, |next| next.start);
            let comma = code[name.end..next].find(',').map(|at| name.end + at..name.end + at + 1);
            if !kept[nth] {
                self.hidden.push(name.clone());
            }
            if !kept[nth] || nth == last {
                self.hidden.extend(comma);
            }
        }
        if last + 1 < names.len() {
            let end = names.last().expect("a list has a name").end;
            self.hidden.extend(code[end..all.end].find(',').map(|at| end + at..end + at + 1));
        }
    }
}

/// A text as its directives are read.
struct Scan<'a> {
    source: &'a str,
    code: &'a str,
    at: usize,
}

impl Scan<'_> {
    /// Past spaces as the standard counts them: two marks of direction are some.
    fn skip(&mut self) {
        let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}');
        let rest = &self.code[self.at..];
        self.at += rest.find(|c| !is_space(c)).unwrap_or(rest.len());
    }

    fn word(&mut self) -> Option<Range<usize>> {
        self.skip();
        let rest = &self.code[self.at..];
        let length = rest.find(|c: char| !crate::kernel::text::in_name(c)).unwrap_or(rest.len());
        let word = self.at..self.at + length;
        self.at = word.end;
        (length > 0).then_some(word)
    }

    fn symbol(&mut self, symbol: char) -> bool {
        self.skip();
        let there = self.code[self.at..].starts_with(symbol);
        self.at += if there { symbol.len_utf8() } else { 0 };
        there
    }

    /// Names with commas between them, one more at the end or not, and the semicolon.
    fn list(&mut self, wanted: &str) -> Result<Vec<Range<usize>>, String> {
        let mut names = vec![];
        loop {
            match self.word() {
                Some(name) => names.push(name),
                None if names.is_empty() || !self.code[self.at..].starts_with(';') => {
                    return Err(self.expected(wanted));
                }
                None => {}
            }
            if self.symbol(';') {
                return Ok(names);
            }
            if !self.symbol(',') {
                return Err(self.expected("`,` or `;`"));
            }
        }
    }

    fn expected(&self, wanted: &str) -> String {
        let end = self.code[self.at..].chars().next().map_or(self.at, |next| self.at + next.len_utf8());
        let remedy = "a directive is written as `enable f16, subgroups;`";
        told(self.source, self.at..end, format!("expected {wanted} in a directive"), "expected here", remedy)
    }

    /// Which of the names naga wants to see.
    fn known(&self, names: &[Range<usize>], all: &[(&str, Taken)], directive: &str) -> Result<Vec<bool>, String> {
        let one = |name: &Range<usize>| {
            let word = &self.code[name.clone()];
            let refused =
                |what: String, remedy: &str| Err(told(self.source, name.clone(), what, "not available", remedy));
            match all.iter().find(|(known, _)| *known == word) {
                Some((_, Taken::Missing(remedy))) => {
                    refused(format!("kernels do not have the extension `{word}`"), remedy)
                }
                Some((_, taken)) => Ok(*taken == Taken::Asked),
                None => {
                    let there = all.iter().filter(|(_, taken)| !matches!(taken, Taken::Missing(_)));
                    let there: Vec<&str> = there.map(|(name, _)| *name).collect();
                    refused(format!("unknown extension `{word}`"), &format!("`{directive}` takes {}", there.join(", ")))
                }
            }
        };
        names.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::standard::hide;
    use crate::kernel::text::without_comments;

    /// What naga sees, and the names.
    fn seen(source: &str) -> (String, Vec<String>) {
        let found = directives(source, &without_comments(source)).unwrap_or_else(|message| panic!("{message}"));
        (hide(source, &found.hidden), found.enabled)
    }

    #[test]
    fn names_that_naga_does_not_know_become_spaces() {
        for (source, wanted) in [
            ("enable subgroups;", "                 "),
            ("enable f16, subgroups;", "enable f16           ;"),
            ("enable subgroups, f16;", "enable            f16;"),
            ("enable subgroups, f16, subgroups,; x", "enable            f16            ; x"),
            ("enable f16, subgroups, primitive_index,;", "enable f16,            primitive_index,;"),
            ("enable f16,;\nenable\nsubgroups\n;\n", "enable f16,;\n      \n         \n \n"),
            ("requires subgroup_id, subgroup_uniformity,; const a = 1;", &format!("{:44}const a = 1;", "")),
            ("diagnostic(off, a.b); requires subgroup_id;x", "diagnostic(off, a.b);                      x"),
            (
                "/* /* enable */ */ enable // f16\n/**/subgroups/*,*/;",
                "/* /* enable */ */              \n                    ",
            ),
            (
                "\u{200e}enable subgroups; const \u{3b4}\u{16d} = 1;",
                "\u{200e}                  const \u{3b4}\u{16d} = 1;",
            ),
            // Past a declaration it is naga's to refuse, and a name that only begins so is no directive.
            ("const a = 1; enable subgroups;", "const a = 1; enable subgroups;"),
            ("enabled subgroups;", "enabled subgroups;"),
        ] {
            let (text, _) = seen(source);
            assert_eq!(text.split_whitespace().collect::<String>(), wanted.split_whitespace().collect::<String>());
            assert_eq!(text.len(), source.len(), "{source}");
            assert_eq!(text.trim_end(), wanted.trim_end(), "{source}");
        }
        assert_eq!(seen("enable f16, subgroups; enable f16;").1, ["f16", "subgroups", "f16"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (source, place, part) in [
            ("enable subgroup;", "wgsl:1:8", "unknown extension `subgroup`"),
            ("enable f16,\n  subgroup_size_control;", "wgsl:2:3", "@builtin(subgroup_size)"),
            ("requires buffer_view;", "wgsl:1:10", "bitcast"),
            ("requires everything;", "wgsl:1:10", "subgroup_id"),
            ("enable ;", "wgsl:1:8", "an extension's name"),
            ("enable f16, , subgroups;", "wgsl:1:13", "an extension's name"),
            ("enable f16 subgroups;", "wgsl:1:12", "`,` or `;`"),
            ("/* \u{e4} */ enable subgroups", "wgsl:1:25", "`,` or `;`"),
        ] {
            let message = directives(source, &without_comments(source)).expect_err(source);
            assert!(message.contains(place) && message.contains(part), "{source}: {message}");
        }
    }
}
