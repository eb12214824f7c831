//! What stands past the ends of an axis.

/// What stands past the ends of an axis `a b c d`, by the names of NumPy's `pad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// A number, by the bits of an f64: `v v | a b c d | v v`.
    Constant(u64),
    /// `a a | a b c d | d d`.
    Edge,
    /// Mirrored at the last value: `c b | a b c d | c b`.
    Reflect,
    /// Mirrored after the last value: `b a | a b c d | d c`.
    Symmetric,
    /// The other end: `c d | a b c d | a b`.
    Wrap,
}

impl Boundary {
    /// The index of what stands at an index, of an axis of this extent; `None` for what is no value of it.
    #[doc(hidden)]
    pub fn place(self, index: i64, extent: i64) -> Option<i64> {
        let inside = (0..extent).contains(&index);
        match self {
            Boundary::Constant(_) => inside.then_some(index),
            Boundary::Edge => Some(index.clamp(0, extent - 1)),
            Boundary::Wrap => Some(index.rem_euclid(extent)),
            Boundary::Symmetric => {
                let at = index.rem_euclid(2 * extent);
                Some(at.min(2 * extent - 1 - at))
            }
            Boundary::Reflect if extent == 1 => Some(0),
            Boundary::Reflect => {
                let at = index.rem_euclid(2 * extent - 2);
                Some(at.min(2 * extent - 2 - at))
            }
        }
    }

    /// The WGSL function `place(i: i32, extent: u32) -> i32`: the same, or -1 for what is no value.
    #[doc(hidden)]
    pub fn place_text(self) -> String {
        let body = match self {
            Boundary::Constant(_) => "return select(-1, i, (i >= 0) & (i < n));",
            Boundary::Edge => "return clamp(i, 0, n - 1);",
            // Without remainders of negative numbers, which llvmpipe gets wrong.
            Boundary::Wrap => {
                "let at = i32(u32(select(i, -1 - i, i < 0)) % u32(n));\n    return select(at, n - 1 - at, i < 0);"
            }
            Boundary::Symmetric => {
                "let at = i32(u32(select(i, -1 - i, i < 0)) % u32(2 * n));\n    return min(at, 2 * n - 1 - at);"
            }
            Boundary::Reflect => {
                "let turn = max(2 * n - 2, 1);\n    let at = i32(u32(abs(i)) % u32(turn));\n    return min(at, turn - at);"
            }
        };
        format!("fn place(i: i32, extent: u32) -> i32 {{\n    let n = i32(extent);\n    {body}\n}}\n")
    }

    /// What a kernel's text depends on: a constant without its number.
    #[doc(hidden)]
    pub fn rule(self) -> Boundary {
        if let Boundary::Constant(_) = self { Boundary::Constant(0) } else { self }
    }

    /// What stands past the ends, where that is one number.
    #[doc(hidden)]
    pub fn outside(self) -> f64 {
        match self {
            Boundary::Constant(bits) => f64::from_bits(bits),
            _ => 0.0,
        }
    }
}
