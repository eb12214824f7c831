// CUDA on the processor, as much of it as translated kernels use, on the fibers of `fibers.hpp`. Include it before the kernel's text.
//
// No header of the C++ library, as there.
#pragma once
#define CROSSLANE_EMULATION 1

#include "../emulation/fibers.hpp"

#define __host__
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ WORKGROUP_MEMORY

using uint3 = emulation::Place;
using dim3 = emulation::Extent;
inline uint3 &threadIdx = emulation::thread_index, &blockIdx = emulation::block_index;
inline dim3 &blockDim = emulation::block_size, &gridDim = emulation::grid_size;

namespace emulation {

// ---- Conversions as the device's: towards zero, to the nearest of the range

template <class To> To towards_zero(double x, double beyond, To of_nan) {
    constexpr bool sign = To(-1) < To(0);
    constexpr To high = sign ? To((~0ull >> (65 - 8 * sizeof(To)))) : To(-1);
    if (x != x) return of_nan;
    if (x >= beyond) return high;
    if (sign ? x < -beyond : x <= 0) return sign ? To(-high - 1) : To(0);
    return static_cast<To>(x);
}

} // namespace emulation

// ---- CUDA's functions

inline void __syncthreads() { emulation::wait(emulation::BARRIER); }
inline void __syncwarp(unsigned mask = ~0u) { emulation::wait(emulation::SYNC, mask); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline unsigned emulation_active(unsigned at) { return unsigned(emulation::wait(emulation::ACTIVE, 0, 0, at)); }
#define __activemask() emulation_active(__COUNTER__) // occurrences in the order of the text
inline unsigned __ballot_sync(unsigned mask, int p) {
    return unsigned(emulation::wait(emulation::BALLOT, mask, p != 0));
}
inline int __all_sync(unsigned mask, int p) { return int(emulation::wait(emulation::ALL, mask, p != 0)); }
inline int __any_sync(unsigned mask, int p) { return int(emulation::wait(emulation::ANY, mask, p != 0)); }

#define SHUFFLE(name, how, Argument)                                                                                   \
    inline unsigned name(unsigned mask, unsigned value, Argument a) {                                                  \
        return unsigned(emulation::wait(emulation::how, mask, value, unsigned(a)));                                    \
    }                                                                                                                  \
    inline int name(unsigned mask, int value, Argument a) { return int(name(mask, unsigned(value), a)); }              \
    inline float name(unsigned mask, float value, Argument a) {                                                        \
        return emulation::bits<float>(name(mask, emulation::bits<unsigned>(value), a));                                \
    }
SHUFFLE(__shfl_sync, SHUFFLE, int)
SHUFFLE(__shfl_up_sync, UP, unsigned)
SHUFFLE(__shfl_down_sync, DOWN, unsigned)
SHUFFLE(__shfl_xor_sync, XOR_LANE, int)
#undef SHUFFLE

#define REDUCE(name, how, T)                                                                                           \
    inline T name(unsigned mask, T value) { return T(emulation::wait(emulation::how, mask, unsigned(value))); }
REDUCE(__reduce_add_sync, ADD, unsigned)
REDUCE(__reduce_add_sync, ADD, int)
REDUCE(__reduce_min_sync, MIN, unsigned)
REDUCE(__reduce_min_sync, MIN_SIGNED, int)
REDUCE(__reduce_max_sync, MAX, unsigned)
REDUCE(__reduce_max_sync, MAX_SIGNED, int)
REDUCE(__reduce_and_sync, AND, unsigned)
REDUCE(__reduce_or_sync, OR, unsigned)
REDUCE(__reduce_xor_sync, XOR, unsigned)
#undef REDUCE

// One thread runs at a time: what is read and written without a wait between is atomic.
#define ATOMIC(name, result)                                                                                           \
    template <class T> T name(T* place, T value) {                                                                     \
        T old = *place;                                                                                                \
        *place = result;                                                                                               \
        return old;                                                                                                    \
    }
ATOMIC(atomicAdd, old + value)
ATOMIC(atomicSub, old - value)
ATOMIC(atomicMin, value < old ? value : old)
ATOMIC(atomicMax, old < value ? value : old)
ATOMIC(atomicAnd, old & value)
ATOMIC(atomicOr, old | value)
ATOMIC(atomicXor, old ^ value)
ATOMIC(atomicExch, value)
#undef ATOMIC
template <class T> T atomicCAS(T* place, T compare, T value) {
    T old = *place;
    if (old == compare) *place = value;
    return old;
}
template <class T> T __ldg(const T* place) { return *place; }

extern "C" {
#define ONE(name)                                                                                                      \
    float name##f(float) noexcept;                                                                                     \
    double name(double) noexcept;
#define TWO(name)                                                                                                      \
    float name##f(float, float) noexcept;                                                                              \
    double name(double, double) noexcept;
ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
ONE(exp) ONE(exp2) ONE(log) ONE(log2) ONE(sqrt) ONE(fabs) ONE(floor) ONE(ceil) ONE(trunc) ONE(rint)
TWO(atan2) TWO(pow) TWO(fmod) TWO(fmin) TWO(fmax)
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
float ldexpf(float, int) noexcept;
double ldexp(double, int) noexcept;
#undef ONE
#undef TWO
}
inline float rsqrtf(float x) { return float(1 / __builtin_sqrt(double(x))); }
inline double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmul_rn(float a, float b) { return a * b; }

inline int __float2int_rz(float x) { return emulation::towards_zero<int>(x, 0x1p31, 0); }
inline unsigned __float2uint_rz(float x) { return emulation::towards_zero<unsigned>(x, 0x1p32, 0); }
inline long long __float2ll_rz(float x) { return emulation::towards_zero<long long>(x, 0x1p63, 1ll << 63); }
inline unsigned long long __float2ull_rz(float x) {
    return emulation::towards_zero<unsigned long long>(x, 0x1p64, 1ull << 63);
}
inline int __double2int_rz(double x) { return emulation::towards_zero<int>(x, 0x1p31, 1 << 31); }
inline unsigned __double2uint_rz(double x) { return emulation::towards_zero<unsigned>(x, 0x1p32, 1u << 31); }
inline long long __double2ll_rz(double x) { return emulation::towards_zero<long long>(x, 0x1p63, 1ll << 63); }
inline unsigned long long __double2ull_rz(double x) {
    return emulation::towards_zero<unsigned long long>(x, 0x1p64, 1ull << 63);
}

inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
    return r;
}
inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(unsigned(x))) << 32 | __brev(unsigned(x >> 32));
}
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
    return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
    return c;
}
