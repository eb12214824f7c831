//! The prelude: WGSL's semantics as C++ templates, in parts of which a kernel gets those that it uses.

use std::collections::BTreeSet;

/// A file of the prelude, in the order in which they are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Scalar,
    Half,
    Vector,
    Memory,
    Convert,
    Integer,
    Math,
    Geometry,
    Matrix,
    Pack,
    Atomic,
    Subgroup,
    Cooperative,
}

use Part::*;

/// Each part's text, and the parts that it cannot do without, beside those that every kernel has.
const PARTS: &[(Part, &str, &[Part])] = &[
    (Scalar, include_str!("../prelude/scalar.cuh"), &[]),
    (Half, include_str!("../prelude/half.cuh"), &[]),
    (Vector, include_str!("../prelude/vector.cuh"), &[]),
    (Memory, include_str!("../prelude/memory.cuh"), &[]),
    (Convert, include_str!("../prelude/convert.cuh"), &[]),
    (Integer, include_str!("../prelude/integer.cuh"), &[]),
    (Math, include_str!("../prelude/math.cuh"), &[]),
    (Geometry, include_str!("../prelude/geometry.cuh"), &[Math]),
    (Matrix, include_str!("../prelude/matrix.cuh"), &[Convert, Geometry]),
    (Pack, include_str!("../prelude/pack.cuh"), &[Half]),
    (Atomic, include_str!("../prelude/atomic.cuh"), &[]),
    (Subgroup, include_str!("../prelude/subgroup.cuh"), &[]),
    (Cooperative, include_str!("../prelude/cooperative.cuh"), &[Half]),
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
