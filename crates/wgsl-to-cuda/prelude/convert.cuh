// Part 5, where used (after vector): conversions of value, and of type with the same bits.
namespace wgsl {

// Towards zero, NaN to 0, and beyond the range the last float inside it: where f32 lacks the integer's last bits
// that is not the last integer.
template <class To> WGSL_FN To from_f32(f32 x) {
    if constexpr (sizeof(To) == 4) {
        if constexpr (is_signed<To>) return min(__float2int_rz(x), 2147483520);
        else return min(__float2uint_rz(x), 4294967040u);
    } else {
        if (x != x) return 0;
        if constexpr (is_signed<To>) return min(__float2ll_rz(x), 9223371487098961920ll);
        else return min(__float2ull_rz(x), 18446742974197923840ull);
    }
}
template <class To> WGSL_FN To from_f64(f64 x) {
    if (x != x) return 0;
    if constexpr (sizeof(To) == 4) {
        if constexpr (is_signed<To>) return __double2int_rz(x);
        else return __double2uint_rz(x);
    } else {
        if constexpr (is_signed<To>) return min(__double2ll_rz(x), 9223372036854774784ll);
        else return min(__double2ull_rz(x), 18446744073709549568ull);
    }
}

// `To` is the scalar or vector of the result.
template <class To> struct component_of {
    using type = To;
};
template <class T, u32 N> struct component_of<vec<T, N>> {
    using type = T;
};
template <class T> struct component_of<padded_vec3<T>> {
    using type = T;
};

template <class To, class From> WGSL_FN truth<From, scalar<To>> convert(From x) {
    constexpr bool half = sizeof(From) == 2;
    if constexpr (is_bool<To>) {
        if constexpr (half) return f32(x) != 0.0f;
        else return x != From(0);
    } else if constexpr (sizeof(To) == 2) {
        if constexpr (half) return x;
        else if constexpr (is_wide<From>) return To::from(f64(x));
        else return To::from(f32(x));
    } else if constexpr (half) {
        return convert<To>(f32(x));
    } else if constexpr (is_real<From> && !is_real<To>) {
        if constexpr (is_wide<From>) return from_f64<To>(x);
        else return from_f32<To>(x);
    } else {
        return To(x);
    }
}
template <class To, class From, u32 N> WGSL_FN auto convert(vec<From, N> v) {
    return map([](From x) { return convert<typename component_of<To>::type>(x); }, v);
}

template <class To, class From> WGSL_FN truth<From, To> bitcast(From x) {
    return __builtin_bit_cast(To, x);
}
template <class To, class From, u32 N> WGSL_FN auto bitcast(vec<From, N> v) {
    if constexpr (sizeof(To) == sizeof(v)) return __builtin_bit_cast(To, v);
    else return map([](From x) { return __builtin_bit_cast(typename component_of<To>::type, x); }, v);
}

} // namespace wgsl
