// Part 9, where used (after convert and geometry): matrices as columns.
namespace wgsl {

// C columns of R components, each of them as it lies in memory.
template <class T, u32 C, u32 R> struct mat {
    padded<vec<T, R>> columns[C];
    WGSL_FN padded<vec<T, R>>& operator[](u32 i) { return columns[i]; }
    WGSL_FN const padded<vec<T, R>>& operator[](u32 i) const { return columns[i]; }
};

template <class T, u32 C, u32 R> struct component_of<mat<T, C, R>> {
    using type = T;
};

// f of the columns.
template <class F, class T, u32 C, u32 R, class... B> WGSL_FN auto map(F f, mat<T, C, R> a, B... b) {
    mat<decltype(f(a[0], b[0]...).x), C, R> r;
    WGSL_UNROLL
    for (u32 i = 0; i < C; i++) r.columns[i] = f(a[i], b[i]...);
    return r;
}
#define WGSL_COLUMN const vec<T, R>&
template <class T, u32 C, u32 R> WGSL_FN mat<T, C, R> add(mat<T, C, R> a, mat<T, C, R> b) {
    return map([](WGSL_COLUMN x, WGSL_COLUMN y) { return add(x, y); }, a, b);
}
template <class T, u32 C, u32 R> WGSL_FN mat<T, C, R> sub(mat<T, C, R> a, mat<T, C, R> b) {
    return map([](WGSL_COLUMN x, WGSL_COLUMN y) { return sub(x, y); }, a, b);
}
template <class T, u32 C, u32 R> WGSL_FN mat<T, C, R> neg(mat<T, C, R> a) {
    return map([](WGSL_COLUMN x) { return neg(x); }, a);
}
template <class T, u32 C, u32 R> WGSL_FN mat<T, C, R> mul(mat<T, C, R> a, scalar<T> s) {
    return map([s](WGSL_COLUMN x) { return mul(x, s); }, a);
}
template <class T, u32 C, u32 R> WGSL_FN mat<T, C, R> mul(scalar<T> s, mat<T, C, R> a) { return mul(a, s); }
template <class To, class T, u32 C, u32 R> WGSL_FN auto convert(mat<T, C, R> a) {
    return map([](WGSL_COLUMN x) { return convert<typename component_of<To>::type>(x); }, a);
}
#undef WGSL_COLUMN

template <class T, u32 C, u32 R> WGSL_FN vec<T, R> mul(const mat<T, C, R>& a, const vec<T, C>& v) {
    vec<T, R> sum = mul(a[0], v.x);
    WGSL_UNROLL
    for (u32 i = 1; i < C; i++) sum = add(sum, mul(a[i], v[i]));
    return sum;
}
template <class T, u32 C, u32 R> WGSL_FN vec<T, C> mul(const vec<T, R>& v, const mat<T, C, R>& a) {
    vec<T, C> r;
    WGSL_UNROLL
    for (u32 i = 0; i < C; i++) r[i] = dot(v, vec<T, R>(a[i]));
    return r;
}
template <class T, u32 K, u32 C, u32 R> WGSL_FN mat<T, C, R> mul(const mat<T, K, R>& a, const mat<T, C, K>& b) {
    mat<T, C, R> r;
    WGSL_UNROLL
    for (u32 i = 0; i < C; i++) r.columns[i] = mul(a, vec<T, K>(b[i]));
    return r;
}
// a's components times each of b's: a column for each of b.
template <class T, u32 C, u32 R> WGSL_FN mat<T, C, R> outer(const vec<T, R>& a, const vec<T, C>& b) {
    mat<T, C, R> r;
    WGSL_UNROLL
    for (u32 i = 0; i < C; i++) r.columns[i] = mul(a, b[i]);
    return r;
}
template <class T, u32 C, u32 R> WGSL_FN mat<T, R, C> transpose(const mat<T, C, R>& a) {
    mat<T, R, C> r;
    WGSL_UNROLL
    for (u32 i = 0; i < C; i++) {
        WGSL_UNROLL
        for (u32 j = 0; j < R; j++) r.columns[j][i] = a.columns[i][j];
    }
    return r;
}

// By the first of the columns that are left, from `c` on, for the rows that are left.
template <class M> WGSL_FN auto laplace(const M& m, u32 c, u32 i, u32 j) {
    return m[c][i] * m[c + 1][j] - m[c][j] * m[c + 1][i];
}
template <class M> WGSL_FN auto laplace(const M& m, u32 c, u32 i, u32 j, u32 k) {
    return m[c][i] * laplace(m, c + 1, j, k) - m[c][j] * laplace(m, c + 1, i, k) + m[c][k] * laplace(m, c + 1, i, j);
}
template <class T> WGSL_FN T determinant(const mat<T, 2, 2>& m) { return laplace(m, 0, 0, 1); }
template <class T> WGSL_FN T determinant(const mat<T, 3, 3>& m) { return laplace(m, 0, 0, 1, 2); }
template <class T> WGSL_FN T determinant(const mat<T, 4, 4>& m) {
    return m[0][0] * laplace(m, 1, 1, 2, 3) - m[0][1] * laplace(m, 1, 0, 2, 3) + m[0][2] * laplace(m, 1, 0, 1, 3) -
           m[0][3] * laplace(m, 1, 0, 1, 2);
}

// The column of a value, by selection.
template <class T, u32 C, u32 R> WGSL_FN vec<T, R> component(const mat<T, C, R>& m, u32 i) {
    vec<T, R> column = m[C - 1];
    WGSL_UNROLL
    for (u32 c = 0; c + 1 < C; c++) column = select(column, vec<T, R>(m[c]), i == c);
    return column;
}

} // namespace wgsl
