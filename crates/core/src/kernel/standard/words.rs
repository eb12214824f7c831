//! Words of the standard, and of older texts, that naga knows by another name or not at all.
//!
//! Each is replaced by one that is as long, or by a shorter one and spaces.

use crate::kernel::text::{in_name, words};
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
            ["var", "ptr"].iter().any(|word| before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(in_name)))
        })
    };
    words(code)
        .filter(|(at, word)| *word == OLD_IMMEDIATE && after(*at))
        .map(|(at, word)| at..at + word.len())
        .collect()
}

/// Integers without a type that a variable without one begins as, and that no i32 has: the standard refuses them, naga makes them u32
/// or f32.
pub(in super::super) fn large_integers(code: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_large = |(at, word): &(usize, &str)| {
        let value = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse::<u64>(),
        };
        let before = code[..*at].trim_end();
        let (before, most) = match before.strip_suffix('-') {
            Some(before) => (before.trim_end(), 1 << 31),
            None => (before, (1 << 31) - 1),
        };
        let variable = before.strip_suffix('=').map(|before| before.trim_end().trim_end_matches(in_name).trim_end());
        value.is_ok_and(|value| value > most)
            && variable.is_some_and(|word| ["let", "var", ">"].iter().any(|end| word.ends_with(end)))
            && code[at + word.len()..].trim_start().starts_with(';')
    };
    words(code).filter(is_large).map(|(at, word)| at..at + word.len())
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

/// Where functions that are no entry points have a size: `@workgroup_size` without `@compute`.
pub(super) fn sizes_without_stage(code: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_alone = |inside: &Range<usize>| {
        let start = code[..inside.start].rfind([';', '}']).map_or(0, |end| end + 1);
        let mut attributes = words(&code[start..]).map(|(_, word)| word).take_while(|word| *word != "fn");
        !attributes.any(|word| word == "compute")
    };
    attributes(code, "workgroup_size").filter(is_alone)
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
