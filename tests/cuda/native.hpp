// What kernels written by hand use of CUDA beyond what translated ones do.
#pragma once

struct alignas(16) float4 {
    float x, y, z, w;
};
template <class T> T __ldcs(const T* place) { return *place; }
inline float __uint_as_float(unsigned x) { return emulation::bits<float>(x); }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
#define __noinline__
