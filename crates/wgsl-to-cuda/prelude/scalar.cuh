// Part 1, always: the scalar types, and WGSL's operators on one scalar.
#define WGSL_FN __device__ __forceinline__
#ifdef CROSSLANE_EMULATION
#define WGSL_UNROLL
#define WGSL_DYNAMIC_SHARED(name) unsigned char* name = emulation::dynamic_memory()
#else
#define WGSL_UNROLL _Pragma("unroll")
#define WGSL_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

namespace wgsl {

using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
struct f16; // in half.cuh

enum kind { boolean, natural, integer, real };

// What is known of a scalar type; nothing of others, so that the templates below leave them to vectors and matrices.
// Word is the type in which its arithmetic wraps around.
template <class T> struct traits {};
template <class T, class Word, kind Kind> struct scalar_traits {
    using type = T;
    using word = Word;
    template <class R> using of = R;
    enum : int { is = Kind }; // not a variable: NVRTC would emit it
};
template <> struct traits<bool> : scalar_traits<bool, bool, boolean> {};
template <> struct traits<i32> : scalar_traits<i32, u32, integer> {};
template <> struct traits<u32> : scalar_traits<u32, u32, natural> {};
template <> struct traits<i64> : scalar_traits<i64, u64, integer> {};
template <> struct traits<u64> : scalar_traits<u64, u64, natural> {};
template <> struct traits<f16> : scalar_traits<f16, f16, real> {};
template <> struct traits<f32> : scalar_traits<f32, f32, real> {};
template <> struct traits<f64> : scalar_traits<f64, f64, real> {};

template <class T> using scalar = typename traits<T>::type;
template <class T, class R = bool> using truth = typename traits<T>::template of<R>;
template <class T> using word = typename traits<T>::word;
template <class T> constexpr bool is_real = int(traits<T>::is) == real;
template <class T> constexpr bool is_signed = int(traits<T>::is) == integer;
template <class T> constexpr bool is_bool = int(traits<T>::is) == boolean;
template <class T> constexpr bool is_wide = sizeof(T) == 8;

// An f32 or f64 in the type that the function gives: f16 is computed as f32.
template <class T, class From> WGSL_FN T rounded(From x) {
    if constexpr (sizeof(T) == 2) return T::from(x);
    else return T(x);
}

template <class T> WGSL_FN scalar<T> add(T a, T b) { return T(word<T>(a) + word<T>(b)); }
template <class T> WGSL_FN scalar<T> sub(T a, T b) { return T(word<T>(a) - word<T>(b)); }
template <class T> WGSL_FN scalar<T> mul(T a, T b) { return T(word<T>(a) * word<T>(b)); }
// ptxas from CUDA 12.6 to 13.2 makes one VIMNMX3 of max(max(x, -a), -b) of i32 for compute capability 9.0 and 10.0, in which
// it forgets one of the negations; those of 12.4, 12.5 and 13.5 do not (disassembled on 2026-11-23; on an H100, elements of
// (-x).cummax() were wrong). It does not see that ~a + 1 is -a, but the compiler before it does, if it sees ~a.
template <class T> WGSL_FN scalar<T> bit_not(T a) {
#if !defined(CROSSLANE_EMULATION) && __CUDA_ARCH__ >= 900
    if constexpr (is_signed<T> && sizeof(T) == 4) {
        u32 flipped;
        asm("not.b32 %0, %1;" : "=r"(flipped) : "r"(u32(a)));
        return T(flipped);
    }
#endif
    return ~a;
}
template <class T> WGSL_FN scalar<T> neg(T a) {
    if constexpr (is_real<T>) return -a;
    else return T(word<T>(bit_not(a)) + word<T>(1));
}

// By 1 in place of a divisor for which the quotient is not defined: the dividend, and 0 as the remainder.
template <class T> WGSL_FN T divisor(T a, T b) {
    if constexpr (is_signed<T>) return b == 0 || (b == -1 && a == T(word<T>(1) << (sizeof(T) * 8 - 1))) ? T(1) : b;
    else return b == 0 ? T(1) : b;
}
template <class T> WGSL_FN scalar<T> div_unguarded(T a, T b) { return a / b; }
template <class T> WGSL_FN scalar<T> rem_unguarded(T a, T b) {
    if constexpr (!is_real<T>) return a % b;
    else if constexpr (is_wide<T>) return ::fmod(a, b);
    else return rounded<T>(::fmodf(f32(a), f32(b)));
}
template <class T> WGSL_FN scalar<T> div(T a, T b) {
    if constexpr (is_real<T>) return a / b;
    else return a / divisor(a, b);
}
template <class T> WGSL_FN scalar<T> rem(T a, T b) {
    if constexpr (is_real<T>) return rem_unguarded(a, b);
    else return a % divisor(a, b);
}

template <class T> WGSL_FN scalar<T> shl(T a, u32 by) { return T(word<T>(a) << (by & (sizeof(T) * 8 - 1))); }
template <class T> WGSL_FN scalar<T> shr(T a, u32 by) { return a >> (by & (sizeof(T) * 8 - 1)); }
template <class T> WGSL_FN scalar<T> bit_and(T a, T b) { return a & b; }
template <class T> WGSL_FN scalar<T> bit_or(T a, T b) { return a | b; }
template <class T> WGSL_FN scalar<T> bit_xor(T a, T b) { return a ^ b; }

template <class T> WGSL_FN truth<T> eq(T a, T b) { return a == b; }
template <class T> WGSL_FN truth<T> ne(T a, T b) { return a != b; }
template <class T> WGSL_FN truth<T> lt(T a, T b) { return a < b; }
template <class T> WGSL_FN truth<T> le(T a, T b) { return a <= b; }
template <class T> WGSL_FN truth<T> gt(T a, T b) { return a > b; }
template <class T> WGSL_FN truth<T> ge(T a, T b) { return a >= b; }
WGSL_FN bool not_(bool a) { return !a; }
WGSL_FN bool and_(bool a, bool b) { return a && b; }
WGSL_FN bool or_(bool a, bool b) { return a || b; }
WGSL_FN bool all(bool a) { return a; }
WGSL_FN bool any(bool a) { return a; }
template <class T> WGSL_FN scalar<T> select(T no, T yes, bool which) { return which ? yes : no; }

// Of a number and NaN, the number.
template <class T> WGSL_FN scalar<T> min(T a, T b) {
    if constexpr (!is_real<T>) return b < a ? b : a;
    else if constexpr (is_wide<T>) return ::fmin(a, b);
    else return rounded<T>(::fminf(f32(a), f32(b)));
}
template <class T> WGSL_FN scalar<T> max(T a, T b) {
    if constexpr (!is_real<T>) return a < b ? b : a;
    else if constexpr (is_wide<T>) return ::fmax(a, b);
    else return rounded<T>(::fmaxf(f32(a), f32(b)));
}
template <class T> WGSL_FN scalar<T> clamp(T a, T low, T high) { return min(max(a, low), high); }
template <class T> WGSL_FN scalar<T> abs(T a) {
    if constexpr (is_signed<T>) return a < 0 ? T(word<T>(0) - word<T>(a)) : a;
    else if constexpr (!is_real<T>) return a;
    else if constexpr (is_wide<T>) return ::fabs(a);
    else return rounded<T>(::fabsf(f32(a)));
}

// The lane of this invocation in its warp.
WGSL_FN u32 warp_lane() {
#ifdef CROSSLANE_EMULATION
    return emulation::lane();
#else
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
#endif
}

// An index into `count` elements; a negative one is a large one.
WGSL_FN u32 at(u32 index, u32 count) { return index < count ? index : count - 1; }
WGSL_FN u32 at(i32 index, u32 count) { return at(u32(index), count); }

} // namespace wgsl
