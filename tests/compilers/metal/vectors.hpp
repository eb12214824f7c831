// Metal's vectors and matrices, with its sizes and alignments. A swizzle is a call: `v.xy()`.
#pragma once

namespace metal {

template <class T, int N> struct vec;

// The type of elements, how many there are, and the same with other elements.
template <class T> struct shape { typedef T element; static constexpr int count = 1; template <class U> using with = U; };
template <class T, int N> struct shape<vec<T, N>> {
    typedef T element;
    static constexpr int count = N;
    template <class U> using with = vec<U, N>;
};
template <class T> using element = typename shape<T>::element;
template <class T, class U> using with = typename shape<T>::template with<U>;
template <class T> struct identity { typedef T type; };
// An argument that takes part in no deduction: it may be a scalar in place of a vector.
template <class T> using same = typename identity<T>::type;

template <class T> constexpr bool is_float = std::is_same<element<T>, float>::value || std::is_same<element<T>, half>::value;
template <class T> constexpr bool is_integer = std::is_integral<element<T>>::value && !std::is_same<element<T>, bool>::value;
template <class T> constexpr bool is_bool = std::is_same<element<T>, bool>::value;
template <class T> using floats = std::enable_if_t<is_float<T>, T>;
template <class T> using integers = std::enable_if_t<is_integer<T>, T>;
template <class T> using numbers = std::enable_if_t<is_float<T> || is_integer<T>, T>;

#define SWIZZLE2(a, b) vec<T, 2> a##b() const { return vec<T, 2>(a, b); }
#define SWIZZLE3(a, b, c) vec<T, 3> a##b##c() const { return vec<T, 3>(a, b, c); }
#define SWIZZLE4(a, b, c, d) vec<T, 4> a##b##c##d() const { return vec<T, 4>(a, b, c, d); }
#define EACH2(m) m(x) m(y)
#define EACH3(m) EACH2(m) m(z)
#define EACH4(m) EACH3(m) m(w)
// A macro does not expand within itself: one for each level.
#define NEXT2(f, a) f(a, x) f(a, y)
#define NEXT3(f, a) NEXT2(f, a) f(a, z)
#define NEXT4(f, a) NEXT3(f, a) f(a, w)
#define LAST2(f, ...) f(__VA_ARGS__, x) f(__VA_ARGS__, y)
#define LAST3(f, ...) LAST2(f, __VA_ARGS__) f(__VA_ARGS__, z)
#define LAST4(f, ...) LAST3(f, __VA_ARGS__) f(__VA_ARGS__, w)
#define TRIPLES2(a, b) LAST2(SWIZZLE3, a, b)
#define TRIPLES3(a, b) LAST3(SWIZZLE3, a, b)
#define TRIPLES4(a, b) LAST4(SWIZZLE3, a, b)
#define FOURS2(a, b) LAST2(SWIZZLE4, a, b, x) LAST2(SWIZZLE4, a, b, y)
#define FOURS3(a, b) LAST3(SWIZZLE4, a, b, x) LAST3(SWIZZLE4, a, b, y) LAST3(SWIZZLE4, a, b, z)
#define FOURS4(a, b) LAST4(SWIZZLE4, a, b, x) LAST4(SWIZZLE4, a, b, y) LAST4(SWIZZLE4, a, b, z) LAST4(SWIZZLE4, a, b, w)
#define FROM2(a) NEXT2(SWIZZLE2, a) NEXT2(TRIPLES2, a) NEXT2(FOURS2, a)
#define FROM3(a) NEXT3(SWIZZLE2, a) NEXT3(TRIPLES3, a) NEXT3(FOURS3, a)
#define FROM4(a) NEXT4(SWIZZLE2, a) NEXT4(TRIPLES4, a) NEXT4(FOURS4, a)

#define ARITHMETIC(N, op) \
    friend vec operator op(vec a, vec b) { for (int i = 0; i < N; i++) a[i] = T(a[i] op b[i]); return a; }
#define COMPARISON(N, op) \
    friend vec<bool, N> operator op(vec a, vec b) { vec<bool, N> r; for (int i = 0; i < N; i++) r[i] = a[i] op b[i]; return r; }
#define SHIFT(N, op)                                                                                                     \
    template <class U> friend std::enable_if_t<is_integer<U>, vec> operator op(vec a, vec<U, N> b) {                     \
        for (int i = 0; i < N; i++) a[i] = T(a[i] op b[i]);                                                              \
        return a;                                                                                                        \
    }
// What vectors of all lengths have. A scalar becomes a vector by itself, a vector of other elements does not.
#define VECTOR(N)                                                                                     \
    vec() = default;                                                                                  \
    vec(T all) { for (int i = 0; i < N; i++) (*this)[i] = all; }                                      \
    template <class U> explicit vec(vec<U, N> from) { for (int i = 0; i < N; i++) (*this)[i] = T(from[i]); } \
    T& operator[](uint i) { return (&x)[i]; }                                                         \
    const T& operator[](uint i) const { return (&x)[i]; }                                             \
    vec& operator-=(vec b) { return *this = *this - b; }                                              \
    vec operator-() const { vec r; for (int i = 0; i < N; i++) r[i] = T(-(*this)[i]); return r; }      \
    vec operator~() const { vec r; for (int i = 0; i < N; i++) r[i] = T(~(*this)[i]); return r; }      \
    vec<bool, N> operator!() const { vec<bool, N> r; for (int i = 0; i < N; i++) r[i] = !(*this)[i]; return r; } \
    ARITHMETIC(N, +) ARITHMETIC(N, -) ARITHMETIC(N, *) ARITHMETIC(N, /) ARITHMETIC(N, %)              \
    ARITHMETIC(N, &) ARITHMETIC(N, |) ARITHMETIC(N, ^) SHIFT(N, <<) SHIFT(N, >>)                      \
    COMPARISON(N, ==) COMPARISON(N, !=) COMPARISON(N, <) COMPARISON(N, <=) COMPARISON(N, >) COMPARISON(N, >=)

// Three elements with nothing between them and what follows.
template <class T> struct packed3 {
    T x, y, z;
    packed3() = default;
    packed3(vec<T, 3> from) : x(from.x), y(from.y), z(from.z) {}
    operator vec<T, 3>() const { return vec<T, 3>(x, y, z); }
    T& operator[](uint i) { return (&x)[i]; }
    const T& operator[](uint i) const { return (&x)[i]; }
};

template <class T> struct alignas(2 * sizeof(T)) vec<T, 2> {
    T x, y;
    VECTOR(2)
    vec(T x, T y) : x(x), y(y) {}
    EACH2(FROM2)
};
template <class T> struct alignas(4 * sizeof(T)) vec<T, 3> {
    T x, y, z;
    VECTOR(3)
    vec(T x, T y, T z) : x(x), y(y), z(z) {}
    vec(vec<T, 2> a, T z) : vec(a.x, a.y, z) {}
    vec(T x, vec<T, 2> b) : vec(x, b.x, b.y) {}
    EACH3(FROM3)
};
template <class T> struct alignas(4 * sizeof(T)) vec<T, 4> {
    T x, y, z, w;
    VECTOR(4)
    vec(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}
    vec(vec<T, 2> a, T z, T w) : vec(a.x, a.y, z, w) {}
    vec(T x, vec<T, 2> b, T w) : vec(x, b.x, b.y, w) {}
    vec(T x, T y, vec<T, 2> c) : vec(x, y, c.x, c.y) {}
    vec(vec<T, 2> a, vec<T, 2> b) : vec(a.x, a.y, b.x, b.y) {}
    vec(vec<T, 3> a, T w) : vec(a.x, a.y, a.z, w) {}
    vec(T x, vec<T, 3> b) : vec(x, b.x, b.y, b.z) {}
    EACH4(FROM4)
};

#define NAMED(type, name)        \
    typedef vec<type, 2> name##2; \
    typedef vec<type, 3> name##3; \
    typedef vec<type, 4> name##4;
#define PACKED(type)                     \
    typedef vec<type, 2> packed_##type##2; \
    typedef packed3<type> packed_##type##3; \
    typedef vec<type, 4> packed_##type##4;
NAMED(float, float) NAMED(half, half) NAMED(int, int) NAMED(uint, uint) NAMED(bool, bool) NAMED(short, short)
NAMED(ushort, ushort) NAMED(long, long) NAMED(ulong, ulong) NAMED(char, char) NAMED(uchar, uchar)
PACKED(float) PACKED(half) PACKED(int) PACKED(uint) PACKED(long) PACKED(ulong) PACKED(char) PACKED(uchar)

// Columns of so many rows.
template <class T, int C, int R> struct matrix {
    typedef vec<T, R> column;
    column columns[C];
    matrix() = default;
    explicit matrix(T diagonal) {
        for (int c = 0; c < C; c++) {
            columns[c] = column(T(0));
            if (c < R) columns[c][c] = diagonal;
        }
    }
    template <class... More> matrix(column a, column b, More... more) : columns{a, b, column(more)...} {}
    column& operator[](uint c) { return columns[c]; }
    const column& operator[](uint c) const { return columns[c]; }
    friend matrix operator+(matrix a, matrix b) { for (int c = 0; c < C; c++) a[c] = a[c] + b[c]; return a; }
    friend matrix operator-(matrix a, matrix b) { for (int c = 0; c < C; c++) a[c] = a[c] - b[c]; return a; }
    friend matrix operator*(matrix a, T b) { for (int c = 0; c < C; c++) a[c] = a[c] * b; return a; }
    friend matrix operator*(T a, matrix b) { return b * a; }
    friend vec<T, R> operator*(matrix a, vec<T, C> b) {
        vec<T, R> sum = a[0] * b[0];
        for (int c = 1; c < C; c++) sum = sum + a[c] * b[c];
        return sum;
    }
    friend vec<T, C> operator*(vec<T, R> a, matrix b) {
        vec<T, C> all;
        for (int c = 0; c < C; c++) {
            all[c] = T(0);
            for (int r = 0; r < R; r++) all[c] = T(all[c] + a[r] * b[c][r]);
        }
        return all;
    }
};
template <class T, int C, int R, int K> matrix<T, K, R> operator*(matrix<T, C, R> a, matrix<T, K, C> b) {
    matrix<T, K, R> all;
    for (int k = 0; k < K; k++) all[k] = a * b[k];
    return all;
}
template <class T, int C, int R> matrix<T, R, C> transpose(matrix<T, C, R> a) {
    matrix<T, R, C> all;
    for (int c = 0; c < C; c++)
        for (int r = 0; r < R; r++) all[r][c] = a[c][r];
    return all;
}
// Along the first column.
template <class T> T determinant(matrix<T, 2, 2> a) { return T(a[0][0] * a[1][1] - a[1][0] * a[0][1]); }
template <class T, int N> T determinant(matrix<T, N, N> a) {
    T sum = T(0);
    for (int row = 0; row < N; row++) {
        matrix<T, N - 1, N - 1> rest;
        for (int c = 1; c < N; c++)
            for (int r = 0, to = 0; r < N; r++)
                if (r != row) rest[c - 1][to++] = a[c][r];
        T term = T(a[0][row] * determinant(rest));
        sum = T(row % 2 ? sum - term : sum + term);
    }
    return sum;
}
#define MATRICES(type, C)                     \
    typedef matrix<type, C, 2> type##C##x2;   \
    typedef matrix<type, C, 3> type##C##x3;   \
    typedef matrix<type, C, 4> type##C##x4;
MATRICES(float, 2) MATRICES(float, 3) MATRICES(float, 4) MATRICES(half, 2) MATRICES(half, 3) MATRICES(half, 4)

} // namespace metal
