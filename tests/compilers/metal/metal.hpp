// Metal's types and functions as a C++ compiler takes them: names, overloads and types, as in Apple's "Metal Shading Language
// Specification" 3.1, with definitions, so that kernels run too. Address spaces are not told apart. A swizzle is a call: `v.xy()`.
#pragma once
#include "../../emulation/fibers.hpp"
#include <cmath>
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

#include "half.hpp"

namespace metal {
using ::half;
using ::uint;
using ::ushort;
using ::uchar;
using ::ulong;
} // namespace metal

#include "vectors.hpp"

#include "numbers.hpp"

#include "atomics.hpp"

#include "subgroups.hpp"

namespace metal {

// What stands for a pointer's address space where two functions differ by it alone.
struct in_threadgroup {};

// ---- Where a thread is: the attributes of a kernel's parameters ----

namespace attribute {
inline uint3 place(emulation::Place at) { return uint3(at.x, at.y, at.z); }
inline uint3 thread_position_in_threadgroup() { return place(emulation::thread_index); }
inline uint3 threadgroup_position_in_grid() { return place(emulation::block_index); }
inline uint3 threadgroups_per_grid() { return uint3(emulation::grid_size.x, emulation::grid_size.y, emulation::grid_size.z); }
inline uint3 thread_position_in_grid() {
    uint3 size(emulation::block_size.x, emulation::block_size.y, emulation::block_size.z);
    return threadgroup_position_in_grid() * size + thread_position_in_threadgroup();
}
inline uint thread_index_in_threadgroup() { return emulation::linear(); }
inline uint thread_index_in_simdgroup() { return emulation::lane(); }
inline uint simdgroup_index_in_threadgroup() { return emulation::linear() / 32; }
inline uint simdgroups_per_threadgroup() { return (emulation::count + 31) / 32; }
inline uint threads_per_simdgroup() { return 32; }
} // namespace attribute
} // namespace metal

// naga names them so, and Metal takes it.
using metal::float2;
using metal::half2;
using metal::int4;
using metal::uint2;

template <class T, class U> T as_type(U from) {
    using namespace metal;
    static_assert(sizeof(element<T>) * shape<T>::count == sizeof(element<U>) * shape<U>::count, "as_type of another length");
    T to;
    __builtin_memcpy(static_cast<void*>(&to), &from, sizeof(element<U>) * shape<U>::count);
    return to;
}
