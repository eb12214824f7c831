//! The element types: what each is on the host, in memory and in WGSL.

mod scalar;

pub use scalar::Scalar;
pub use scalar::{half_of, word_suffixes};

use std::fmt;

/// What kind of number a [`DType`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// IEEE floats and `bf16`.
    Float,
    /// Integers with a sign.
    Signed,
    /// Integers without a sign.
    Unsigned,
    /// `bool`.
    Bool,
    /// Two floats, real part first.
    Complex,
}

/// The table of types: the name as in Rust, bytes of an element in memory, the kind of number, the type that computes with
/// it, and the WGSL type of its values in a kernel.
///
/// A type that another one computes with is storage only. Its values in a kernel are words that hold its bits, zero-extended:
/// only casts and comparisons know what they mean (`crates/ops/src/fuse/cast.rs`, `crates/core/src/op/function/own.rs`).
macro_rules! types {
    ($($(#[$doc:meta])* $variant:ident $name:literal $size:literal $class:ident $compute:ident $wgsl:literal;)*) => {
        /// The type of an array's elements, as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum DType {
            $($(#[$doc])* $variant),*
        }

        impl DType {
            /// Every element type.
            pub const ALL: [DType; [$($size),*].len()] = [$(DType::$variant),*];

            /// Bytes of one element in device memory.
            pub const fn size(self) -> usize {
                match self {
                    $(DType::$variant => $size),*
                }
            }

            /// The name, as in Rust.
            pub const fn name(self) -> &'static str {
                match self {
                    $(DType::$variant => $name),*
                }
            }

            #[doc(hidden)]
            pub const fn class(self) -> Class {
                match self {
                    $(DType::$variant => Class::$class),*
                }
            }

            /// The type that computes with it: itself, if it is not for storage only.
            #[doc(hidden)]
            pub const fn compute(self) -> DType {
                match self {
                    $(DType::$variant => DType::$compute),*
                }
            }

            /// The WGSL type that values of this type have inside a kernel.
            #[doc(hidden)]
            pub const fn wgsl(self) -> &'static str {
                match self {
                    $(DType::$variant => $wgsl),*
                }
            }
        }
    };
}

types! {
    /// IEEE half precision; arithmetic in half precision, functions through f32.
    F16 "f16" 2 Float F16 "f16";
    /// IEEE single precision.
    F32 "f32" 4 Float F32 "f32";
    /// IEEE double precision. Its transcendental functions are computed in software: WGSL has none.
    F64 "f64" 8 Float F64 "f64";
    /// 32-bit signed.
    I32 "i32" 4 Signed I32 "i32";
    /// 64-bit signed.
    I64 "i64" 8 Signed I64 "i64";
    /// 8-bit unsigned, storage only: cast to compute.
    U8 "u8" 1 Unsigned U32 "u32";
    /// 16-bit unsigned, storage only: cast to compute.
    U16 "u16" 2 Unsigned U32 "u32";
    /// 32-bit unsigned.
    U32 "u32" 4 Unsigned U32 "u32";
    /// 64-bit unsigned.
    U64 "u64" 8 Unsigned U64 "u64";
    /// A mask; one byte an element in memory, 0 or 1.
    Bool "bool" 1 Bool Bool "bool";
    /// The upper half of single precision (bfloat16), storage only: cast to compute.
    BF16 "bf16" 2 Float F32 "u32";
    /// 8-bit signed, storage only: cast to compute.
    I8 "i8" 1 Signed I32 "u32";
    /// 16-bit signed, storage only: cast to compute.
    I16 "i16" 2 Signed I32 "u32";
    /// A complex number of two f32, `vec2<f32>` in WGSL.
    Complex32 "Complex32" 8 Complex Complex32 "vec2<f32>";
    /// A complex number of two f64, `vec2<f64>` in WGSL, with the functions of [`DType::Complex32`].
    Complex64 "Complex64" 16 Complex Complex64 "vec2<f64>";
}

impl DType {
    /// Whether it is for storage only: cast to compute.
    #[doc(hidden)]
    pub const fn is_stored(self) -> bool {
        self.compute() as u8 != self as u8
    }

    #[doc(hidden)]
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::Complex32 | DType::Complex64)
    }

    /// The type of the parts of a complex number; itself for others.
    #[doc(hidden)]
    pub const fn real(self) -> DType {
        match self {
            DType::Complex32 => DType::F32,
            DType::Complex64 => DType::F64,
            other => other,
        }
    }

    /// The type of the complex numbers with parts of this type.
    #[doc(hidden)]
    pub const fn complex(self) -> Option<DType> {
        match self {
            DType::F32 => Some(DType::Complex32),
            DType::F64 => Some(DType::Complex64),
            _ => None,
        }
    }

    /// Elements in one 32-bit word of memory where WGSL has no type of this size: 1 if it has one.
    #[doc(hidden)]
    pub const fn per_word(self) -> u32 {
        if self.is_stored() || matches!(self, DType::Bool) { 4 / self.size() as u32 } else { 1 }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
