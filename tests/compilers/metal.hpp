// Metal's types and functions as a C++ compiler can check them: names, overloads and types, as in Apple's "Metal Shading Language
// Specification" 3.1. Nothing is defined, since nothing runs. Address spaces are not told apart, and lengths of vectors in memory
// are not Metal's. A swizzle is a call: `v.xy()`.
#pragma once
#include <cstdint>
#include <type_traits>

#define kernel
#define device
#define threadgroup
#define thread
#define constant const

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

struct half {
    half() = default;
    half(float);
    template <class T, class = std::enable_if_t<std::is_integral<T>::value>> half(T);
    operator float() const;

  private:
    uint16_t bits;
};
half operator""h(long double);

namespace metal {
using ::half;
using ::uint;
using ::ushort;
using ::uchar;
using ::ulong;

// ---- Vectors and matrices ----

template <class T, int N> struct vec;

// The type of elements, how many there are, and the same with other elements.
template <class T> struct shape { typedef T element; static constexpr int count = 1; template <class U> using with = U; };
template <class T, int N> struct shape<vec<T, N>> {
    typedef T element;
    static constexpr int count = N;
    template <class U> using with = vec<U, N>;
};
template <class T> using element = typename shape<T>::element;
template <class T, class U> using with = typename shape<T>::template with<U>;
template <class T> struct identity { typedef T type; };
// An argument that takes part in no deduction: it may be a scalar in place of a vector.
template <class T> using same = typename identity<T>::type;

template <class T> constexpr bool is_float = std::is_same<element<T>, float>::value || std::is_same<element<T>, half>::value;
template <class T> constexpr bool is_integer = std::is_integral<element<T>>::value && !std::is_same<element<T>, bool>::value;
template <class T> constexpr bool is_bool = std::is_same<element<T>, bool>::value;
template <class T> using floats = std::enable_if_t<is_float<T>, T>;
template <class T> using integers = std::enable_if_t<is_integer<T>, T>;
template <class T> using numbers = std::enable_if_t<is_float<T> || is_integer<T>, T>;

#define SWIZZLE2(a, b) vec<T, 2> a##b() const;
#define SWIZZLE3(a, b, c) vec<T, 3> a##b##c() const;
#define SWIZZLE4(a, b, c, d) vec<T, 4> a##b##c##d() const;
#define EACH2(m) m(x) m(y)
#define EACH3(m) EACH2(m) m(z)
#define EACH4(m) EACH3(m) m(w)
// A macro does not expand within itself: one for each level.
#define NEXT2(f, a) f(a, x) f(a, y)
#define NEXT3(f, a) NEXT2(f, a) f(a, z)
#define NEXT4(f, a) NEXT3(f, a) f(a, w)
#define LAST2(f, ...) f(__VA_ARGS__, x) f(__VA_ARGS__, y)
#define LAST3(f, ...) LAST2(f, __VA_ARGS__) f(__VA_ARGS__, z)
#define LAST4(f, ...) LAST3(f, __VA_ARGS__) f(__VA_ARGS__, w)
#define TRIPLES2(a, b) LAST2(SWIZZLE3, a, b)
#define TRIPLES3(a, b) LAST3(SWIZZLE3, a, b)
#define TRIPLES4(a, b) LAST4(SWIZZLE3, a, b)
#define FOURS2(a, b) LAST2(SWIZZLE4, a, b, x) LAST2(SWIZZLE4, a, b, y)
#define FOURS3(a, b) LAST3(SWIZZLE4, a, b, x) LAST3(SWIZZLE4, a, b, y) LAST3(SWIZZLE4, a, b, z)
#define FOURS4(a, b) LAST4(SWIZZLE4, a, b, x) LAST4(SWIZZLE4, a, b, y) LAST4(SWIZZLE4, a, b, z) LAST4(SWIZZLE4, a, b, w)
#define FROM2(a) NEXT2(SWIZZLE2, a) NEXT2(TRIPLES2, a) NEXT2(FOURS2, a)
#define FROM3(a) NEXT3(SWIZZLE2, a) NEXT3(TRIPLES3, a) NEXT3(FOURS3, a)
#define FROM4(a) NEXT4(SWIZZLE2, a) NEXT4(TRIPLES4, a) NEXT4(FOURS4, a)

// What vectors of all lengths have. A scalar becomes a vector by itself, a vector of other elements does not.
#define VECTOR(N)                                                                     \
    vec() = default;                                                                  \
    vec(T);                                                                           \
    template <class U> explicit vec(vec<U, N>);                                       \
    T& operator[](uint);                                                              \
    const T& operator[](uint) const;                                                  \
    vec& operator-=(vec);                                                             \
    vec operator-() const;                                                            \
    vec operator~() const;                                                            \
    vec<bool, N> operator!() const;                                                   \
    friend vec operator+(vec, vec);                                                   \
    friend vec operator-(vec, vec);                                                   \
    friend vec operator*(vec, vec);                                                   \
    friend vec operator/(vec, vec);                                                   \
    friend vec operator%(vec, vec);                                                   \
    friend vec operator&(vec, vec);                                                   \
    friend vec operator|(vec, vec);                                                   \
    friend vec operator^(vec, vec);                                                   \
    template <class U> friend std::enable_if_t<is_integer<U>, vec> operator<<(vec, vec<U, N>); \
    template <class U> friend std::enable_if_t<is_integer<U>, vec> operator>>(vec, vec<U, N>); \
    friend vec<bool, N> operator==(vec, vec);                                         \
    friend vec<bool, N> operator!=(vec, vec);                                         \
    friend vec<bool, N> operator<(vec, vec);                                          \
    friend vec<bool, N> operator<=(vec, vec);                                         \
    friend vec<bool, N> operator>(vec, vec);                                          \
    friend vec<bool, N> operator>=(vec, vec);

template <class T> struct vec<T, 2> {
    T x, y;
    VECTOR(2)
    vec(T, T);
    EACH2(FROM2)
};
template <class T> struct vec<T, 3> {
    T x, y, z;
    VECTOR(3)
    vec(T, T, T);
    vec(vec<T, 2>, T);
    vec(T, vec<T, 2>);
    EACH3(FROM3)
};
template <class T> struct vec<T, 4> {
    T x, y, z, w;
    VECTOR(4)
    vec(T, T, T, T);
    vec(vec<T, 2>, T, T);
    vec(T, vec<T, 2>, T);
    vec(T, T, vec<T, 2>);
    vec(vec<T, 2>, vec<T, 2>);
    vec(vec<T, 3>, T);
    vec(T, vec<T, 3>);
    EACH4(FROM4)
};

#define NAMED(type, name)        \
    typedef vec<type, 2> name##2; \
    typedef vec<type, 3> name##3; \
    typedef vec<type, 4> name##4;
NAMED(float, float) NAMED(half, half) NAMED(int, int) NAMED(uint, uint) NAMED(bool, bool) NAMED(short, short)
NAMED(ushort, ushort) NAMED(long, long) NAMED(ulong, ulong) NAMED(char, char) NAMED(uchar, uchar)
NAMED(float, packed_float) NAMED(half, packed_half) NAMED(int, packed_int) NAMED(uint, packed_uint)
NAMED(long, packed_long) NAMED(ulong, packed_ulong) NAMED(char, packed_char) NAMED(uchar, packed_uchar)

template <class T, int C, int R> struct matrix {
    typedef vec<T, R> column;
    matrix() = default;
    explicit matrix(T);
    template <class... More> matrix(column, column, More...);
    column& operator[](uint);
    const column& operator[](uint) const;
    friend matrix operator+(matrix, matrix);
    friend matrix operator-(matrix, matrix);
    friend matrix operator*(matrix, T);
    friend matrix operator*(T, matrix);
    friend vec<T, R> operator*(matrix, vec<T, C>);
    friend vec<T, C> operator*(vec<T, R>, matrix);
};
template <class T, int C, int R, int K> matrix<T, K, R> operator*(matrix<T, C, R>, matrix<T, K, C>);
template <class T, int C, int R> matrix<T, R, C> transpose(matrix<T, C, R>);
template <class T, int N> T determinant(matrix<T, N, N>);
#define MATRICES(type, C)                     \
    typedef matrix<type, C, 2> type##C##x2;   \
    typedef matrix<type, C, 3> type##C##x3;   \
    typedef matrix<type, C, 4> type##C##x4;
MATRICES(float, 2) MATRICES(float, 3) MATRICES(float, 4) MATRICES(half, 2) MATRICES(half, 3) MATRICES(half, 4)

// ---- Functions of numbers ----

#define UNARY(kind, name) template <class T> kind<T> name(T);
#define BINARY(kind, name) template <class T> kind<T> name(T, same<T>);
#define TERNARY(kind, name) template <class T> kind<T> name(T, same<T>, same<T>);
UNARY(floats, sin) UNARY(floats, cos) UNARY(floats, tan) UNARY(floats, asin) UNARY(floats, acos) UNARY(floats, atan)
UNARY(floats, sinh) UNARY(floats, cosh) UNARY(floats, tanh) UNARY(floats, asinh) UNARY(floats, acosh) UNARY(floats, atanh)
UNARY(floats, exp) UNARY(floats, exp2) UNARY(floats, log) UNARY(floats, log2) UNARY(floats, sqrt) UNARY(floats, rsqrt)
UNARY(floats, floor) UNARY(floats, ceil) UNARY(floats, trunc) UNARY(floats, rint) UNARY(floats, round) UNARY(floats, fract)
UNARY(floats, saturate) UNARY(floats, sign) UNARY(floats, normalize) UNARY(floats, fabs)
BINARY(floats, pow) BINARY(floats, atan2) BINARY(floats, fmod) BINARY(floats, step) BINARY(floats, reflect)
TERNARY(floats, fma) TERNARY(floats, mix) TERNARY(floats, smoothstep)
UNARY(numbers, abs) BINARY(numbers, min) BINARY(numbers, max) TERNARY(numbers, clamp)
UNARY(integers, popcount) UNARY(integers, clz) UNARY(integers, ctz) UNARY(integers, reverse_bits) BINARY(integers, mulhi)
template <class T> floats<T> ldexp(T, with<T, int>);
template <class T> floats<T> modf(T, T&);
template <class T> floats<T> frexp(T, with<T, int>&);
template <class T> integers<T> extract_bits(T, uint, uint);
template <class T> integers<T> insert_bits(T, same<T>, uint, uint);
template <class T> with<T, std::enable_if_t<is_float<T>, bool>> isnan(T);
template <class T> with<T, std::enable_if_t<is_float<T>, bool>> isinf(T);
template <class T> T select(T, same<T>, with<T, bool>);
template <int N> bool any(vec<bool, N>);
template <int N> bool all(vec<bool, N>);
bool any(bool);
bool all(bool);
template <class T, int N> T dot(vec<T, N>, vec<T, N>);
template <class T, int N> std::enable_if_t<is_float<T>, T> length(vec<T, N>);
template <class T, int N> std::enable_if_t<is_float<T>, T> distance(vec<T, N>, vec<T, N>);
template <class T> std::enable_if_t<is_float<T>, vec<T, 3>> cross(vec<T, 3>, vec<T, 3>);
uint pack_float_to_snorm4x8(float4);
uint pack_float_to_unorm4x8(float4);
uint pack_float_to_snorm2x16(float2);
uint pack_float_to_unorm2x16(float2);
float4 unpack_snorm4x8_to_float(uint);
float4 unpack_unorm4x8_to_float(uint);
float2 unpack_snorm2x16_to_float(uint);
float2 unpack_unorm2x16_to_float(uint);

// ---- Atomics ----

enum memory_order { memory_order_relaxed };
template <class T> struct atomic {
    atomic() = default;
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    T value;
};
typedef atomic<int> atomic_int;
typedef atomic<uint> atomic_uint;
typedef atomic<ulong> atomic_ulong;
typedef atomic<float> atomic_float;
template <class T> T atomic_load_explicit(const atomic<T>*, memory_order);
template <class T> void atomic_store_explicit(atomic<T>*, same<T>, memory_order);
template <class T> T atomic_exchange_explicit(atomic<T>*, same<T>, memory_order);
template <class T> bool atomic_compare_exchange_weak_explicit(atomic<T>*, T*, same<T>, memory_order, memory_order);
#define FETCH(name) template <class T> T atomic_fetch_##name##_explicit(atomic<T>*, same<T>, memory_order);
FETCH(add) FETCH(sub) FETCH(and) FETCH(or) FETCH(xor) FETCH(min) FETCH(max)
void atomic_min_explicit(atomic<ulong>*, ulong, memory_order);
void atomic_max_explicit(atomic<ulong>*, ulong, memory_order);

// ---- Workgroups and subgroups ----

enum class mem_flags { mem_none, mem_device, mem_threadgroup, mem_texture };
mem_flags operator|(mem_flags, mem_flags);
void threadgroup_barrier(mem_flags);
void simdgroup_barrier(mem_flags);
void atomic_thread_fence(mem_flags, memory_order);
struct simd_vote { explicit operator uint64_t() const; };
simd_vote simd_ballot(bool);
bool simd_all(bool);
bool simd_any(bool);
UNARY(numbers, simd_sum) UNARY(numbers, simd_product) UNARY(numbers, simd_min) UNARY(numbers, simd_max)
UNARY(numbers, simd_prefix_exclusive_sum) UNARY(numbers, simd_prefix_inclusive_sum)
UNARY(numbers, simd_prefix_exclusive_product) UNARY(numbers, simd_prefix_inclusive_product)
UNARY(integers, simd_and) UNARY(integers, simd_or) UNARY(integers, simd_xor)
template <class T> T simd_broadcast_first(T);
template <class T> T simd_broadcast(T, ushort);
template <class T> T simd_shuffle(T, ushort);
template <class T> T simd_shuffle_xor(T, ushort);
template <class T> T simd_shuffle_up(T, ushort);
template <class T> T simd_shuffle_down(T, ushort);
template <class T> T quad_broadcast(T, ushort);
template <class T> T quad_shuffle_xor(T, ushort);

// ---- Cooperative matrices ----

template <class T> struct simdgroup_matrix {
    simdgroup_matrix() = default;
    explicit simdgroup_matrix(T);
};
typedef simdgroup_matrix<float> simdgroup_float8x8;
typedef simdgroup_matrix<half> simdgroup_half8x8;
template <class T> void simdgroup_load(simdgroup_matrix<T>&, const T*, ulong = 8, ulong2 = 0, bool = false);
template <class T> void simdgroup_store(simdgroup_matrix<T>, T*, ulong = 8, ulong2 = 0, bool = false);
template <class D, class A, class C>
void simdgroup_multiply_accumulate(simdgroup_matrix<D>&, simdgroup_matrix<A>, simdgroup_matrix<A>, simdgroup_matrix<C>);

// What stands for a pointer's address space where two functions differ by it alone.
struct in_threadgroup {};
} // namespace metal

// naga names them so, and Metal takes it.
using metal::float2;
using metal::half2;
using metal::int4;
using metal::uint2;

template <class T, class U> T as_type(U) {
    using namespace metal;
    static_assert(sizeof(element<T>) * shape<T>::count == sizeof(element<U>) * shape<U>::count, "as_type of another length");
    return T();
}
