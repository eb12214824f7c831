//! Names in the generated text: WGSL's own, unless C++, CUDA or the prelude has them.

use naga::proc::{CaseInsensitiveKeywordSet, KeywordSet, NameKey, Namer};
use naga::{FastHashMap, Module};
use std::sync::LazyLock;

/// Words of C++17, and alternative spellings of its operators.
const CPP: &str = "
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
    const constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
    operator or or_eq private protected public register reinterpret_cast return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
    union unsigned using virtual void volatile wchar_t while xor xor_eq
";

/// What CUDA or a C library may define as a macro, and CUDA's variables.
const ENVIRONMENT: &str = "
    threadIdx blockIdx blockDim gridDim warpSize dim3 NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF assert errno stdin
    stdout stderr linux unix offsetof M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_E M_LOG2E M_LOG10E M_LN2
    M_LN10 M_SQRT2 M_SQRT1_2 INT_MAX INT_MIN UINT_MAX FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN RAND_MAX
    emulation
";

/// What the text says without a qualifier: the prelude's types and operators, and the translation's own.
const OURS: &str = "
    wgsl i32 u32 i64 u64 f16 f32 f64 vec mat array span padded padded_vec3 coop add sub mul div rem neg
    div_unguarded rem_unguarded shl shr bit_and bit_or bit_xor bit_not eq ne lt le gt ge not_ and_ or_ select
    splat convert bitcast at load component set_component modf_result frexp_result exchange_result role Module
    Workgroup workgroup kernel lanes memory module
";

/// A namer that knows every name of a module, and those names.
pub(super) fn names(module: &Module) -> (Namer, FastHashMap<NameKey, String>) {
    static WORDS: LazyLock<KeywordSet> =
        LazyLock::new(|| [CPP, ENVIRONMENT, OURS].into_iter().flat_map(str::split_whitespace).collect());
    static ANY_CASE: LazyLock<CaseInsensitiveKeywordSet> = LazyLock::new(Default::default);
    let (mut namer, mut names) = (Namer::default(), FastHashMap::default());
    namer.reset(module, &WORDS, KeywordSet::empty(), &ANY_CASE, &[], &mut names);
    (namer, names)
}
