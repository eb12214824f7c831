// Metal's barriers, functions of a SIMD group and its matrices, on fibers. A function of a SIMD group concerns the lanes that are at
// the same place of the text: a macro tells which one.
#pragma once

namespace metal {

enum class mem_flags { mem_none, mem_device, mem_threadgroup, mem_texture };
inline mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(int(a) | int(b)); }
inline void threadgroup_barrier(mem_flags) { emulation::wait(emulation::BARRIER); }
inline void atomic_thread_fence(mem_flags, memory_order) {}

// What each lane of a SIMD group that is here brought.
template <class T> struct Brought {
    uint mask;
    T values[32];
    uint first() const { return uint(__builtin_ctz(mask)); }
    // Of a lane that is not here it is open.
    const T& of(uint lane) const {
        if (lane >= 32 || !(mask >> lane & 1)) {
            fprintf(stderr, "a shuffle from lane %u, of %08x\n", lane, mask);
            fflush(nullptr);
            __builtin_exit(3);
        }
        return values[lane];
    }
};

// Each element of 8 bytes at most is brought by itself.
template <class T> Brought<T> brought(uint at, const T& value) {
    Brought<T> all;
    typedef element<T> E;
    const uint first = emulation::linear() - emulation::lane();
    for (int i = 0; i < shape<T>::count; i++) {
        unsigned long long bits = 0;
        __builtin_memcpy(&bits, reinterpret_cast<const E*>(&value) + i, sizeof(E));
        all.mask = uint(emulation::wait(emulation::ACTIVE, 0, bits, at));
        for (uint m = all.mask; m; m &= m - 1) {
            uint lane = uint(__builtin_ctz(m));
            __builtin_memcpy(reinterpret_cast<E*>(&all.values[lane]) + i, &emulation::exchanged[first + lane], sizeof(E));
        }
    }
    return all;
}

// The lanes' values in order, up to one of them.
template <class T, class F> T folded(const Brought<T>& all, uint lanes, T from, F f) {
    for (uint m = all.mask & lanes; m; m &= m - 1) from = f(from, all.values[__builtin_ctz(m)]);
    return from;
}
inline uint before() { return (1u << emulation::lane()) - 1; }
inline uint up_to() { return before() << 1 | 1; }

inline void simdgroup_barrier_at(uint at, mem_flags) { brought(at, 0u); }
struct simd_vote {
    uint mask;
    explicit operator uint64_t() const { return mask; }
};
inline simd_vote simd_ballot_at(uint at, bool vote) {
    Brought<uint> all = brought(at, uint(vote));
    uint mask = 0;
    for (uint m = all.mask; m; m &= m - 1) mask |= all.values[__builtin_ctz(m)] << __builtin_ctz(m);
    return {mask};
}
inline bool simd_all_at(uint at, bool vote) {
    return folded(brought(at, uint(vote)), ~0u, 1u, [](uint a, uint b) { return a & b; }) != 0;
}
inline bool simd_any_at(uint at, bool vote) { return simd_ballot_at(at, vote).mask != 0; }

#define REDUCE(kind, name, lanes, identity, result)                                                           \
    template <class T> kind<T> name##_at(uint at, T value) {                                                  \
        return folded(brought(at, value), lanes, T(identity), [](T a, T b) { return T(result); });            \
    }
// The first value is as good an identity.
#define CHOOSE(kind, name, result)                                                                            \
    template <class T> kind<T> name##_at(uint at, T value) {                                                  \
        Brought<T> all = brought(at, value);                                                                  \
        return folded(all, ~0u, all.values[all.first()], [](T a, T b) { return T(result); });                 \
    }
REDUCE(numbers, simd_sum, ~0u, element<T>(0), a + b)
REDUCE(numbers, simd_product, ~0u, element<T>(1), a * b)
REDUCE(numbers, simd_prefix_exclusive_sum, before(), element<T>(0), a + b)
REDUCE(numbers, simd_prefix_inclusive_sum, up_to(), element<T>(0), a + b)
REDUCE(numbers, simd_prefix_exclusive_product, before(), element<T>(1), a * b)
REDUCE(numbers, simd_prefix_inclusive_product, up_to(), element<T>(1), a * b)
CHOOSE(numbers, simd_min, min(a, b))
CHOOSE(numbers, simd_max, max(a, b))
CHOOSE(integers, simd_and, a & b)
CHOOSE(integers, simd_or, a | b)
REDUCE(integers, simd_xor, ~0u, element<T>(0), a ^ b)

#define SHUFFLE(name, source, otherwise)                                                                      \
    template <class T> T name##_at(uint at, T value, ushort by) {                                             \
        Brought<T> all = brought(at, value);                                                                  \
        const uint me = emulation::lane(), from = source;                                                     \
        return otherwise ? value : all.of(from);                                                              \
    }
SHUFFLE(simd_broadcast, by, false)
SHUFFLE(simd_shuffle, by, false)
SHUFFLE(simd_shuffle_xor, me ^ by, false)
// Past the first or the last lane it is open; WGSL's rules keep a kernel from using what comes.
SHUFFLE(simd_shuffle_up, me - by, by > me)
SHUFFLE(simd_shuffle_down, me + by, from >= 32)
SHUFFLE(quad_broadcast, (me & ~3u) + by, false)
SHUFFLE(quad_shuffle_xor, me ^ by, false)
template <class T> T simd_broadcast_first_at(uint at, T value) {
    Brought<T> all = brought(at, value);
    return all.values[all.first()];
}

// ---- Matrices of a SIMD group: each lane has all of it ----

template <class T> struct simdgroup_matrix {
    T at[8][8];
    simdgroup_matrix() = default;
    explicit simdgroup_matrix(T diagonal) {
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++) at[r][c] = r == c ? diagonal : T(0);
    }
};
typedef simdgroup_matrix<float> simdgroup_float8x8;
typedef simdgroup_matrix<half> simdgroup_half8x8;
template <class T> void load_matrix(simdgroup_matrix<T>& to, const T* from, ulong line, ulong2 origin, bool transposed) {
    for (ulong r = 0; r < 8; r++)
        for (ulong c = 0; c < 8; c++)
            to.at[r][c] = transposed ? from[(origin.x + c) * line + origin.y + r] : from[(origin.y + r) * line + origin.x + c];
}
template <class T> void store_matrix(const simdgroup_matrix<T>& from, T* to, ulong line, ulong2 origin, bool transposed) {
    for (ulong r = 0; r < 8; r++)
        for (ulong c = 0; c < 8; c++)
            (transposed ? to[(origin.x + c) * line + origin.y + r] : to[(origin.y + r) * line + origin.x + c]) = from.at[r][c];
}
// The lanes go on when all have loaded or stored.
template <class T>
void simdgroup_load_at(uint at, simdgroup_matrix<T>& to, const T* from, ulong line = 8, ulong2 origin = 0, bool transposed = false) {
    load_matrix(to, from, line, origin, transposed);
    brought(at, 0u);
}
template <class T>
void simdgroup_store_at(uint at, simdgroup_matrix<T> from, T* to, ulong line = 8, ulong2 origin = 0, bool transposed = false) {
    brought(at, 0u);
    store_matrix(from, to, line, origin, transposed);
}
template <class D, class A, class C>
void simdgroup_multiply_accumulate(simdgroup_matrix<D>& to, simdgroup_matrix<A> a, simdgroup_matrix<A> b, simdgroup_matrix<C> c) {
    for (int r = 0; r < 8; r++)
        for (int k = 0; k < 8; k++) {
            float sum = float(c.at[r][k]);
            for (int i = 0; i < 8; i++) sum += float(a.at[r][i]) * float(b.at[i][k]);
            to.at[r][k] = D(sum);
        }
}

} // namespace metal

#define HERE(name, ...) name##_at(__COUNTER__, __VA_ARGS__)
#define simdgroup_barrier(...) HERE(simdgroup_barrier, __VA_ARGS__)
#define simd_ballot(...) HERE(simd_ballot, __VA_ARGS__)
#define simd_all(...) HERE(simd_all, __VA_ARGS__)
#define simd_any(...) HERE(simd_any, __VA_ARGS__)
#define simd_sum(...) HERE(simd_sum, __VA_ARGS__)
#define simd_product(...) HERE(simd_product, __VA_ARGS__)
#define simd_prefix_exclusive_sum(...) HERE(simd_prefix_exclusive_sum, __VA_ARGS__)
#define simd_prefix_inclusive_sum(...) HERE(simd_prefix_inclusive_sum, __VA_ARGS__)
#define simd_prefix_exclusive_product(...) HERE(simd_prefix_exclusive_product, __VA_ARGS__)
#define simd_prefix_inclusive_product(...) HERE(simd_prefix_inclusive_product, __VA_ARGS__)
#define simd_min(...) HERE(simd_min, __VA_ARGS__)
#define simd_max(...) HERE(simd_max, __VA_ARGS__)
#define simd_and(...) HERE(simd_and, __VA_ARGS__)
#define simd_or(...) HERE(simd_or, __VA_ARGS__)
#define simd_xor(...) HERE(simd_xor, __VA_ARGS__)
#define simd_broadcast_first(...) HERE(simd_broadcast_first, __VA_ARGS__)
#define simd_broadcast(...) HERE(simd_broadcast, __VA_ARGS__)
#define simd_shuffle(...) HERE(simd_shuffle, __VA_ARGS__)
#define simd_shuffle_xor(...) HERE(simd_shuffle_xor, __VA_ARGS__)
#define simd_shuffle_up(...) HERE(simd_shuffle_up, __VA_ARGS__)
#define simd_shuffle_down(...) HERE(simd_shuffle_down, __VA_ARGS__)
#define quad_broadcast(...) HERE(quad_broadcast, __VA_ARGS__)
#define quad_shuffle_xor(...) HERE(quad_shuffle_xor, __VA_ARGS__)
#define simdgroup_load(...) HERE(simdgroup_load, __VA_ARGS__)
#define simdgroup_store(...) HERE(simdgroup_store, __VA_ARGS__)
