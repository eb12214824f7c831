//! The prelude: WGSL's semantics as C++ templates, in parts of which a kernel gets those that it uses.

use std::collections::BTreeSet;

/// A file of the prelude, in the order in which they are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Scalar,
    Half,
    Wide,
    Vector,
    Matrix,
    Memory,
    Convert,
    Math,
    Integer,
    Pack,
    Atomic,
    Subgroup,
    Cooperative,
}

use Part::*;

/// Each part's text, and the parts that it cannot do without.
const PARTS: &[(Part, &str, &[Part])] = &[
    (Scalar, include_str!("../prelude/scalar.cuh"), &[]),
    (Vector, include_str!("../prelude/vector.cuh"), &[]),
    (Memory, include_str!("../prelude/memory.cuh"), &[]),
    (Convert, include_str!("../prelude/convert.cuh"), &[]),
];

/// The text of these parts, of those that they need, and of those that every kernel has.
pub(super) fn prelude(used: &BTreeSet<Part>) -> String {
    let mut wanted = BTreeSet::from([Scalar, Vector, Memory]);
    let mut queue: Vec<Part> = used.iter().copied().collect();
    while let Some(part) = queue.pop() {
        let needs = PARTS.iter().find(|(of, ..)| *of == part).map_or(&[][..], |(.., needs)| needs);
        if wanted.insert(part) {
            queue.extend(needs);
        }
    }
    PARTS.iter().filter(|(part, ..)| wanted.contains(part)).map(|(_, text, _)| *text).collect()
}
