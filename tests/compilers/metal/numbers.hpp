// Metal's functions of numbers, each element by itself. Halves are computed as floats and rounded.
#pragma once

namespace metal {

// A function of elements, of scalars and of vectors.
template <class T, class F> T each(F f, T a) {
    if constexpr (shape<T>::count == 1) return T(f(a));
    else {
        for (int i = 0; i < shape<T>::count; i++) a[i] = element<T>(f(a[i]));
        return a;
    }
}
template <class T, class F> T each(F f, T a, T b) {
    if constexpr (shape<T>::count == 1) return T(f(a, b));
    else {
        for (int i = 0; i < shape<T>::count; i++) a[i] = element<T>(f(a[i], b[i]));
        return a;
    }
}
template <class T, class F> T each(F f, T a, T b, T c) {
    if constexpr (shape<T>::count == 1) return T(f(a, b, c));
    else {
        for (int i = 0; i < shape<T>::count; i++) a[i] = element<T>(f(a[i], b[i], c[i]));
        return a;
    }
}

#define UNARY(kind, name, result) template <class T> kind<T> name(T v) { return each([](element<T> a) { return result; }, v); }
#define BINARY(kind, name, result) \
    template <class T> kind<T> name(T v, same<T> w) { return each([](element<T> a, element<T> b) { return result; }, v, w); }
#define TERNARY(kind, name, result)                                                              \
    template <class T> kind<T> name(T v, same<T> w, same<T> x) {                                 \
        return each([](element<T> a, element<T> b, element<T> c) { return result; }, v, w, x);   \
    }
#define LIBRARY(name) UNARY(floats, name, std::name(float(a)))
LIBRARY(sin) LIBRARY(cos) LIBRARY(tan) LIBRARY(asin) LIBRARY(acos) LIBRARY(atan) LIBRARY(sinh) LIBRARY(cosh) LIBRARY(tanh)
LIBRARY(asinh) LIBRARY(acosh) LIBRARY(atanh) LIBRARY(exp) LIBRARY(exp2) LIBRARY(log) LIBRARY(log2) LIBRARY(sqrt)
LIBRARY(floor) LIBRARY(ceil) LIBRARY(trunc) LIBRARY(rint) LIBRARY(round) LIBRARY(fabs)
#undef LIBRARY
UNARY(floats, rsqrt, float(1 / std::sqrt(double(a))))
UNARY(floats, fract, std::fmin(float(a) - std::floor(float(a)), 0x1.fffffep-1f))
UNARY(floats, saturate, std::fmin(std::fmax(float(a), 0.0f), 1.0f))
UNARY(floats, sign, a > 0 ? 1.0f : a < 0 ? -1.0f : a == 0 ? float(a) : 0.0f)
BINARY(floats, pow, std::pow(float(a), float(b)))
BINARY(floats, atan2, std::atan2(float(a), float(b)))
BINARY(floats, fmod, std::fmod(float(a), float(b)))
BINARY(floats, step, b < a ? 0.0f : 1.0f)
TERNARY(floats, fma, std::fma(float(a), float(b), float(c)))
TERNARY(floats, mix, float(a) + (float(b) - float(a)) * float(c))
inline float smooth(float t) { return t * t * (3 - 2 * t); }
TERNARY(floats, smoothstep, smooth(std::fmin(std::fmax((float(c) - float(a)) / (float(b) - float(a)), 0.0f), 1.0f)))

// Of a number and what is none, the number.
template <class T> T lesser(T a, T b) {
    if constexpr (is_float<T>) return std::fmin(float(a), float(b));
    else return b < a ? b : a;
}
template <class T> T greater(T a, T b) {
    if constexpr (is_float<T>) return std::fmax(float(a), float(b));
    else return a < b ? b : a;
}
template <class T> T magnitude(T a) {
    if constexpr (is_float<T>) return std::fabs(float(a));
    else return a < 0 ? T(0 - std::make_unsigned_t<T>(a)) : a;
}
UNARY(numbers, abs, magnitude(a))
BINARY(numbers, min, lesser(a, b))
BINARY(numbers, max, greater(a, b))
TERNARY(numbers, clamp, lesser(greater(a, b), c))

template <class T> using magnitudes = std::make_unsigned_t<T>;
template <class T> int ones(T a) { return __builtin_popcountll(uint64_t(magnitudes<T>(a))); }
template <class T> int leading(T a) { return a ? __builtin_clzll(uint64_t(magnitudes<T>(a))) - (64 - 8 * int(sizeof(T))) : 8 * int(sizeof(T)); }
template <class T> int trailing(T a) { return a ? __builtin_ctzll(uint64_t(magnitudes<T>(a))) : 8 * int(sizeof(T)); }
template <class T> T reversed(T a) {
    uint64_t all = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); i++) all = all << 1 | (magnitudes<T>(a) >> i & 1);
    return T(all);
}
template <class T> T high(T a, T b) {
    using Wide = std::conditional_t<std::is_signed<T>::value, __int128, unsigned __int128>;
    return T(Wide(a) * Wide(b) >> 8 * sizeof(T));
}
UNARY(integers, popcount, ones(a))
UNARY(integers, clz, leading(a))
UNARY(integers, ctz, trailing(a))
UNARY(integers, reverse_bits, reversed(a))
BINARY(integers, mulhi, high(a, b))

template <class T> magnitudes<T> low_bits(uint count) {
    return count >= 8 * sizeof(T) ? magnitudes<T>(~magnitudes<T>(0)) : magnitudes<T>((magnitudes<T>(1) << count) - 1);
}
inline void within(uint offset, uint count, uint bits) {
    if (offset > bits || count > bits - offset) __builtin_trap(); // undefined in Metal: naga cuts them before
}
template <class T> integers<T> extract_bits(T v, uint offset, uint count) {
    using E = element<T>;
    constexpr uint bits = 8 * sizeof(E);
    within(offset, count, bits);
    // To the top, and from there down: signed ones bring their sign.
    auto one = [&](E a) { return count ? E(E(magnitudes<E>(a) << (bits - offset - count)) >> (bits - count)) : E(0); };
    return each(one, v);
}
template <class T> integers<T> insert_bits(T v, same<T> w, uint offset, uint count) {
    using E = element<T>;
    within(offset, count, 8 * sizeof(E));
    auto one = [&](E a, E b) {
        magnitudes<E> mask = count ? magnitudes<E>(low_bits<E>(count) << offset) : 0;
        return E((magnitudes<E>(a) & ~mask) | (count ? magnitudes<E>(b) << offset & mask : 0));
    };
    return each(one, v, w);
}

template <class T> floats<T> ldexp(T v, with<T, int> by) {
    if constexpr (shape<T>::count == 1) return std::ldexp(float(v), by);
    else {
        for (int i = 0; i < shape<T>::count; i++) v[i] = std::ldexp(float(v[i]), by[i]);
        return v;
    }
}
template <class T> floats<T> modf(T v, T& whole) {
    whole = trunc(v);
    return each([](element<T> a) { return std::isinf(float(a)) ? std::copysign(0.0f, float(a)) : float(a) - std::trunc(float(a)); }, v);
}
template <class T> floats<T> frexp(T v, with<T, int>& exponent) {
    if constexpr (shape<T>::count == 1) return std::frexp(float(v), &exponent);
    else {
        for (int i = 0; i < shape<T>::count; i++) v[i] = std::frexp(float(v[i]), &exponent[i]);
        return v;
    }
}

// ---- Of truths ----

template <class T, class F> with<T, bool> truths(F f, T v) {
    if constexpr (shape<T>::count == 1) return f(v);
    else {
        with<T, bool> all;
        for (int i = 0; i < shape<T>::count; i++) all[i] = f(v[i]);
        return all;
    }
}
template <class T> with<T, std::enable_if_t<is_float<T>, bool>> isnan(T v) {
    return truths([](element<T> a) { return bool(std::isnan(float(a))); }, v);
}
template <class T> with<T, std::enable_if_t<is_float<T>, bool>> isinf(T v) {
    return truths([](element<T> a) { return bool(std::isinf(float(a))); }, v);
}
// The second where it is true.
template <class T> T select(T a, same<T> b, with<T, bool> which) {
    if constexpr (shape<T>::count == 1) return which ? b : a;
    else {
        for (int i = 0; i < shape<T>::count; i++) a[i] = which[i] ? b[i] : a[i];
        return a;
    }
}
template <int N> bool any(vec<bool, N> v) {
    bool some = false;
    for (int i = 0; i < N; i++) some |= v[i];
    return some;
}
template <int N> bool all(vec<bool, N> v) { return !any(!v); }
inline bool any(bool v) { return v; }
inline bool all(bool v) { return v; }

// ---- Of vectors ----

template <class T, int N> T dot(vec<T, N> a, vec<T, N> b) {
    T sum = T(a[0] * b[0]);
    for (int i = 1; i < N; i++) sum = T(sum + a[i] * b[i]);
    return sum;
}
template <class T, int N> std::enable_if_t<is_float<T>, T> length(vec<T, N> a) { return sqrt(dot(a, a)); }
template <class T, int N> std::enable_if_t<is_float<T>, T> distance(vec<T, N> a, vec<T, N> b) { return length(a - b); }
template <class T, int N> std::enable_if_t<is_float<T>, vec<T, N>> normalize(vec<T, N> a) { return a / vec<T, N>(length(a)); }
template <class T, int N> std::enable_if_t<is_float<T>, vec<T, N>> reflect(vec<T, N> a, vec<T, N> n) {
    return a - vec<T, N>(T(2 * dot(n, a))) * n;
}
template <class T> std::enable_if_t<is_float<T>, vec<T, 3>> cross(vec<T, 3> a, vec<T, 3> b) {
    return vec<T, 3>(T(a.y * b.z - a.z * b.y), T(a.z * b.x - a.x * b.z), T(a.x * b.y - a.y * b.x));
}

// ---- Numbers between -1 or 0 and 1, as integers ----

template <class V> uint pack(V v, float low, float scale, int bits) {
    uint all = 0;
    for (int i = 0; i < shape<V>::count; i++) {
        int one = int(std::rint(std::fmin(std::fmax(v[i], low), 1.0f) * scale));
        all |= (uint(one) & ((1u << bits) - 1)) << bits * i;
    }
    return all;
}
template <class V> V unpack(uint all, bool sign, float scale, int bits) {
    V v;
    for (int i = 0; i < shape<V>::count; i++) {
        uint top = all << (32 - bits * (i + 1));
        float one = sign ? float(int(top) >> (32 - bits)) : float(top >> (32 - bits));
        v[i] = std::fmax(one / scale, -1.0f);
    }
    return v;
}
inline uint pack_float_to_snorm4x8(float4 v) { return pack(v, -1, 127, 8); }
inline uint pack_float_to_unorm4x8(float4 v) { return pack(v, 0, 255, 8); }
inline uint pack_float_to_snorm2x16(float2 v) { return pack(v, -1, 32767, 16); }
inline uint pack_float_to_unorm2x16(float2 v) { return pack(v, 0, 65535, 16); }
inline float4 unpack_snorm4x8_to_float(uint a) { return unpack<float4>(a, true, 127, 8); }
inline float4 unpack_unorm4x8_to_float(uint a) { return unpack<float4>(a, false, 255, 8); }
inline float2 unpack_snorm2x16_to_float(uint a) { return unpack<float2>(a, true, 32767, 16); }
inline float2 unpack_unorm2x16_to_float(uint a) { return unpack<float2>(a, false, 65535, 16); }

} // namespace metal
