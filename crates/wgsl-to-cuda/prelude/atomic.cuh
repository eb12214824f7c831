// Part 11, where used (after scalar): atomic operations, relaxed, on global and workgroup memory.
namespace wgsl {

// As the unsigned integer of its size: what CUDA has all of them for.
template <class T> struct same_size;
template <> struct same_size<i32> { using type = u32; };
template <> struct same_size<u32> { using type = u32; };
template <> struct same_size<f32> { using type = u32; };
template <> struct same_size<i64> { using type = u64; };
template <> struct same_size<u64> { using type = u64; };
template <> struct same_size<f64> { using type = u64; };
template <class T> using bits_of = typename same_size<T>::type;
template <class T> WGSL_FN bits_of<T>* bits_at(T* place) { return reinterpret_cast<bits_of<T>*>(place); }
template <class T> WGSL_FN bits_of<T> to_bits(T x) { return __builtin_bit_cast(bits_of<T>, x); }

// One access, which is neither left out nor split.
template <class T> WGSL_FN T atomicLoad(const T* place) { return *const_cast<const volatile T*>(place); }
template <class T> WGSL_FN void atomicStore(T* place, scalar<T> value) { *const_cast<volatile T*>(place) = value; }

template <class T> WGSL_FN T atomicAdd(T* place, scalar<T> value) {
    if constexpr (is_real<T>) return ::atomicAdd(place, value);
    else return T(::atomicAdd(bits_at(place), word<T>(value)));
}
template <class T> WGSL_FN T atomicSub(T* place, scalar<T> value) { return atomicAdd(place, neg(value)); }
template <class T> WGSL_FN T atomicMin(T* place, scalar<T> value) { return ::atomicMin(place, value); }
template <class T> WGSL_FN T atomicMax(T* place, scalar<T> value) { return ::atomicMax(place, value); }
template <class T> WGSL_FN T atomicAnd(T* place, scalar<T> value) {
    return T(::atomicAnd(bits_at(place), word<T>(value)));
}
template <class T> WGSL_FN T atomicOr(T* place, scalar<T> value) {
    return T(::atomicOr(bits_at(place), word<T>(value)));
}
template <class T> WGSL_FN T atomicXor(T* place, scalar<T> value) {
    return T(::atomicXor(bits_at(place), word<T>(value)));
}
template <class T> WGSL_FN T atomicExchange(T* place, scalar<T> value) {
    return __builtin_bit_cast(T, ::atomicExch(bits_at(place), to_bits(value)));
}

template <class T> struct exchange_result {
    T old_value;
    bool exchanged;
};
template <class T> WGSL_FN exchange_result<T> atomicCompareExchangeWeak(T* place, scalar<T> compare, scalar<T> value) {
    bits_of<T> wanted = to_bits(compare);
    bits_of<T> old = ::atomicCAS(bits_at(place), wanted, to_bits(value));
    return {__builtin_bit_cast(T, old), old == wanted};
}

} // namespace wgsl
