// Part 8, where used (after vector and math): functions of a vector as a whole.
namespace wgsl {

template <class T, u32 N> WGSL_FN T dot(vec<T, N> a, vec<T, N> b) {
    T sum = add(mul(a.x, b.x), mul(a.y, b.y));
    if constexpr (N > 2) sum = add(sum, mul(a.z, b.z));
    if constexpr (N > 3) sum = add(sum, mul(a.w, b.w));
    return sum;
}
template <class T> WGSL_FN vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T> WGSL_FN scalar<T> length(T x) { return abs(x); }
template <class T, u32 N> WGSL_FN T length(vec<T, N> v) { return sqrt(dot(v, v)); }
template <class T> WGSL_FN scalar<T> distance(T a, T b) { return abs(a - b); }
template <class T, u32 N> WGSL_FN T distance(vec<T, N> a, vec<T, N> b) { return length(sub(a, b)); }
template <class T, u32 N> WGSL_FN vec<T, N> normalize(vec<T, N> v) { return div(v, length(v)); }
template <class T, u32 N> WGSL_FN vec<T, N> faceForward(vec<T, N> v, vec<T, N> incident, vec<T, N> normal) {
    return dot(incident, normal) < rounded<T>(0.0f) ? v : sub(rounded<T>(0.0f), v);
}
template <class T, u32 N> WGSL_FN vec<T, N> reflect(vec<T, N> v, vec<T, N> normal) {
    return sub(v, mul(rounded<T>(2.0f) * dot(normal, v), normal));
}
template <class T, u32 N> WGSL_FN vec<T, N> refract(vec<T, N> v, vec<T, N> normal, scalar<T> ratio) {
    const T zero = rounded<T>(0.0f), one = rounded<T>(1.0f);
    T along = dot(normal, v);
    T k = one - ratio * ratio * (one - along * along);
    if (k < zero) return splat<N>(zero);
    return sub(mul(ratio, v), mul(ratio * along + sqrt(k), normal));
}

} // namespace wgsl
