// Part 10, where used (after half and vector): several numbers in a word.
namespace wgsl {

WGSL_FN f32 quantizeToF16(f32 x) { return f32(f16::from(x)); }
WGSL_UNARY(quantizeToF16)

// All as templates: NVRTC compiles what is none, used or not.
// Two or four fields, the first one lowest.
WGSL_FN u32 fields(vec<u32, 2> v) { return v.x | v.y << 16; }
WGSL_FN u32 fields(vec<u32, 4> v) { return v.x | v.y << 8 | v.z << 16 | v.w << 24; }
WGSL_FN vec<u32, 2> halves(u32 word) { return {word & 0xffff, word >> 16}; }
WGSL_FN vec<u32, 4> bytes(u32 word) { return {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff, word >> 24}; }
template <class T> WGSL_FN i32 sign_extended(u32 field) { return i32(T(field)); }

// floor(0.5 + scale * x) of the limited x, in two rounded steps: as one the result could be another.
WGSL_FN f32 scaled(f32 x, f32 low, f32 scale) {
    return ::floorf(__fadd_rn(0.5f, __fmul_rn(scale, clamp(x, low, 1.0f))));
}
template <class T> WGSL_FN u32 pack4x8snorm(vec<T, 4> v) {
    return fields(map([](f32 x) { return u32(i32(scaled(x, -1.0f, 127.0f))) & 0xff; }, v));
}
template <class T> WGSL_FN u32 pack4x8unorm(vec<T, 4> v) {
    return fields(map([](f32 x) { return u32(scaled(x, 0.0f, 255.0f)); }, v));
}
template <class T> WGSL_FN u32 pack2x16snorm(vec<T, 2> v) {
    return fields(map([](f32 x) { return u32(i32(scaled(x, -1.0f, 32767.0f))) & 0xffff; }, v));
}
template <class T> WGSL_FN u32 pack2x16unorm(vec<T, 2> v) {
    return fields(map([](f32 x) { return u32(scaled(x, 0.0f, 65535.0f)); }, v));
}
template <class T> WGSL_FN u32 pack2x16float(vec<T, 2> v) {
    return fields(map([](f32 x) { return u32(f16::from(x).bits); }, v));
}
template <class T> WGSL_FN u32 pack4xU8(vec<T, 4> v) { return fields(bit_and(v, splat<4>(0xffu))); }
template <class T> WGSL_FN u32 pack4xI8(vec<T, 4> v) {
    return fields(map([](i32 x) { return u32(x) & 0xff; }, v));
}
template <class T> WGSL_FN u32 pack4xU8Clamp(vec<T, 4> v) { return fields(min(v, splat<4>(255u))); }
template <class T> WGSL_FN u32 pack4xI8Clamp(vec<T, 4> v) { return pack4xI8(clamp(v, splat<4>(-128), splat<4>(127))); }

template <class T> WGSL_FN vec<f32, 4> unpack4x8snorm(T word) {
    return map([](u32 x) { return ::fmaxf(f32(sign_extended<signed char>(x)) / 127.0f, -1.0f); }, bytes(word));
}
template <class T> WGSL_FN vec<f32, 4> unpack4x8unorm(T word) {
    return map([](u32 x) { return f32(x) / 255.0f; }, bytes(word));
}
template <class T> WGSL_FN vec<f32, 2> unpack2x16snorm(T word) {
    return map([](u32 x) { return ::fmaxf(f32(sign_extended<short>(x)) / 32767.0f, -1.0f); }, halves(word));
}
template <class T> WGSL_FN vec<f32, 2> unpack2x16unorm(T word) {
    return map([](u32 x) { return f32(x) / 65535.0f; }, halves(word));
}
template <class T> WGSL_FN vec<f32, 2> unpack2x16float(T word) {
    return map([](u32 x) { return f32(f16{static_cast<unsigned short>(x)}); }, halves(word));
}
template <class T> WGSL_FN vec<u32, 4> unpack4xU8(T word) { return bytes(word); }
template <class T> WGSL_FN vec<i32, 4> unpack4xI8(T word) {
    return map([](u32 x) { return sign_extended<signed char>(x); }, bytes(word));
}

} // namespace wgsl
