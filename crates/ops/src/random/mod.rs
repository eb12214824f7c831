//! Draws of random numbers: functions of an element's index, the generator's key and a position, whose WGSL is in
//! `shaders/shared/random/`. Their meanings here take the same steps in f32 and integers, so that they give the same bits.

#[cfg(feature = "cases")]
pub mod cases;
mod counts;
mod orders;
mod philox;
mod reals;

pub use philox::{philox, words};

use crosslane_core::element::DType;
use crosslane_core::kernel::Feature;
use crosslane_core::op::{Shared, Value};
use philox::Draw;

/// The parameters that all draws begin with, and further ones.
macro_rules! parameters {
    ($($name:literal $dtype:ident)*) => {
        &[
            ("i", DType::U32), ("key0", DType::U32), ("key1", DType::U32), ("low", DType::U32), ("high", DType::U32),
            $(($name, DType::$dtype)),*
        ]
    };
}

macro_rules! draws {
    ($($(#[$doc:meta])* $constant:ident $name:literal $(by $four:literal)? [$($parameter:literal $dtype:ident)*] -> $result:ident
       $operations:literal [$($feature:ident)*] $meaning:expr;)*) => {
        $(
            $(#[$doc])*
            pub static $constant: Shared = Shared {
                name: $name,
                parameters: parameters![$($parameter $dtype)*],
                result: DType::$result,
                four: [$(Some($four),)? None][0],
                operations: $operations,
                features: &[$(Feature::$feature),*],
                meaning: $meaning,
            };
        )*

        /// All of them.
        #[cfg(feature = "cases")]
        pub static DRAWS: &[&Shared] = &[$(&$constant),*];
    };
}

draws! {
    /// A word.
    WORD "r_word" by "r_word4" [] -> U32 90 [] |a| int(Draw::of(a).word());
    /// A number below another, each as likely; any word below 0.
    BELOW "r_below" by "r_below4" ["range" U32] -> U32 95 [] |a| int(Draw::of(a).below(a[5].int() as u32));
    /// Two words.
    WORD_WIDE "r_word_wide" [] -> U64 180 [I64] |a| int(Draw::of(a).word_wide());
    /// A number of 64 bits below another, each as likely; any number below 0.
    BELOW_WIDE "r_below_wide" ["range" U64] -> U64 200 [I64] |a| int(Draw::of(a).below_wide(a[5].int() as u64));
    /// A number of [0, 1) of 24 bits.
    UNIT "r_unit" by "r_unit4" [] -> F32 92 [] |a| real(Draw::of(a).unit());
    /// A number of [0, 1) of 11 bits.
    UNIT_HALF "r_unit_half" by "r_unit_half4" [] -> F32 92 [] |a| real((Draw::of(a).word() >> 21) as f32 / 2048.0);
    /// A number of [0, 1) of 53 bits.
    UNIT_WIDE "r_unit_wide" [] -> F64 180 [F64] |a| Value::Float(Draw::of(a).unit_wide());
    /// A number from an offset on, as far as a scale, at most the last.
    UNIFORM "r_uniform" by "r_uniform4" ["offset" F32 "scale" F32 "last" F32] -> F32 95 []
        |a| real((Draw::of(a).unit() * single(a[6]) + single(a[5])).min(single(a[7])));
    /// The same, of 53 bits.
    UNIFORM_WIDE "r_uniform_wide" ["offset" F64 "scale" F64 "last" F64] -> F64 190 [F64]
        |a| Value::Float((Draw::of(a).unit_wide() * a[6].float() + a[5].float()).min(a[7].float()));
    /// A standard normal number.
    NORMAL "r_normal" by "r_normal4" [] -> F32 180 [] |a| real(Draw::of(a).normal());
    /// What a normal number of this mean and deviation is the logarithm of.
    LOGNORMAL "r_lognormal" ["mean" F32 "deviation" F32] -> F32 220 []
        |a| real(reals::exp(Draw::of(a).normal() * single(a[6]) + single(a[5])));
    /// An exponential number of mean 1.
    EXPONENTIAL "r_exponential" by "r_exponential4" [] -> F32 130 [] |a| real(reals::minus_log(Draw::of(a).word()));
    /// A gamma number of this shape and scale 1.
    GAMMA "r_gamma" ["shape" F32] -> F32 400 [] |a| real(Draw::of(a).gamma(single(a[5])));
    /// The logarithm of a gamma number of this shape and scale 1.
    LOG_GAMMA "r_log_gamma" ["shape" F32] -> F32 420 [] |a| real(Draw::of(a).log_gamma(single(a[5])));
    /// A beta number.
    BETA "r_beta" ["a" F32 "b" F32] -> F32 900 [] |a| real(Draw::of(a).beta(single(a[5]), single(a[6])));
    /// A Poisson number of this rate.
    POISSON "r_poisson" ["rate" F32] -> U32 400 [] |a| int(Draw::of(a).poisson(single(a[5])));
    /// Successes of so many trials, each of this chance.
    BINOMIAL "r_binomial" ["trials" U32 "chance" F32] -> U32 600 []
        |a| int(Draw::of(a).binomial(a[5].int() as u32, single(a[6])));
    /// Whether a thing of this chance happens.
    BERNOULLI "r_bernoulli" by "r_bernoulli4" ["chance" F32] -> Bool 93 []
        |a| Value::Bool(Draw::of(a).unit() < single(a[5]));
    /// Trials to the first success of this chance.
    GEOMETRIC "r_geometric" ["chance" F32] -> U32 200 [] |a| int(Draw::of(a).geometric(single(a[5])));
}

/// Where a number below a count goes in a permutation of pairs below `side`.
pub static PERMUTED: Shared = Shared {
    name: "r_permuted",
    parameters: &[
        ("i", DType::U32),
        ("key0", DType::U32),
        ("key1", DType::U32),
        ("side", DType::U32),
        ("count", DType::U32),
    ],
    result: DType::U32,
    four: None,
    operations: 160,
    features: &[],
    meaning: |a| {
        let [i, key0, key1, side, count] = [0, 1, 2, 3, 4].map(|at: usize| a[at].int() as u32);
        int(orders::permuted(i, [key0, key1], side, count))
    },
};

/// A word scrambled so that each bit depends on those above it.
pub static OWEN: Shared = Shared {
    name: "r_owen",
    parameters: &[("x", DType::U32), ("seed", DType::U32)],
    result: DType::U32,
    four: None,
    operations: 12,
    features: &[],
    meaning: |a| int(orders::owen(a[0].int() as u32, a[1].int() as u32)),
};

/// The mirrored digits of a number in a base.
pub static MIRRORED: Shared = Shared {
    name: "r_mirrored",
    parameters: &[("i", DType::U32), ("base", DType::U32), ("power", DType::U32), ("seed", DType::U32)],
    result: DType::U32,
    four: None,
    operations: 300,
    features: &[],
    meaning: |a| {
        let [i, base, power, seed] = [0, 1, 2, 3].map(|at: usize| a[at].int() as u32);
        int(orders::mirrored(i, base, power, seed))
    },
};

fn int(x: impl Into<i128>) -> Value {
    Value::Int(x.into())
}

fn real(x: f32) -> Value {
    Value::Float(x as f64)
}

fn single(value: Value) -> f32 {
    value.float() as f32
}
