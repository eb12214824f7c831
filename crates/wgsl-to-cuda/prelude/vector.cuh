// Part 3, always (after half, if that is used): vectors, and each scalar function by components.
namespace wgsl {

// One component, for an index that the compiler may not know: the place of one that lies in memory.
#define WGSL_COMPONENTS(T)                                                                                             \
    WGSL_FN T& operator[](u32 i) { return reinterpret_cast<T*>(this)[i]; }                                             \
    WGSL_FN const T& operator[](u32 i) const { return reinterpret_cast<const T*>(this)[i]; }

template <class T, u32 N> struct vec;
template <class T> struct alignas(2 * sizeof(T)) vec<T, 2> {
    T x, y;
    WGSL_COMPONENTS(T)
};
template <class T> struct vec<T, 3> {
    T x, y, z;
    WGSL_COMPONENTS(T)
};
template <class T> struct alignas(4 * sizeof(T)) vec<T, 4> {
    T x, y, z, w;
    WGSL_COMPONENTS(T)
};
#undef WGSL_COMPONENTS

// A vec3 as it lies in memory, in the room of four components. Any other type is padded already.
template <class T> struct padding {
    using type = T;
};
template <class T> struct alignas(4 * sizeof(T)) padded_vec3 : vec<T, 3> {
    padded_vec3() = default;
    constexpr WGSL_FN padded_vec3(const vec<T, 3>& v) : vec<T, 3>(v) {} // constexpr for constants of a module
};
template <class T> struct padding<vec<T, 3>> {
    using type = padded_vec3<T>;
};
template <class T> using padded = typename padding<T>::type;

template <u32 N, class T> WGSL_FN vec<T, N> splat(T s) {
    if constexpr (N == 2) return {s, s};
    else if constexpr (N == 3) return {s, s, s};
    else return {s, s, s, s};
}

// f of the components of all the vectors, one after the other.
template <class F, u32 N, class A, class... B> WGSL_FN auto map(F f, const vec<A, N>& a, const vec<B, N>&... b) {
    using R = decltype(f(a.x, b.x...));
    if constexpr (N == 2) return vec<R, 2>{f(a.x, b.x...), f(a.y, b.y...)};
    else if constexpr (N == 3) return vec<R, 3>{f(a.x, b.x...), f(a.y, b.y...), f(a.z, b.z...)};
    else return vec<R, 4>{f(a.x, b.x...), f(a.y, b.y...), f(a.z, b.z...), f(a.w, b.w...)};
}

// The vector forms of a function of scalars that is declared above them; `MIXED`, those with one scalar operand too.
// Written out, not by `map`: they are in every kernel, and NVRTC pays for each call that it has to make inline.
#define WGSL_FORM(call, f)                                                                                             \
    {                                                                                                                  \
        using R = decltype(call(f, x));                                                                                \
        if constexpr (N == 2) return vec<R, 2>{call(f, x), call(f, y)};                                                \
        else if constexpr (N == 3) return vec<R, 3>{call(f, x), call(f, y), call(f, z)};                               \
        else return vec<R, 4>{call(f, x), call(f, y), call(f, z), call(f, w)};                                         \
    }
#define WGSL_CALL_A(f, i) f(a.i)
#define WGSL_CALL_AB(f, i) f(a.i, b.i)
#define WGSL_CALL_A_SCALAR(f, i) f(a.i, b)
#define WGSL_CALL_SCALAR_B(f, i) f(a, b.i)
#define WGSL_CALL_ABC(f, i) f(a.i, b.i, c.i)
#define WGSL_UNARY(f)                                                                                                  \
    template <class A, u32 N> WGSL_FN auto f(const vec<A, N>& a) WGSL_FORM(WGSL_CALL_A, f)
#define WGSL_BINARY(f)                                                                                                 \
    template <class A, class B, u32 N>                                                                                 \
    WGSL_FN auto f(const vec<A, N>& a, const vec<B, N>& b) WGSL_FORM(WGSL_CALL_AB, f)
#define WGSL_MIXED(f)                                                                                                  \
    WGSL_BINARY(f)                                                                                                     \
    template <class T, u32 N> WGSL_FN auto f(const vec<T, N>& a, scalar<T> b) WGSL_FORM(WGSL_CALL_A_SCALAR, f)         \
    template <class T, u32 N> WGSL_FN auto f(scalar<T> a, const vec<T, N>& b) WGSL_FORM(WGSL_CALL_SCALAR_B, f)
#define WGSL_TERNARY(f)                                                                                                \
    template <class A, class B, class C, u32 N>                                                                        \
    WGSL_FN auto f(const vec<A, N>& a, const vec<B, N>& b, const vec<C, N>& c) WGSL_FORM(WGSL_CALL_ABC, f)

WGSL_MIXED(add)
WGSL_MIXED(sub)
WGSL_MIXED(mul)
WGSL_MIXED(div)
WGSL_MIXED(rem)
WGSL_MIXED(div_unguarded)
WGSL_MIXED(rem_unguarded)
WGSL_UNARY(neg)
WGSL_BINARY(shl)
WGSL_BINARY(shr)
WGSL_BINARY(bit_and)
WGSL_BINARY(bit_or)
WGSL_BINARY(bit_xor)
WGSL_UNARY(bit_not)
WGSL_BINARY(eq)
WGSL_BINARY(ne)
WGSL_BINARY(lt)
WGSL_BINARY(le)
WGSL_BINARY(gt)
WGSL_BINARY(ge)
WGSL_UNARY(not_)
WGSL_BINARY(and_)
WGSL_BINARY(or_)
WGSL_BINARY(min)
WGSL_BINARY(max)
WGSL_TERNARY(clamp)
WGSL_UNARY(abs)
WGSL_TERNARY(select)
template <class T, u32 N> WGSL_FN vec<T, N> select(const vec<T, N>& no, const vec<T, N>& yes, bool which) {
    return map([which](T x, T y) { return which ? y : x; }, no, yes);
}

template <u32 N> WGSL_FN bool all(const vec<bool, N>& a) {
    if constexpr (N == 2) return a.x && a.y;
    else if constexpr (N == 3) return a.x && a.y && a.z;
    else return a.x && a.y && a.z && a.w;
}
template <u32 N> WGSL_FN bool any(const vec<bool, N>& a) { return !all(not_(a)); }

// The component of a value, or a new one in its place: by selection, where an index would send the vector to memory.
template <class T, u32 N> WGSL_FN T component(const vec<T, N>& v, u32 i) {
    T low = i == 0 ? v.x : v.y;
    if constexpr (N == 2) return low;
    else if constexpr (N == 3) return i < 2 ? low : v.z;
    else return i < 2 ? low : i == 2 ? v.z : v.w;
}
template <class T, u32 N> WGSL_FN void set_component(vec<T, N>& v, u32 i, scalar<T> s) {
    if (i == 0) v.x = s;
    if (i == 1) v.y = s;
    if constexpr (N > 2) if (i == 2) v.z = s;
    if constexpr (N > 3) if (i == 3) v.w = s;
}

} // namespace wgsl
