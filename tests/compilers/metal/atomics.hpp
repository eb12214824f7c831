// Metal's atomics: one thread runs at a time, and nothing waits between a read and its write.
#pragma once

namespace metal {

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
template <class T> T atomic_load_explicit(const atomic<T>* a, memory_order) { return a->value; }
template <class T> void atomic_store_explicit(atomic<T>* a, same<T> v, memory_order) { a->value = v; }
#define FETCH(name, result)                                                       \
    template <class T> T atomic_##name##_explicit(atomic<T>* a, same<T> v, memory_order) { \
        T old = a->value;                                                         \
        a->value = result;                                                        \
        return old;                                                               \
    }
FETCH(exchange, v) FETCH(fetch_add, old + v) FETCH(fetch_sub, old - v) FETCH(fetch_and, old & v) FETCH(fetch_or, old | v)
FETCH(fetch_xor, old ^ v) FETCH(fetch_min, lesser(old, v)) FETCH(fetch_max, greater(old, v))
#undef FETCH
inline void atomic_min_explicit(atomic<ulong>* a, ulong v, memory_order) { a->value = lesser(a->value, v); }
inline void atomic_max_explicit(atomic<ulong>* a, ulong v, memory_order) { a->value = greater(a->value, v); }
// A weak exchange may fail for no reason: one in eight does.
template <class T>
bool atomic_compare_exchange_weak_explicit(atomic<T>* a, T* expected, same<T> v, memory_order, memory_order) {
    static unsigned turn = 0;
    T old = a->value;
    bool swaps = old == *expected && ++turn % 8 != 0;
    if (swaps) a->value = v;
    *expected = old;
    return swaps;
}

} // namespace metal
