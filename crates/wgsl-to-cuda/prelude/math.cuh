// Part 7, where used (after vector): the functions of floats, by components; f16 is computed as f32.
namespace wgsl {

// Those that CUDA has, by its names for f32 and for f64.
#define WGSL_MATH(f, single, twofold)                                                                                  \
    template <class T> WGSL_FN scalar<T> f(T x) {                                                                      \
        if constexpr (is_wide<T>) return ::twofold(x);                                                                 \
        else return rounded<T>(::single(f32(x)));                                                                      \
    }                                                                                                                  \
    WGSL_UNARY(f)
WGSL_MATH(ceil, ceilf, ceil)
WGSL_MATH(floor, floorf, floor)
WGSL_MATH(round, rintf, rint)
WGSL_MATH(trunc, truncf, trunc)
WGSL_MATH(sqrt, sqrtf, sqrt)
WGSL_MATH(inverseSqrt, rsqrtf, rsqrt)
WGSL_MATH(sin, sinf, sin)
WGSL_MATH(cos, cosf, cos)
WGSL_MATH(tan, tanf, tan)
WGSL_MATH(asin, asinf, asin)
WGSL_MATH(acos, acosf, acos)
WGSL_MATH(atan, atanf, atan)
WGSL_MATH(sinh, sinhf, sinh)
WGSL_MATH(cosh, coshf, cosh)
WGSL_MATH(tanh, tanhf, tanh)
WGSL_MATH(asinh, asinhf, asinh)
WGSL_MATH(acosh, acoshf, acosh)
WGSL_MATH(atanh, atanhf, atanh)
WGSL_MATH(exp, expf, exp)
WGSL_MATH(exp2, exp2f, exp2)
WGSL_MATH(log, logf, log)
WGSL_MATH(log2, log2f, log2)
#undef WGSL_MATH

template <class T> WGSL_FN scalar<T> atan2(T y, T x) {
    if constexpr (is_wide<T>) return ::atan2(y, x);
    else return rounded<T>(::atan2f(f32(y), f32(x)));
}
template <class T> WGSL_FN scalar<T> pow(T x, T y) {
    if constexpr (is_wide<T>) return ::pow(x, y);
    else return rounded<T>(::powf(f32(x), f32(y)));
}
template <class T> WGSL_FN scalar<T> fma(T a, T b, T c) {
    if constexpr (sizeof(T) == 2) return T::fused(a, b, c);
    else if constexpr (is_wide<T>) return ::fma(a, b, c);
    else return ::fmaf(a, b, c);
}
template <class T> WGSL_FN scalar<T> ldexp(T x, i32 exponent) {
    if constexpr (is_wide<T>) return ::ldexp(x, exponent);
    else return rounded<T>(::ldexpf(f32(x), exponent));
}

template <class T> WGSL_FN scalar<T> sign(T x) {
    if constexpr (!is_real<T>) return T(x > 0) - T(x < 0);
    else return x > rounded<T>(0.0f) ? rounded<T>(1.0f) : x < rounded<T>(0.0f) ? rounded<T>(-1.0f) : x;
}
template <class T> WGSL_FN scalar<T> fract(T x) { return x - floor(x); }
template <class T> WGSL_FN scalar<T> saturate(T x) { return clamp(x, rounded<T>(0.0f), rounded<T>(1.0f)); }
template <class T> WGSL_FN scalar<T> radians(T x) { return x * rounded<T>(0.017453292519943295); }
template <class T> WGSL_FN scalar<T> degrees(T x) { return x * rounded<T>(57.29577951308232); }
template <class T> WGSL_FN scalar<T> step(T edge, T x) { return rounded<T>(edge <= x ? 1.0f : 0.0f); }
// Exact at both ends.
template <class T> WGSL_FN scalar<T> mix(T a, T b, T t) { return a * (rounded<T>(1.0f) - t) + b * t; }
template <class T> WGSL_FN scalar<T> smoothstep(T low, T high, T x) {
    T t = saturate((x - low) / (high - low));
    return t * t * (rounded<T>(3.0f) - rounded<T>(2.0f) * t);
}
template <class T> WGSL_FN truth<T> isnan_(T x) { return x != x; }
template <class T> WGSL_FN truth<T> isinf_(T x) {
    if constexpr (is_wide<T>) return ::fabs(x) > 1.7976931348623157e308;
    else return ::fabsf(f32(x)) > 3.4028234664e38f;
}

WGSL_BINARY(atan2)
WGSL_BINARY(pow)
WGSL_TERNARY(fma)
WGSL_BINARY(ldexp)
WGSL_UNARY(sign)
WGSL_UNARY(fract)
WGSL_UNARY(saturate)
WGSL_UNARY(radians)
WGSL_UNARY(degrees)
WGSL_BINARY(step)
WGSL_TERNARY(mix)
template <class T, u32 N> WGSL_FN vec<T, N> mix(const vec<T, N>& a, const vec<T, N>& b, scalar<T> t) {
    return mix(a, b, splat<N>(t));
}
WGSL_TERNARY(smoothstep)
WGSL_UNARY(isnan_)
WGSL_UNARY(isinf_)

// `T` is a float or a vector of floats.
template <class T> struct exponent_of {
    using type = i32;
};
template <class T, u32 N> struct exponent_of<vec<T, N>> {
    using type = vec<i32, N>;
};
template <class T> struct frexp_result {
    T fract;
    typename exponent_of<T>::type exp;
};
template <class T> struct modf_result {
    T fract, whole;
};

// By the bits of a float with `digits` of them behind the point.
template <class Word, int digits, class T> WGSL_FN frexp_result<T> split(T x) {
    constexpr int most = (1 << (sizeof(T) * 8 - 1 - digits)) - 1;
    constexpr Word field = Word(most) << digits;
    if (x == T(0)) return {x, 0};
    int bias = most / 2 - 1;
    if (!(__builtin_bit_cast(Word, x) & field)) {
        x *= T(0x1p64f); // subnormal
        bias += 64;
    }
    Word bits = __builtin_bit_cast(Word, x);
    int exponent = int((bits & field) >> digits);
    if (exponent == most) return {x, 0}; // infinite or NaN
    return {__builtin_bit_cast(T, (bits & ~field) | Word(most / 2 - 1) << digits), exponent - bias};
}
template <class T> WGSL_FN frexp_result<scalar<T>> frexp(T x) {
    if constexpr (is_wide<T>) return split<u64, 52>(x);
    else {
        auto parts = split<u32, 23>(f32(x));
        return {rounded<T>(parts.fract), parts.exp};
    }
}
template <class T, u32 N> WGSL_FN frexp_result<vec<T, N>> frexp(vec<T, N> v) {
    return {map([](T x) { return frexp(x).fract; }, v), map([](T x) { return frexp(x).exp; }, v)};
}

template <class T> WGSL_FN modf_result<scalar<T>> modf(T x) {
    T whole = trunc(x);
    return {isinf_(x) ? rounded<T>(0.0f) : x - whole, whole};
}
template <class T, u32 N> WGSL_FN modf_result<vec<T, N>> modf(vec<T, N> v) {
    return {map([](T x) { return modf(x).fract; }, v), trunc(v)};
}

} // namespace wgsl
