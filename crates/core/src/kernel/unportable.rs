//! What kernels here take and other implementations of WGSL, browsers above all, do not.

use super::blocks::each;
use super::standard;
use super::text::{in_name, words};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Function, Module, Span, Statement, TypeInner};
use std::fmt;
use std::ops::Range;

/// A place of a program's text that other implementations of WGSL refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unportable {
    /// What stands there.
    pub kind: UnportableKind,
    /// The line, from 1 on.
    pub line: u32,
    /// The byte of the line, from 1 on, as in messages of the compiler.
    pub column: u32,
}

/// What other implementations of WGSL refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnportableKind {
    /// An assignment to an atomic variable: the standard has `atomicStore`.
    AtomicAssignment,
    /// `var<push_constant>`, wgpu's older name of `var<immediate>`.
    PushConstant,
    /// Subgroups without `enable subgroups;`.
    SubgroupsNotEnabled,
    /// `subgroupBarrier`.
    SubgroupBarrier,
    /// An integer without a type that is too large for an i32, as in `let a = 3000000000;`.
    LargeInteger,
    /// A type that WGSL does not have: 64-bit numbers, cooperative matrices.
    Type,
}

impl UnportableKind {
    /// What stands there, and the remedy.
    const fn says(self) -> (&'static str, &'static str) {
        match self {
            UnportableKind::AtomicAssignment => ("an assignment to an atomic variable", "write atomicStore(&x, value)"),
            UnportableKind::PushConstant => {
                ("var<push_constant>, which is taken as var<immediate>", "write var<immediate>")
            }
            UnportableKind::SubgroupsNotEnabled => ("subgroups without a directive", "begin with `enable subgroups;`"),
            UnportableKind::SubgroupBarrier => ("subgroupBarrier", "write workgroupBarrier(), where all come to it"),
            UnportableKind::LargeInteger => {
                ("an integer without a type, too large for an i32", "write a type: 3000000000u, 5e9f")
            }
            UnportableKind::Type => ("a type that WGSL does not have", "take types of 32 bits, or pairs of them"),
        }
    }

    /// The remedy.
    pub const fn remedy(self) -> &'static str {
        self.says().1
    }
}

impl fmt::Display for UnportableKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.says().0)
    }
}

impl fmt::Display for Unportable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unportable { kind, line, column } = self;
        write!(f, "line {line}, column {column}: {kind}: {}", kind.remedy())
    }
}

/// What a program's text has of that, by place. `original` is the text before older words were replaced.
pub(super) fn unportable(module: &Module, info: &ModuleInfo, original: &str, subgroups: bool) -> Vec<Unportable> {
    let code = super::text::without_comments(original);
    let at = |kind: UnportableKind, place: Range<usize>| {
        let location = Span::new(place.start as u32, place.end as u32).location(original);
        Unportable { kind, line: location.line_number, column: location.line_position }
    };
    let assigned = atomic_assignments(module, info, original);
    let mut found: Vec<Unportable> =
        assigned.into_iter().map(|place| at(UnportableKind::AtomicAssignment, place)).collect();
    found.extend(standard::old_immediates(&code).into_iter().map(|place| at(UnportableKind::PushConstant, place)));
    found.extend(standard::large_integers(&code).map(|place| at(UnportableKind::LargeInteger, place)));
    let mut first = |kind: UnportableKind, is_it: &dyn Fn(&str) -> bool| {
        let place = words(&code).find(|(_, word)| is_it(word));
        found.extend(place.map(|(start, word)| at(kind, start..start + word.len())));
    };
    let enabled = standard::directives(original, &code).map(|found| found.enabled).unwrap_or_default();
    let asks = |name: &&str| ["subgroups", "subgroup_size_control"].contains(name);
    if subgroups && !enabled.iter().map(String::as_str).any(|name| asks(&name)) {
        let is_it = |word: &str| word.starts_with("subgroup") || word.starts_with("quad") || word == "num_subgroups";
        first(UnportableKind::SubgroupsNotEnabled, &is_it);
    }
    first(UnportableKind::SubgroupBarrier, &|word| word == "subgroupBarrier");
    first(UnportableKind::Type, &|word| ["f64", "i64", "u64"].contains(&word) || word.starts_with("coop_mat"));
    found.sort_by_key(|found| (found.line, found.column));
    found
}

/// Where a text assigns to atomic variables: naga has one statement for that and for `atomicStore`.
fn atomic_assignments(module: &Module, info: &ModuleInfo, original: &str) -> Vec<Range<usize>> {
    let functions = module.functions.iter().map(|(handle, function)| (function, &info[handle]));
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(nth, entry)| (&entry.function, info.get_entry_point(nth)));
    let mut found: Vec<Range<usize>> = functions
        .chain(entries)
        .flat_map(|(function, info)| stores(function, info, module))
        .filter_map(|span| span.to_range())
        .filter(|place| original.get(place.clone()).is_some_and(|text| !is_call(text, "atomicStore")))
        .collect();
    found.sort_by_key(|place| place.start);
    found.dedup();
    found
}

/// The statements of a function that store to atomic variables.
fn stores(function: &Function, info: &FunctionInfo, module: &Module) -> Vec<Span> {
    let types = &module.types;
    let is_atomic = |inner: &TypeInner| match *inner {
        TypeInner::Pointer { base, .. } => matches!(types[base].inner, TypeInner::Atomic(_)),
        _ => false,
    };
    let mut found = vec![];
    let mut at = |block: &naga::Block| {
        found.extend(block.span_iter().filter_map(|(statement, span)| match statement {
            Statement::Store { pointer, .. } if is_atomic(info[*pointer].ty.inner_with(types)) => Some(*span),
            _ => None,
        }));
    };
    at(&function.body);
    each(&function.body, &mut |_, statement| super::blocks::inside(statement).into_iter().for_each(&mut at));
    found
}

fn is_call(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(in_name))
}
