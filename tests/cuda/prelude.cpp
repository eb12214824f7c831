// The prelude of the cuda engine against tables written from the WGSL specification.
//
// g++ -std=c++17 prelude.cpp runs it with the emulation: it prints the lines of the rows that are wrong, and exits with
// 1 if there are any. Behind all parts of the prelude it is a text for NVRTC: three kernels that write to `wrong` the
// number of wrong rows and their lines.
#ifndef __CUDACC_RTC__
#include "emulation.hpp"
#define PART(name) PART_AS_TEXT(../../crates/wgsl-to-cuda/prelude/name.cuh)
#define PART_AS_TEXT(path) #path
#include PART(scalar)
#include PART(half)
#include PART(vector)
#include PART(memory)
#include PART(convert)
#include PART(integer)
#include PART(math)
#include PART(geometry)
#include PART(matrix)
#include PART(pack)
#include PART(atomic)
#include PART(subgroup)
#include PART(cooperative)
#endif

using namespace wgsl;

using vec2f = vec<f32, 2>;
using vec3f = vec<f32, 3>;
using vec4f = vec<f32, 4>;
using vec2i = vec<i32, 2>;
using vec3i = vec<i32, 3>;
using vec4i = vec<i32, 4>;
using vec2u = vec<u32, 2>;
using vec3u = vec<u32, 3>;
using vec4u = vec<u32, 4>;
using vec2b = vec<bool, 2>;
using vec3b = vec<bool, 3>;
using vec4b = vec<bool, 4>;

constexpr u32 ROOM = 64; // lines that are kept

struct Report {
    u32* wrong;
    __device__ void line(u32 number) {
        u32 n = ::atomicAdd(wrong, 1u);
        if (n + 1 < ROOM) wrong[n + 1] = number;
    }
};

// A value that the compiler does not know.
template <class T> __device__ T hidden(T x) {
    volatile T v = x;
    return v;
}
__device__ f16 hidden(f16 x) { return f16{hidden(x.bits)}; }
template <class T> __device__ vec<T, 2> hidden(vec<T, 2> v) { return {hidden(v.x), hidden(v.y)}; }
template <class T> __device__ vec<T, 3> hidden(vec<T, 3> v) { return {hidden(v.x), hidden(v.y), hidden(v.z)}; }
template <class T> __device__ vec<T, 4> hidden(vec<T, 4> v) {
    return {hidden(v.x), hidden(v.y), hidden(v.z), hidden(v.w)};
}

// The same bits, but one NaN for another.
__device__ bool same(bool a, bool b) { return a == b; }
__device__ bool same(u32 a, u32 b) { return a == b; }
__device__ bool same(i32 a, i32 b) { return a == b; }
__device__ bool same(u64 a, u64 b) { return a == b; }
__device__ bool same(i64 a, i64 b) { return a == b; }
__device__ bool same(f16 a, f16 b) { return a.bits == b.bits || (a != a && b != b); }
__device__ bool same(f32 a, f32 b) { return bitcast<u32>(a) == bitcast<u32>(b) || (a != a && b != b); }
__device__ bool same(f64 a, f64 b) { return bitcast<u64>(a) == bitcast<u64>(b) || (a != a && b != b); }
template <class T, u32 N> __device__ bool same(vec<T, N> a, vec<T, N> b) {
    bool all = true;
    for (u32 i = 0; i < N; i++) all = all && same(a[i], b[i]);
    return all;
}

#define ROW(expression, wanted)                                                                                        \
    if (!same(expression, wanted)) report.line(__LINE__);
#define NEAR(expression, wanted)                                                                                       \
    if (!(::fabs(f64(expression) - (wanted)) <= 3e-7 * ::fabs(wanted))) report.line(__LINE__);
#define H(x) hidden(x)
#define F(x) hidden(x##f)
#define I(x) hidden(i32(x))
#define U(x) hidden(u32(x))

constexpr i32 LEAST = i32(0x80000000);
constexpr i32 MOST = 0x7fffffff;
constexpr u32 ALL = 0xffffffff;
constexpr i64 LEAST64 = i64(1ull << 63);
#define INFINITE bitcast<f32>(0x7f800000u)
#define NOT_A_NUMBER bitcast<f32>(0x7fc00000u)

__device__ __noinline__ void arithmetic(Report report) {
    ROW(add(I(MOST), I(1)), LEAST)
    ROW(sub(I(LEAST), I(1)), MOST)
    ROW(sub(U(0), U(1)), ALL)
    ROW(mul(I(0x10001), I(0x10001)), 0x20001)
    ROW(mul(I(LEAST), I(-1)), LEAST)
    ROW(neg(I(LEAST)), LEAST)
    ROW(neg(F(0.0)), -0.0f)
    ROW(wgsl::div(I(-7), I(2)), -3)
    ROW(wgsl::div(I(7), I(0)), 7)
    ROW(wgsl::div(I(LEAST), I(-1)), LEAST)
    ROW(wgsl::div(I(LEAST), I(0)), LEAST)
    ROW(wgsl::div(U(7), U(0)), 7u)
    ROW(wgsl::div(U(ALL), U(2)), 0x7fffffffu)
    ROW(rem(I(-7), I(2)), -1)
    ROW(rem(I(7), I(-2)), 1)
    ROW(rem(I(7), I(0)), 0)
    ROW(rem(I(LEAST), I(-1)), 0)
    ROW(rem(U(7), U(0)), 0u)
    ROW(rem(F(-7.5), F(2.0)), -1.5f)
    ROW(wgsl::div(H((vec3i{7, LEAST, -9})), H((vec3i{0, -1, 2}))), (vec3i{7, LEAST, -4}))
    ROW(rem(I(-9), H((vec2i{4, 0}))), (vec2i{-1, 0}))
    ROW(wgsl::div(H((vec2u{9, 9})), U(0)), (vec2u{9, 9}))
    ROW(wgsl::div(hidden(LEAST64), hidden(-1ll)), LEAST64)
    ROW(wgsl::div(hidden(7ll), hidden(0ll)), 7ll)
    ROW(rem(hidden(LEAST64), hidden(-1ll)), 0ll)
    ROW(rem(hidden(7ull), hidden(0ull)), 0ull)
    ROW(add(hidden(~0ull), hidden(2ull)), 1ull)
    ROW(shl(U(1), U(33)), 2u)
    ROW(shr(I(-8), U(34)), -2)
    ROW(shl(I(3), U(31)), LEAST)
    ROW(shl(H((vec2i{1, -1})), H((vec2u{4, 30}))), (vec2i{16, -0x40000000}))
    ROW(shr(hidden(LEAST64), U(63)), -1ll)
    ROW(shl(hidden(1ll), U(64 + 40)), 1ll << 40)
    ROW(bit_not(U(0x0f0f0f0f)), 0xf0f0f0f0u)
    ROW(bit_xor(H((vec2u{1, 2})), H((vec2u{3, 3}))), (vec2u{2, 1}))
    ROW(bit_and(H((vec2b{true, true})), H((vec2b{true, false}))), (vec2b{true, false}))
    ROW(wgsl::abs(I(LEAST)), LEAST)
    ROW(wgsl::abs(F(-0.0)), 0.0f)
    ROW(wgsl::abs(U(ALL)), ALL)
    // As many elements as WGSL can count, of bindings up to 16 GiB.
    ROW((span<f16>{nullptr, hidden(2ull * ALL)}.length()), ALL)
    ROW((span<f16>{nullptr, hidden(8ull << 30)}.length()), ALL)
    ROW((span<f16>{nullptr, hidden(12ull << 30)}.length()), ALL)
    ROW((span<f16>{nullptr, hidden(16ull << 30)}.length()), ALL)
    ROW((span<u32>{nullptr, hidden(4ull * ALL)}.length()), ALL)
    ROW((span<u32>{nullptr, hidden(16ull << 30)}.length()), ALL)
    ROW((span<u64>{nullptr, hidden(16ull << 30)}.length()), 0x80000000u)
    ROW((span<vec4u>{nullptr, hidden(16ull << 30)}.length()), 0x40000000u)
    ROW((span<f16>{nullptr, hidden(6ull)}.length()), 3u)
    ROW(at(U(ALL), span<u32>{nullptr, hidden(16ull << 30)}.length()), ALL - 1)
    ROW(sign(I(LEAST)), -1)
    ROW(sign(F(-2.5)), -1.0f)
    ROW(sign(F(1e-45)), 1.0f)
    ROW(sign(hidden(-5ll)), -1ll)
    ROW(wgsl::min(I(-1), I(1)), -1)
    ROW(wgsl::max(U(ALL), U(1)), ALL)
    ROW(wgsl::min(F(1.0), hidden(NOT_A_NUMBER)), 1.0f)
    ROW(wgsl::max(hidden(NOT_A_NUMBER), F(1.0)), 1.0f)
    // min(max(e, low), high), whatever low and high are.
    ROW(clamp(I(5), I(9), I(2)), 2)
    ROW(clamp(I(1), I(9), I(2)), 2)
    ROW(clamp(U(20), U(9), U(2)), 2u)
    ROW(clamp(F(5.0), F(9.0), F(2.0)), 2.0f)
    ROW(clamp(H((vec2f{5, -5})), H((vec2f{0, 0})), H((vec2f{3, 3}))), (vec2f{3, 0}))
    ROW(lt(I(-1), I(0)), true)
    ROW(lt(U(ALL), U(0)), false)
    ROW(eq(F(0.0), F(-0.0)), true)
    ROW(ne(hidden(NOT_A_NUMBER), hidden(NOT_A_NUMBER)), true)
    ROW(ge(H((vec2f{1, 2})), H((vec2f{1, 3}))), (vec2b{true, false}))
    ROW(not_(H((vec2b{true, false}))), (vec2b{false, true}))
    ROW(all(H((vec3b{true, true, false}))), false)
    ROW(any(H((vec4b{false, false, true, false}))), true)
    ROW(wgsl::select(I(1), I(2), hidden(true)), 2)
    ROW(wgsl::select(H((vec2u{1, 2})), H((vec2u{3, 4})), hidden(true)), (vec2u{3, 4}))
    ROW(wgsl::select(H((vec2u{1, 2})), H((vec2u{3, 4})), H((vec2b{true, false}))), (vec2u{3, 2}))
    ROW(at(I(-1), 8), 7u)
    ROW(at(U(8), 8), 7u)
    ROW(at(U(3), 8), 3u)
    vec4u v{1, 2, 3, 4};
    ROW(component(v, U(2)), 3u)
    set_component(v, U(3), 9u);
    ROW(v, (vec4u{1, 2, 3, 9}))
    vec3f three{1, 2, 3};
    padded<vec3f> lying = three;
    ROW(add(lying, 1.0f), (vec3f{2, 3, 4}))
    ROW(mul(lying, lying), (vec3f{1, 4, 9}))
    ROW(wgsl::select(lying, lying, true), three)
    ROW(load(lying), three)
}

__device__ __noinline__ void bits(Report report) {
    ROW(countOneBits(I(-1)), 32)
    ROW(countOneBits(U(0x8001)), 2u)
    ROW(reverseBits(U(0xf00d)), 0xb00f0000u)
    ROW(countLeadingZeros(U(0)), 32u)
    ROW(countLeadingZeros(I(-1)), 0)
    ROW(countLeadingZeros(I(MOST)), 1)
    ROW(countTrailingZeros(U(0)), 32u)
    ROW(countTrailingZeros(U(0x80000000)), 31u)
    ROW(countTrailingZeros(I(-1)), 0)
    ROW(firstLeadingBit(U(0)), ALL)
    ROW(firstLeadingBit(U(ALL)), 31u)
    ROW(firstLeadingBit(I(0)), -1)
    ROW(firstLeadingBit(I(-1)), -1)
    ROW(firstLeadingBit(I(-2)), 0)
    ROW(firstLeadingBit(I(LEAST)), 30)
    ROW(firstLeadingBit(H((vec4i{0, -1, 5, LEAST}))), (vec4i{-1, -1, 2, 30}))
    ROW(firstTrailingBit(U(0)), ALL)
    ROW(firstTrailingBit(I(0)), -1)
    ROW(firstTrailingBit(I(-2)), 1)
    ROW(countOneBits(hidden(~0ull)), 64ull)
    ROW(countLeadingZeros(hidden(0ull)), 64ull)
    ROW(countTrailingZeros(hidden(1ll << 40)), 40ll)
    ROW(firstLeadingBit(hidden(0ull)), ~0ull)
    ROW(firstLeadingBit(hidden(LEAST64)), 62ll)
    ROW(firstTrailingBit(hidden(0ll)), -1ll)
    ROW(reverseBits(hidden(1ull)), 1ull << 63)
    // o = min(offset, 32), c = min(count, 32 - o); signed results extend the sign.
    ROW(extractBits(U(0xabcd1234), U(8), U(8)), 0x12u)
    ROW(extractBits(U(0xabcd1234), U(0), U(32)), 0xabcd1234u)
    ROW(extractBits(U(0xabcd1234), U(5), U(0)), 0u)
    ROW(extractBits(U(0xabcd1234), U(32), U(4)), 0u)
    ROW(extractBits(U(0xabcd1234), U(99), U(99)), 0u)
    ROW(extractBits(U(0xabcd1234), U(24), U(16)), 0xabu)
    ROW(extractBits(U(0xabcd1234), U(24), U(ALL)), 0xabu)
    ROW(extractBits(I(-1), U(5), U(0)), 0)
    ROW(extractBits(I(0x80), U(4), U(4)), -8)
    ROW(extractBits(I(0x70), U(4), U(4)), 7)
    ROW(extractBits(I(LEAST), U(0), U(32)), LEAST)
    ROW(extractBits(I(LEAST), U(28), U(32)), -8)
    ROW(extractBits(I(-1), U(32), U(1)), 0)
    ROW(extractBits(H((vec2u{0xff00, 0x1200})), U(8), U(8)), (vec2u{0xff, 0x12}))
    ROW(insertBits(U(0), U(ALL), U(4), U(8)), 0xff0u)
    ROW(insertBits(U(ALL), U(0), U(0), U(32)), 0u)
    ROW(insertBits(U(0x1234), U(ALL), U(5), U(0)), 0x1234u)
    ROW(insertBits(U(0x1234), U(ALL), U(32), U(5)), 0x1234u)
    ROW(insertBits(U(0), U(ALL), U(28), U(32)), 0xf0000000u)
    ROW(insertBits(I(-1), I(0), U(31), U(1)), MOST)
    ROW(insertBits(H((vec2i{-1, 0})), H((vec2i{0, -1})), U(0), U(4)), (vec2i{-16, 15}))
    ROW(dot4U8Packed(U(0x010203ff), U(0x010101ff)), 0xfe01u + 6)
    ROW(dot4I8Packed(U(ALL), U(0x01020304)), -10)
    ROW(dot4I8Packed(U(0x7f800001), U(0x807f0005)), -16256 - 16256 + 5)
}

__device__ __noinline__ void conversions(Report report) {
    ROW(convert<i32>(F(2.9)), 2)
    ROW(convert<i32>(F(-2.9)), -2)
    ROW(convert<u32>(F(-0.9)), 0u)
    ROW(convert<u32>(F(-5.0)), 0u)
    ROW(convert<u32>(F(4294967040.0)), 0xffffff00u)
    ROW(convert<u32>(F(1e20)), 0xffffff00u)
    ROW(convert<i32>(F(-1e20)), LEAST)
    ROW(convert<i32>(F(2147483648.0)), 2147483520)
    ROW(convert<i32>(hidden(INFINITE)), 2147483520)
    ROW(convert<i32>(hidden(NOT_A_NUMBER)), 0)
    ROW(convert<u32>(hidden(NOT_A_NUMBER)), 0u)
    ROW(convert<i64>(hidden(NOT_A_NUMBER)), 0ll)
    ROW(convert<u64>(hidden(NOT_A_NUMBER)), 0ull)
    ROW(convert<i64>(F(1e30)), 9223371487098961920ll)
    ROW(convert<i64>(F(-1e30)), LEAST64)
    ROW(convert<u64>(F(1e30)), 18446742974197923840ull)
    ROW(convert<u64>(F(-1.0)), 0ull)
    ROW(convert<i32>(hidden(-7.9)), -7)
    ROW(convert<i32>(hidden(1e30)), MOST)
    ROW(convert<u32>(hidden(1e30)), ALL)
    ROW(convert<i32>(hidden(f64(NOT_A_NUMBER))), 0)
    ROW(convert<i64>(hidden(1e30)), 9223372036854774784ll)
    ROW(convert<u64>(hidden(1e30)), 18446744073709549568ull)
    ROW(convert<i64>(hidden(f64(NOT_A_NUMBER))), 0ll)
    ROW(convert<f32>(I(LEAST)), -2147483648.0f)
    ROW(convert<f32>(U(0xffffffff)), 4294967296.0f)
    ROW(convert<f32>(hidden(16777217ll)), 16777216.0f)
    ROW(convert<f32>(hidden(true)), 1.0f)
    ROW(convert<bool>(F(-0.0)), false)
    ROW(convert<bool>(F(0.5)), true)
    ROW(convert<bool>(hidden(1ll << 32)), true)
    ROW(convert<u32>(I(-1)), ALL)
    ROW(convert<i64>(I(-1)), -1ll)
    ROW(convert<u64>(U(ALL)), 0xffffffffull)
    ROW(convert<u32>(hidden(0x580000001ull)), 0x80000001u)
    ROW((convert<vec3i>(H((vec3f{1.5f, -1.5f, 1e20f})))), (vec3i{1, -1, 2147483520}))
    ROW(convert<f32>(H((vec2b{true, false}))), (vec2f{1, 0}))
    ROW(bitcast<u32>(F(1.0)), 0x3f800000u)
    ROW(bitcast<f32>(H((vec2u{0x3f800000, 0x40000000}))), (vec2f{1, 2}))
    ROW(bitcast<vec2i>(H((vec2u{1, ALL}))), (vec2i{1, -1}))
    // f16: to the nearest, ties to even; too large is infinite.
    ROW(convert<f16>(F(1.0)), (f16{0x3c00}))
    ROW(convert<f16>(F(65519.0)), (f16{0x7bff}))
    ROW(convert<f16>(F(65520.0)), (f16{0x7c00}))
    ROW(convert<f16>(F(2049.0)), (f16{0x6800}))
    ROW(convert<f16>(F(2051.0)), (f16{0x6802}))
    ROW(convert<f16>(F(5.9604645e-8)), (f16{0x0001}))
    ROW(convert<f16>(hidden(2049.0000001)), (f16{0x6801}))
    ROW(convert<f16>(I(-3)), (f16{0xc200}))
    ROW(convert<f32>(hidden(f16{0x0001})), 5.9604645e-8f)
    ROW(convert<i32>(hidden(f16{0xc780})), -7)
    ROW(convert<u32>(hidden(f16{0x7c00})), 4294967040u)
    ROW(convert<bool>(hidden(f16{0x8000})), false)
    ROW(add(hidden(f16{0x3e00}), hidden(f16{0xb400})), (f16{0x3d00}))
    ROW(sub(hidden(f16{0x6800}), hidden(f16{0x4000})), (f16{0x67fe}))
    ROW(wgsl::div(hidden(f16{0x4880}), hidden(f16{0x4400})), (f16{0x4080}))
    ROW(wgsl::fma(hidden(f16{0x4200}), hidden(f16{0x4400}), hidden(f16{0x3c00})), (f16{0x4a80}))
    ROW(neg(hidden(f16{0})), (f16{0x8000}))
    ROW(wgsl::max(hidden(f16{0x3c00}), hidden(f16{0x7e00})), (f16{0x3c00}))
    ROW(wgsl::floor(hidden(f16{0xbe00})), (f16{0xc000}))
    ROW(mul(vec<f16, 3>{{0x3c00}, {0x4000}, {0x4200}}, hidden(f16{0x4000})),
        (vec<f16, 3>{{0x4000}, {0x4400}, {0x4600}}))
    ROW(lt(hidden(f16{0xc000}), hidden(f16{0x3c00})), true)
}

__device__ __noinline__ void floats(Report report) {
    ROW(wgsl::round(F(0.5)), 0.0f)
    ROW(wgsl::round(F(2.5)), 2.0f)
    ROW(wgsl::round(F(-1.5)), -2.0f)
    ROW(wgsl::round(F(2.5000002)), 3.0f)
    ROW(wgsl::round(F(0.49999997)), 0.0f)
    ROW(wgsl::round(hidden(2.5)), 2.0)
    ROW(wgsl::floor(F(-1.5)), -2.0f)
    ROW(wgsl::ceil(F(1.01)), 2.0f)
    ROW(wgsl::trunc(F(-1.99)), -1.0f)
    ROW(fract(F(-1.25)), 0.75f)
    ROW(fract(F(-2.0)), 0.0f)
    ROW(saturate(F(7.0)), 1.0f)
    ROW(saturate(F(-0.5)), 0.0f)
    ROW(saturate(hidden(NOT_A_NUMBER)), 0.0f)
    ROW(step(F(2.0), F(2.0)), 1.0f)
    ROW(step(F(2.0), F(1.0)), 0.0f)
    ROW(mix(F(2.0), F(10.0), F(0.25)), 4.0f)
    ROW(mix(F(1e30), F(1.0), F(1.0)), 1.0f)
    ROW(mix(H((vec2f{2, 4})), H((vec2f{10, 8})), F(0.5)), (vec2f{6, 6}))
    ROW(smoothstep(F(0.0), F(2.0), F(1.0)), 0.5f)
    ROW(smoothstep(F(0.0), F(2.0), F(3.0)), 1.0f)
    ROW(wgsl::fma(F(3.0), F(4.0), F(5.0)), 17.0f)
    ROW(isnan_(hidden(NOT_A_NUMBER)), true)
    ROW(isinf_(hidden(-INFINITE)), true)
    ROW(isinf_(F(3e38)), false)
    ROW(wgsl::ldexp(F(1.5), I(3)), 12.0f)
    ROW(wgsl::ldexp(F(1.0), I(-149)), 1.4e-45f)
    ROW(wgsl::ldexp(F(1.0), I(2000000000)), INFINITE)
    ROW(wgsl::ldexp(H((vec2f{3, -1})), H((vec2i{0, 10}))), (vec2f{3, -1024}))
    ROW(wgsl::frexp(F(12.0)).fract, 0.75f)
    ROW(wgsl::frexp(F(12.0)).exp, 4)
    ROW(wgsl::frexp(F(-0.375)).fract, -0.75f)
    ROW(wgsl::frexp(F(-0.375)).exp, -1)
    ROW(wgsl::frexp(F(0.0)).exp, 0)
    ROW(wgsl::frexp(F(-0.0)).fract, -0.0f)
    ROW(wgsl::frexp(F(1.4e-45)).fract, 0.5f)
    ROW(wgsl::frexp(F(1.4e-45)).exp, -148)
    ROW(wgsl::frexp(hidden(-12.0)).fract, -0.75)
    ROW(wgsl::frexp(hidden(-12.0)).exp, 4)
    ROW(wgsl::frexp(hidden(5e-324)).exp, -1073)
    ROW(wgsl::frexp(hidden(INFINITE)).exp, 0)
    ROW(wgsl::frexp(H((vec3f{8, -3, 0.5f}))).exp, (vec3i{4, 2, 0}))
    ROW(wgsl::modf(F(-3.75)).fract, -0.75f)
    ROW(wgsl::modf(F(-3.75)).whole, -3.0f)
    ROW(wgsl::modf(hidden(INFINITE)).fract, 0.0f)
    ROW(wgsl::modf(H((vec2f{1.5f, -2.5f}))).whole, (vec2f{1, -2}))
    NEAR(wgsl::sin(F(0.5)), 0.479425538604203)
    NEAR(wgsl::cos(H((vec2f{0.5f, 1})).x), 0.877582561890373)
    NEAR(wgsl::tan(F(0.5)), 0.5463024898437905)
    NEAR(wgsl::asin(F(0.5)), 0.5235987755982989)
    NEAR(wgsl::acos(F(0.5)), 1.0471975511965979)
    NEAR(wgsl::atan(F(0.5)), 0.4636476090008061)
    NEAR(wgsl::sinh(F(0.5)), 0.5210953054937474)
    NEAR(wgsl::cosh(F(0.5)), 1.1276259652063807)
    NEAR(wgsl::tanh(F(0.5)), 0.46211715726000973)
    NEAR(wgsl::asinh(F(0.5)), 0.48121182505960347)
    NEAR(wgsl::acosh(F(1.5)), 0.9624236501192069)
    NEAR(wgsl::atanh(F(0.5)), 0.5493061443340549)
    NEAR(wgsl::exp(F(0.5)), 1.6487212707001282)
    NEAR(wgsl::exp2(F(0.5)), 1.4142135623730951)
    NEAR(wgsl::log(F(3.0)), 1.0986122886681098)
    NEAR(wgsl::log2(F(3.0)), 1.584962500721156)
    NEAR(wgsl::pow(F(3.0), F(0.5)), 1.7320508075688772)
    NEAR(wgsl::atan2(F(1.0), F(-2.0)), 2.677945044588987)
    NEAR(inverseSqrt(F(3.0)), 0.5773502691896258)
    NEAR(radians(F(90.0)), 1.5707963267948966)
    NEAR(degrees(F(1.0)), 57.29577951308232)
    ROW(wgsl::sqrt(hidden(2.0)), 1.4142135623730951)
    NEAR(wgsl::sin(hidden(0.5)), 0.479425538604203)
    NEAR(f32(wgsl::exp(hidden(f16{0}))), 1.0)
}

__device__ __noinline__ void wholes(Report report) {
    ROW(wgsl::dot(H((vec3i{1, -2, 3})), H((vec3i{4, 5, 6}))), 12)
    ROW(wgsl::dot(H((vec2u{0x80000000, 1})), H((vec2u{2, 7}))), 7u)
    ROW(wgsl::dot(H((vec3f{1, 2, 3})), H((vec3f{4, -5, 6}))), 12.0f)
    ROW(wgsl::dot(H((vec<i64, 2>{1 << 20, 1 << 20})), H((vec<i64, 2>{1 << 20, 1 << 20}))), 1ll << 41)
    ROW(wgsl::cross(H((vec3f{1, 2, 3})), H((vec3f{4, 5, 7}))), (vec3f{-1, 5, -3}))
    ROW(wgsl::length(F(-3.0)), 3.0f)
    ROW(wgsl::length(H((vec2f{3, 4}))), 5.0f)
    ROW(wgsl::distance(H((vec2f{1, 1})), H((vec2f{4, 5}))), 5.0f)
    ROW(wgsl::normalize(H((vec2f{0, -4}))), (vec2f{0, -1}))
    ROW(wgsl::faceForward(H((vec2f{1, 2})), H((vec2f{1, 0})), H((vec2f{-1, 0}))), (vec2f{1, 2}))
    ROW(wgsl::faceForward(H((vec2f{1, 2})), H((vec2f{1, 0})), H((vec2f{1, 0}))), (vec2f{-1, -2}))
    ROW(wgsl::reflect(H((vec2f{3, -4})), H((vec2f{0, 1}))), (vec2f{3, 4}))
    ROW(wgsl::refract(H((vec2f{0, -1})), H((vec2f{0, 1})), F(0.5)), (vec2f{0, -1}))
    ROW(wgsl::refract(H((vec2f{1, 0})), H((vec2f{0, 1})), F(2.0)), (vec2f{0, 0}))
    mat<f32, 2, 2> m{{H((vec2f{1, 2})), H((vec2f{3, 4}))}};
    mat<f32, 2, 3> tall{{H((vec3f{1, 2, 3})), H((vec3f{4, 5, 6}))}};
    mat<f32, 3, 2> wide{{vec2f{1, 2}, vec2f{1, 2}, vec2f{2, 0}}};
    ROW(mul(m, H((vec2f{10, 1}))), (vec2f{13, 24}))
    ROW(mul(H((vec2f{10, 1})), m), (vec2f{12, 34}))
    ROW(mul(tall, H((vec2f{1, 10}))), (vec3f{41, 52, 63}))
    ROW(mul(H((vec3f{1, 10, 100})), tall), (vec2f{321, 654}))
    ROW(mul(m, mat<f32, 2, 2>{{vec2f{3, 4}, vec2f{1, 2}}})[0], (vec2f{15, 22}))
    ROW(load(mul(tall, wide)[2]), (vec3f{2, 4, 6}))
    ROW(transpose(tall)[2], (vec2f{3, 6}))
    ROW(add(m, m)[1], (vec2f{6, 8}))
    ROW(sub(m, m)[1], (vec2f{0, 0}))
    ROW(mul(2.0f, m)[1], (vec2f{6, 8}))
    ROW(load(mul(tall, 2.0f)[1]), (vec3f{8, 10, 12}))
    ROW(wgsl::determinant(m), -2.0f)
    ROW(wgsl::determinant(mat<f32, 3, 3>{{H((vec3f{2, 0, 0})), vec3f{7, 3, 0}, vec3f{1, 1, 4}}}), 24.0f)
    mat<f32, 4, 4> large{{H((vec4f{0, 2, 0, 0})), vec4f{1, 0, 0, 0}, vec4f{0, 0, 3, 5}, vec4f{0, 0, 0, 1}}};
    ROW(wgsl::determinant(large), -6.0f)
    ROW(outer(H((vec2f{1, 2})), H((vec3f{3, 4, 5})))[2], (vec2f{5, 10}))
    ROW(component(tall, U(1)), (vec3f{4, 5, 6}))
    ROW((convert<mat<f16, 2, 2>>(m)[1]), (vec<f16, 2>{{0x4200}, {0x4400}}))
    ROW(convert<f16>(m)[1], (vec<f16, 2>{{0x4200}, {0x4400}}))
    ROW(pack2x16float(H((vec2f{1, -2}))), 0xc0003c00u)
    ROW(unpack2x16float(U(0x7bff0400)), (vec2f{6.1035156e-5f, 65504}))
    ROW(pack2x16unorm(H((vec2f{-1, 2}))), 0xffff0000u)
    ROW(pack2x16unorm(H((vec2f{0.25f, 0.75f}))), 0xbfff4000u)
    ROW(pack2x16snorm(H((vec2f{-7, 7}))), 0x7fff8001u)
    ROW(pack4x8unorm(H((vec4f{0, 1, 0.2f, -3}))), 0x0033ff00u)
    ROW(pack4x8snorm(H((vec4f{0.25f, -0.25f, 0.75f, -0.75f}))), 0xa15fe020u)
    ROW(unpack4x8unorm(U(0x00ffff00)), (vec4f{0, 1, 1, 0}))
    ROW(unpack4x8snorm(U(0x80817f00)), (vec4f{0, 1, -1, -1}))
    ROW(unpack2x16unorm(U(0xffff0000)), (vec2f{0, 1}))
    ROW(unpack2x16snorm(U(0x80007fff)), (vec2f{1, -1}))
    ROW(pack4xI8(H((vec4i{1, -2, 300, LEAST}))), 0x002cfe01u)
    ROW(pack4xU8(H((vec4u{1, 254, 300, ALL}))), 0xff2cfe01u)
    ROW(pack4xI8Clamp(H((vec4i{1, -200, 300, -1}))), 0xff7f8001u)
    ROW(pack4xU8Clamp(H((vec4u{1, 200, 300, ALL}))), 0xffffc801u)
    ROW(unpack4xI8(U(0x80ff7f01)), (vec4i{1, 127, -1, -128}))
    ROW(unpack4xU8(U(0x80ff7f01)), (vec4u{1, 127, 255, 128}))
    ROW(quantizeToF16(F(0.33325195)), 0.33325195f)
    ROW(quantizeToF16(H((vec2f{2048, 1e-10f}))), (vec2f{2048, 0}))
}

static_assert(sizeof(vec2f) == 8 && alignof(vec2f) == 8 && sizeof(vec3f) == 12 && alignof(vec3f) == 4, "");
static_assert(sizeof(vec4f) == 16 && alignof(vec4f) == 16 && sizeof(padded<vec3f>) == 16, "");
static_assert(sizeof(mat<f32, 3, 3>) == 48 && sizeof(mat<f32, 2, 2>) == 16 && sizeof(vec<f16, 4>) == 8, "");
static_assert(sizeof(array<padded<vec3f>, 5>) == 80 && sizeof(padded<vec2f>) == 8, "");

// One thread.
extern "C" __global__ void values(u32* wrong) {
    Report report{wrong};
    arithmetic(report);
    bits(report);
    conversions(report);
    floats(report);
    wholes(report);
}

// Blocks of any size: what a lane gets against the values of all lanes of its warp.
__device__ __noinline__ void warp(Report report, u32 mask, const u32* all, u32 me) {
    u32 v = all[me], sum = 0, product = 1, least = ALL, most = 0, before = 0, factors = 1, bits = 0, first = 32;
    i32 lowest = MOST;
    for (u32 i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        if (i < me) before += all[i], factors *= all[i];
        sum += all[i], product *= all[i], bits |= (all[i] & 1) << i;
        least = wgsl::min(least, all[i]), most = wgsl::max(most, all[i]), lowest = wgsl::min(lowest, i32(all[i]));
        first = wgsl::min(first, i);
    }
    auto lane = [&](u32 i) { return i < 32 && (mask >> i & 1) ? all[i] : v; };
    f32 f = f32(v & 15);
    ROW(subgroupAdd(mask, v), sum)
    ROW(subgroupAdd(mask, i32(v)), i32(sum))
    ROW(subgroupMul(mask, v), product)
    ROW(subgroupMin(mask, v), least)
    ROW(subgroupMin(mask, i32(v)), lowest)
    ROW(subgroupMax(mask, v), most)
    ROW(subgroupMax(mask, f32(v >> 8)), f32(most >> 8))
    ROW(subgroupAdd(mask, u64(v) << 32), u64(sum) << 32)
    ROW(subgroupAdd(mask, vec2u{v, 1}), (vec2u{sum, u32(__popc(mask))}))
    ROW(convert<u32>(subgroupAdd(mask, convert<f16>(1.0f))), u32(__popc(mask)))
    ROW(subgroupInclusiveAdd(mask, v), before + v)
    ROW(subgroupExclusiveAdd(mask, v), before)
    ROW(subgroupInclusiveMul(mask, v), factors * v)
    ROW(subgroupExclusiveMul(mask, v), factors)
    ROW(subgroupExclusiveAdd(mask, 1.0f), f32(__popc(mask & ((1u << me) - 1))))
    ROW(subgroupBallot(mask, (v & 1) != 0), (vec4u{bits, 0, 0, 0}))
    ROW(subgroupAll(mask, (v & 1) != 0), bits == mask)
    ROW(subgroupAny(mask, (v & 1) != 0), bits != 0)
    ROW(subgroupBroadcast(mask, v, 3), lane(3))
    ROW(subgroupBroadcastFirst(mask, v), all[first])
    ROW(subgroupShuffle(mask, v, (me * 7 + 3) % 40), lane((me * 7 + 3) % 40))
    ROW(subgroupShuffle(mask, u64(v) << 20 | 1, me ^ 5), u64(lane(me ^ 5)) << 20 | 1)
    ROW(subgroupShuffle(mask, vec2f{f, 1}, me ^ 1), (vec2f{f32(lane(me ^ 1) & 15), 1}))
    ROW(subgroupShuffle(mask, (v & 1) != 0, me ^ 1), (lane(me ^ 1) & 1) != 0)
    ROW(subgroupShuffleUp(mask, v, 2), lane(me - 2))
    ROW(subgroupShuffleDown(mask, v, 3), lane(me + 3))
    ROW(subgroupShuffleXor(mask, v, 4), lane(me ^ 4))
    ROW(quadBroadcast(mask, v, 2), lane((me & ~3u) + 2))
    ROW(quadSwapX(mask, v), lane(me ^ 1))
    ROW(quadSwapY(mask, v), lane(me ^ 2))
    ROW(quadSwapDiagonal(mask, v), lane(me ^ 3))
}

extern "C" __global__ void subgroups(u32* wrong) {
    Report report{wrong};
    __shared__ array<u32, 1024> all;
    u32 i = threadIdx.x, me = i % 32, first = i - me, count = wgsl::min(32u, blockDim.x - first);
    all[i] = (i * 0x9e3779b9u + blockIdx.x) | 1;
    if (i % 3 == 0) all[i] ^= 1;
    workgroupBarrier();
    ROW(warp_lane(), me)
    warp(report, count == 32 ? ALL : (1u << count) - 1, &all[first], me);
    if (all[i] & 0x10000) {
        warp(report, __activemask(), &all[first], me);
    } else if (me > 4) {
        warp(report, __activemask(), &all[first], me);
    }
    for (u32 k = 0; k < me % 3; k++) {
        [[maybe_unused]] u32 others = 0;
        for (u32 lane = 0; lane < count; lane++) others += lane % 3 > k;
        u32 active = __activemask();
        ROW(subgroupAdd(active, 1u), u32(__popc(active)))
#ifdef CROSSLANE_EMULATION // a device may let lanes of the same turn go on apart
        ROW(u32(__popc(active)), others)
#endif
    }
    subgroupBarrier(count == 32 ? ALL : (1u << count) - 1);
    ROW(workgroupUniformLoad(&all[0]), all[0])
}

template <class T> __device__ bool added(T* place, T value) { return wgsl::atomicAdd(place, value) < T(1 << 30); }

// 64 threads.
extern "C" __global__ void memory(u32* wrong) {
    Report report{wrong};
    __shared__ struct {
        u32 sum;
        i32 least, most;
        u64 wide;
        i64 lowest;
        f32 real;
        u32 bits, once, turns;
    } s;
    __shared__ array<padded<vec<f16, 4>>, 128> tiles;
    __shared__ array<f32, 272> products;
    u32 i = threadIdx.x;
    if (i == 0) s = {0, 100, -100, 0, 5, 0.0f, 0, 7, 0};
    f16* tile = reinterpret_cast<f16*>(&tiles);
    for (u32 k = i; k < 512; k += 64) tile[k] = convert<f16>(k * 5 % 7);
    for (u32 k = i; k < 272; k += 64) products[k] = f32(k % 3);
    workgroupBarrier();
    ROW(added(&s.sum, i), true)
    wgsl::atomicMin(&s.least, 20 - i32(i));
    wgsl::atomicMax(&s.most, i32(i));
    wgsl::atomicAdd(&s.wide, 1ull << 33);
    wgsl::atomicMin(&s.lowest, -i64(i));
    wgsl::atomicAdd(&s.real, 0.5f);
    wgsl::atomicOr(&s.bits, 1u << i % 8);
    if (wgsl::atomicCompareExchangeWeak(&s.once, 7u, 100 + i).exchanged) wgsl::atomicAdd(&s.turns, 1u);
    workgroupBarrier();
    ROW(wgsl::atomicLoad(&s.sum), 2016u)
    ROW(s.least, -43)
    ROW(s.most, 63)
    ROW(s.wide, 64ull << 33)
    ROW(s.lowest, -63ll)
    ROW(s.real, 32.0f)
    ROW(s.bits, 255u)
    ROW(s.turns, 1u)
    workgroupBarrier();
    wgsl::atomicSub(&s.sum, i);
    wgsl::atomicXor(&s.bits, 1u);
    wgsl::atomicStore(&s.least, 3);
    workgroupBarrier();
    ROW(s.sum, 0u)
    ROW(s.bits, 255u)
    ROW(wgsl::atomicLoad(&s.least), 3)
    workgroupBarrier();
    if (i == 0) {
        ROW(wgsl::atomicExchange(&s.real, 1.5f), 32.0f)
        ROW(wgsl::atomicExchange(&s.real, 2.0f), 1.5f)
        ROW(wgsl::atomicCompareExchangeWeak(&s.real, 2.5f, 1.0f).old_value, 2.0f)
        ROW(wgsl::atomicAnd(&s.lowest, 1ll), -63ll)
    }
    workgroupBarrier();
    // a by columns from tile, b by rows 17 apart, the sum by rows 17 apart: alignment that tensor cores do not like.
    if (i < 32) {
        auto a = coopLoad<coop<f16, 16, 16, role::A>, true>(&tiles[0], 4);
        auto b = coopLoadT<coop<f16, 16, 16, role::B>, true>(tile + 3, 17);
        auto c = coopLoadT<coop<f32, 16, 16, role::C>>(&products[0], 17);
        coopStoreT(mul(add(coopMultiplyAdd(a, b, c), c), 2.0f), &products[0], 17);
    }
    workgroupBarrier();
    for (u32 k = i; k < 256; k += 64) {
        f32 sum = 2 * f32((k / 16 * 17 + k % 16) % 3);
        for (u32 n = 0; n < 16; n++) sum += f32(tile[n * 16 + k / 16]) * f32(tile[3 + n * 17 + k % 16]);
        ROW(products[k / 16 * 17 + k % 16], 2 * sum)
    }
    workgroupBarrier();
    // By rows with 16 bytes' alignment, by columns, into f16.
    if (i < 32) {
        auto a = coopLoadT<coop<f16, 16, 16, role::A>, true>(tile + 8, 16);
        auto b = coopLoad<coop<f16, 16, 16, role::B>, true>(tile, 24);
        coopStore(coopMultiplyAdd(a, b, coop<f16, 16, 16, role::C>{}), reinterpret_cast<f16*>(&products), 16);
    }
    workgroupBarrier();
    for (u32 k = i; k < 256; k += 64) {
        f32 sum = 0;
        for (u32 n = 0; n < 16; n++) sum += f32(tile[8 + k / 16 * 16 + n]) * f32(tile[k % 16 * 24 + n]);
        ROW(f32(reinterpret_cast<f16*>(&products)[k % 16 * 16 + k / 16]), sum)
    }
}

#ifndef __CUDACC_RTC__
int main() {
    u32 wrong[ROOM] = {};
    emulation::Pointer pointer{wrong};
    emulation::launch(1, 1, 0, [&] { values(pointer); });
    const unsigned sizes[] = {64, 45, 1, 13};
    for (unsigned size : sizes) emulation::launch(3, size, 0, [&] { subgroups(pointer); });
    emulation::launch(2, 64, 0, [&] { memory(pointer); });
    for (u32 i = 1; i <= wrong[0] && i < ROOM; i++) printf("prelude.cpp:%u: wrong\n", wrong[i]);
    printf("%u wrong\n", wrong[0]);
    return wrong[0] != 0;
}
#endif
