// Part 13, where used (after half and vector): 16x16 matrices that a warp holds together, multiplied by tensor cores.
namespace wgsl {

enum class role { A, B, C };

#ifdef CROSSLANE_EMULATION

// Every lane holds all of it, row after row.
template <class T, u32 M, u32 N, role R> struct coop {
    static_assert(M == 16 && N == 16, "16x16 only");
    T values[256];
};

template <class X, class F> WGSL_FN X each(X a, const X& b, F f) {
    for (u32 i = 0; i < 256; i++) a.values[i] = f(a.values[i], b.values[i]);
    return a;
}

template <bool by_rows, bool shared, bool aligned, class T, role R, class P>
WGSL_FN void coop_load(coop<T, 16, 16, R>& x, const P* place, u32 step) {
    const T* from = reinterpret_cast<const T*>(place);
    for (u32 i = 0; i < 256; i++) x.values[i] = from[by_rows ? i / 16 * step + i % 16 : i % 16 * step + i / 16];
    __syncwarp(emulation::lanes()); // all have read before one writes
}
template <bool by_rows, bool aligned, class T, role R, class P>
WGSL_FN void coop_store(const coop<T, 16, 16, R>& x, P* place, u32 step) {
    T* to = reinterpret_cast<T*>(place);
    __syncwarp(emulation::lanes());
    for (u32 i = 0; i < 256 && warp_lane() == 0; i++)
        to[by_rows ? i / 16 * step + i % 16 : i % 16 * step + i / 16] = x.values[i];
    __syncwarp(emulation::lanes());
}

template <class T>
WGSL_FN coop<T, 16, 16, role::C> coopMultiplyAdd(const coop<f16, 16, 16, role::A>& a,
                                                 const coop<f16, 16, 16, role::B>& b, coop<T, 16, 16, role::C> c) {
    for (u32 i = 0; i < 256; i++) {
        f64 sum = 0;
        for (u32 k = 0; k < 16; k++) sum += f64(a.values[i / 16 * 16 + k]) * f64(b.values[k * 16 + i % 16]);
        c.values[i] = rounded<T>(f32(sum + f64(c.values[i])));
    }
    return c;
}

#else

// A lane's part: of each of the four 8x8 tiles, in the order of columns, two elements. They are neighbours in row
// lane / 4 of the tile, in B neighbours in column lane / 4. So mma.sync takes and gives them, two f16 as a word.
template <class T> struct pair_of {
    using type = vec<T, 2>;
};
template <> struct pair_of<f16> {
    using type = u32;
};
template <class T> using pair = typename pair_of<T>::type;
template <class T, u32 M, u32 N, role R> struct coop {
    static_assert(M == 16 && N == 16, "16x16 only");
    pair<T> pairs[4];
};

template <class T, role R, class F>
WGSL_FN coop<T, 16, 16, R> each(coop<T, 16, 16, R> a, const coop<T, 16, 16, R>& b, F f) {
    WGSL_UNROLL
    for (u32 q = 0; q < 4; q++) {
        auto x = __builtin_bit_cast(vec<T, 2>, a.pairs[q]), y = __builtin_bit_cast(vec<T, 2>, b.pairs[q]);
        a.pairs[q] = __builtin_bit_cast(pair<T>, map(f, x, y));
    }
    return a;
}

// Whether the elements of a pair are neighbours in memory, too.
template <role R, bool by_rows> constexpr bool together = (R != role::B) == by_rows;

// Where a lane's pair of tile q begins.
template <role R, bool by_rows> WGSL_FN u32 pair_offset(u32 q, u32 step) {
    u32 lane = warp_lane(), line = lane / 4, two = lane % 4 * 2;
    u32 row = (q & 1) * 8 + (R == role::B ? two : line), column = (q >> 1) * 8 + (R == role::B ? line : two);
    return by_rows ? row * step + column : column * step + row;
}

// Whether accesses of so many bytes fit; what is told to be `aligned` fits all of them.
template <bool aligned, class T> WGSL_FN bool fits(const T* place, u32 step, u32 bytes) {
    return aligned || ((u64(place) | step * sizeof(T)) & (bytes - 1)) == 0;
}

// All tiles at once from workgroup memory; each lane says where one line of one of them begins.
template <bool by_rows, role R> WGSL_FN void load_tiles(coop<f16, 16, 16, R>& x, const f16* from, u32 step) {
    u32 lane = warp_lane(), row = lane & 8, column = lane / 16 * 8, line = lane & 7;
    from += by_rows ? (row + line) * step + column : (column + line) * step + row;
    u32 place = u32(__cvta_generic_to_shared(from));
    if constexpr (together<R, by_rows>)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x.pairs[0]), "=r"(x.pairs[1]), "=r"(x.pairs[2]), "=r"(x.pairs[3]) : "r"(place) : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x.pairs[0]), "=r"(x.pairs[1]), "=r"(x.pairs[2]), "=r"(x.pairs[3]) : "r"(place) : "memory");
}

template <bool by_rows, bool shared, bool aligned, class T, role R, class P>
WGSL_FN void coop_load(coop<T, 16, 16, R>& x, const P* place, u32 step) {
    const T* from = reinterpret_cast<const T*>(place);
    if constexpr (shared && sizeof(T) == 2) {
        if (fits<aligned>(from, step, 16)) return load_tiles<by_rows>(x, from, step);
    }
    if (together<R, by_rows> && fits<aligned>(from, step, 2 * sizeof(T))) {
        WGSL_UNROLL
        for (u32 q = 0; q < 4; q++)
            x.pairs[q] = *reinterpret_cast<const pair<T>*>(from + pair_offset<R, by_rows>(q, step));
    } else {
        WGSL_UNROLL
        for (u32 q = 0; q < 4; q++) {
            const T* first = from + pair_offset<R, by_rows>(q, step);
            x.pairs[q] = __builtin_bit_cast(pair<T>, vec<T, 2>{first[0], first[together<R, by_rows> ? 1 : step]});
        }
    }
}
template <bool by_rows, bool aligned, class T, role R, class P>
WGSL_FN void coop_store(const coop<T, 16, 16, R>& x, P* place, u32 step) {
    T* to = reinterpret_cast<T*>(place);
    if (together<R, by_rows> && fits<aligned>(to, step, 2 * sizeof(T))) {
        WGSL_UNROLL
        for (u32 q = 0; q < 4; q++)
            *reinterpret_cast<pair<T>*>(to + pair_offset<R, by_rows>(q, step)) = x.pairs[q];
    } else {
        WGSL_UNROLL
        for (u32 q = 0; q < 4; q++) {
            T* first = to + pair_offset<R, by_rows>(q, step);
            auto elements = __builtin_bit_cast(vec<T, 2>, x.pairs[q]);
            first[0] = elements.x;
            first[together<R, by_rows> ? 1 : step] = elements.y;
        }
    }
}

// 16x8 of the product: c += a * b, where a has four words and b two.
WGSL_FN void multiply_add(vec<f32, 2>& c, vec<f32, 2>& d, const u32* a, u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c.x), "+f"(c.y), "+f"(d.x), "+f"(d.y) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%8}, {%0, %1, %2, %3};\n\t"
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%6, %7}, {%9}, {%0, %1, %2, %3};"
        : "+f"(c.x), "+f"(c.y), "+f"(d.x), "+f"(d.y) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}
WGSL_FN void multiply_add(u32& c0, u32& c1, const u32* a, u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(c0), "+r"(c1) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%6}, {%0, %1};\n\t"
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%4, %5}, {%7}, {%0, %1};"
        : "+r"(c0), "+r"(c1) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

template <class T>
WGSL_FN coop<T, 16, 16, role::C> coopMultiplyAdd(const coop<f16, 16, 16, role::A>& a,
                                                 const coop<f16, 16, 16, role::B>& b, coop<T, 16, 16, role::C> c) {
    multiply_add(c.pairs[0], c.pairs[1], a.pairs, b.pairs[0], b.pairs[1]);
    multiply_add(c.pairs[2], c.pairs[3], a.pairs, b.pairs[2], b.pairs[3]);
    return c;
}

#endif

// X is a coop<...>. `shared` says that the place is known to lie in workgroup memory; `aligned`, that it and the stride
// are multiples of 16 bytes, as Vulkan demands: without it that is looked at, at a cost in code. The stride counts what
// the pointer points to, scalars or vectors. Columns lie one after the other; with T, rows.
template <class X> struct element_of;
template <class T, u32 M, u32 N, role R> struct element_of<coop<T, M, N, R>> {
    using type = T;
};
template <class X, class P> WGSL_FN u32 elements_of(u32 stride) {
    return stride * u32(sizeof(P) / sizeof(typename element_of<X>::type));
}
template <class X, bool shared = false, bool aligned = false, class P> WGSL_FN X coopLoad(const P* place, u32 stride) {
    X x;
    coop_load<false, shared, aligned>(x, place, elements_of<X, P>(stride));
    return x;
}
template <class X, bool shared = false, bool aligned = false, class P> WGSL_FN X coopLoadT(const P* place, u32 stride) {
    X x;
    coop_load<true, shared, aligned>(x, place, elements_of<X, P>(stride));
    return x;
}
template <bool aligned = false, class X, class P> WGSL_FN void coopStore(const X& x, P* place, u32 stride) {
    coop_store<false, aligned>(x, place, elements_of<X, P>(stride));
}
template <bool aligned = false, class X, class P> WGSL_FN void coopStoreT(const X& x, P* place, u32 stride) {
    coop_store<true, aligned>(x, place, elements_of<X, P>(stride));
}

// The zero value is `coop<...>{}`.
template <class T, u32 M, u32 N, role R> WGSL_FN coop<T, M, N, R> add(coop<T, M, N, R> a, coop<T, M, N, R> b) {
    return each(a, b, [](T x, T y) { return add(x, y); });
}
template <class T, u32 M, u32 N, role R> WGSL_FN coop<T, M, N, R> sub(coop<T, M, N, R> a, coop<T, M, N, R> b) {
    return each(a, b, [](T x, T y) { return sub(x, y); });
}
template <class T, u32 M, u32 N, role R> WGSL_FN coop<T, M, N, R> mul(coop<T, M, N, R> a, scalar<T> s) {
    return each(a, a, [s](T x, T) { return mul(x, s); });
}
template <class T, u32 M, u32 N, role R> WGSL_FN coop<T, M, N, R> mul(scalar<T> s, coop<T, M, N, R> a) {
    return mul(a, s);
}

} // namespace wgsl
