// Part 6, where used (after vector): functions of an integer's bits.
namespace wgsl {

template <class T> WGSL_FN scalar<T> countOneBits(T x) {
    if constexpr (is_wide<T>) return T(__popcll(u64(x)));
    else return T(__popc(u32(x)));
}
template <class T> WGSL_FN scalar<T> countLeadingZeros(T x) {
    if constexpr (is_wide<T>) return T(__clzll(i64(x)));
    else return T(__clz(i32(x)));
}
template <class T> WGSL_FN scalar<T> reverseBits(T x) {
    if constexpr (is_wide<T>) return T(__brevll(u64(x)));
    else return T(__brev(u32(x)));
}
template <class T> WGSL_FN scalar<T> countTrailingZeros(T x) { return countLeadingZeros(reverseBits(x)); }
// -1 where there is none.
template <class T> WGSL_FN scalar<T> firstTrailingBit(T x) {
    if constexpr (is_wide<T>) return T(__ffsll(i64(x)) - 1);
    else return T(__ffs(i32(x)) - 1);
}
// Of a signed integer, the highest bit that differs from the sign.
template <class T> WGSL_FN scalar<T> firstLeadingBit(T x) {
    if constexpr (is_signed<T>) x = x < 0 ? ~x : x;
    return T(sizeof(T) * 8 - 1) - countLeadingZeros(x);
}

// `count` bits from `offset`, as many of them as there are.
template <class T> WGSL_FN scalar<T> extractBits(T x, u32 offset, u32 count) {
    offset = min(offset, 32u);
    count = min(count, 32 - offset);
    if (count == 0) return T(0);
    return T(u32(x) << (32 - offset - count)) >> (32 - count);
}
template <class T> WGSL_FN scalar<T> insertBits(T x, T bits, u32 offset, u32 count) {
    offset = min(offset, 32u);
    count = min(count, 32 - offset);
    if (count == 0) return x;
    u32 field = (~0u >> (32 - count)) << offset;
    return T((u32(x) & ~field) | ((u32(bits) << offset) & field));
}

WGSL_UNARY(countOneBits)
WGSL_UNARY(countLeadingZeros)
WGSL_UNARY(reverseBits)
WGSL_UNARY(countTrailingZeros)
WGSL_UNARY(firstTrailingBit)
WGSL_UNARY(firstLeadingBit)
template <class T, u32 N> WGSL_FN vec<T, N> extractBits(vec<T, N> v, u32 offset, u32 count) {
    return map([=](T x) { return extractBits(x, offset, count); }, v);
}
template <class T, u32 N> WGSL_FN vec<T, N> insertBits(vec<T, N> v, vec<T, N> bits, u32 offset, u32 count) {
    return map([=](T x, T y) { return insertBits(x, y, offset, count); }, v, bits);
}

WGSL_FN u32 dot4U8Packed(u32 a, u32 b) { return __dp4a(a, b, 0u); }
WGSL_FN i32 dot4I8Packed(u32 a, u32 b) { return __dp4a(i32(a), i32(b), 0); }

} // namespace wgsl
