//! Words of the standard, and of older texts, that naga knows by another name or not at all.
//!
//! Each is replaced by one that is as long, or by a shorter one and spaces.

use crate::kernel::text::words;
use std::ops::Range;

/// Built-in values of `linear_indexing`, and the ones of rays that stand for them until [`super::linear`] has computed them:
/// neither the standard nor any kernel has those.
pub(super) const LINEAR: [(&str, &str); 2] =
    [("workgroup_index", "hit_kind"), ("global_invocation_index", "geometry_index")];

/// wgpu's name of the immediates until version 26.
pub(in super::super) const OLD_IMMEDIATE: &str = "push_constant";

/// A place of a text, and the word to write there.
pub(super) type Replaced = (Range<usize>, &'static str);

/// Where immediates have their old name: in `var<push_constant>` and `ptr<push_constant, T>`.
pub(in super::super) fn old_immediates(code: &str) -> Vec<Range<usize>> {
    let after = |at: usize| {
        let before = code[..at].trim_end().strip_suffix('<').map(str::trim_end);
        before.is_some_and(|before| {
            ["var", "ptr"]
                .iter()
                .any(|word| before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(crate::kernel::text::in_name)))
        })
    };
    words(code)
        .filter(|(at, word)| *word == OLD_IMMEDIATE && after(*at))
        .map(|(at, word)| at..at + word.len())
        .collect()
}

/// The built-in values of `linear_indexing` in a text's attributes, and what stands for them.
pub(super) fn linear_values(code: &str) -> Vec<Replaced> {
    let values: Vec<(Range<usize>, &str)> = built_ins(code).collect();
    // A text that has those of rays is refused by naga.
    if values.iter().any(|(_, word)| LINEAR.iter().any(|(_, other)| word == other)) {
        return vec![];
    }
    let replaced = |(place, word): (Range<usize>, &str)| {
        LINEAR.iter().find(|(name, _)| *name == word).map(|(_, other)| (place, *other))
    };
    values.into_iter().filter_map(replaced).collect()
}

/// The names in `@builtin(..)`.
pub(super) fn built_ins(code: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    attributes(code, "builtin").filter_map(|inside| {
        let (at, word) = words(&code[inside.clone()]).next()?;
        let start = inside.start + at;
        Some((start..start + word.len(), word))
    })
}

/// Where a text wants subgroups of a size: `@subgroup_size`.
pub(super) fn subgroup_sizes(code: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let attribute = move |(at, word): &(usize, &str)| *word == "subgroup_size" && code[..*at].trim_end().ends_with('@');
    words(code).filter(attribute).map(|(at, word)| at..at + word.len())
}

/// Where a text makes halves out of words by `bitcast`: naga takes them for one half.
pub(super) fn half_bitcasts(code: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let makes_halves = |(at, word): &(usize, &str)| {
        let ty: String = code[at + word.len()..].chars().filter(|c| !c.is_whitespace()).take(10).collect();
        let halves = ["<vec2<f16>", "<vec4<f16>", "<vec2h>", "<vec4h>"];
        *word == "bitcast" && halves.iter().any(|halves| ty.starts_with(halves))
    };
    words(code).filter(makes_halves).map(|(at, word)| at..at + word.len())
}

/// The filters in `@diagnostic(..)`, attributes and all: naga does not take them on statements, and no kernel has derivatives
/// to warn of. One with an unknown severity stays, for naga to refuse.
pub(super) fn filters(code: &str) -> Vec<Range<usize>> {
    let is_filter = |inside: &Range<usize>| {
        let severity = code[inside.clone()].split(',').next().map(str::trim);
        severity.is_some_and(|word| ["off", "info", "warning", "error"].contains(&word))
    };
    let whole = |inside: Range<usize>| {
        let start = code[..inside.start].rfind('@').expect("an attribute begins with it");
        start..inside.end + 1
    };
    attributes(code, "diagnostic").filter(is_filter).map(whole).collect()
}

/// What stands in the brackets of an attribute.
fn attributes<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    words(code).filter(move |(at, word)| *word == name && code[..*at].trim_end().ends_with('@')).filter_map(
        move |(at, word)| {
            let rest = &code[at + word.len()..];
            let open = at + word.len() + (rest.len() - rest.trim_start().len());
            code[open..].starts_with('(').then(|| crate::kernel::text::enclosed(code, open))?
        },
    )
}
