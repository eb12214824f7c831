// Part 12, where used (after vector): operations on a warp. `lanes` is the mask of those that take part.
namespace wgsl {

// The value of another lane of the mask, as one or two words.
template <class T> WGSL_FN scalar<T> from_lane(u32 lanes, T v, u32 lane) {
    if constexpr (sizeof(T) == 8) {
        u64 word = __builtin_bit_cast(u64, v);
        u64 low = __shfl_sync(lanes, u32(word), i32(lane)), high = __shfl_sync(lanes, u32(word >> 32), i32(lane));
        return __builtin_bit_cast(T, low | high << 32);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bit_cast(T, __shfl_sync(lanes, __builtin_bit_cast(u32, v), i32(lane)));
    } else if constexpr (sizeof(T) == 2) {
        return T{static_cast<unsigned short>(__shfl_sync(lanes, u32(v.bits), i32(lane)))};
    } else {
        return __shfl_sync(lanes, u32(v), i32(lane)) != 0;
    }
}

// The same; of a lane that is not there or does not take part, the own value.
template <class T> WGSL_FN scalar<T> gathered(u32 lanes, T v, u32 lane) {
    T other = from_lane(lanes, v, lane & 31);
    return lane < 32 && (lanes >> lane & 1) ? other : v;
}

WGSL_FN u32 first_lane(u32 lanes) { return u32(__ffs(i32(lanes)) - 1); }

// Of all lanes.
template <class T, class F> WGSL_FN T reduced(u32 lanes, T v, F f) {
    if (lanes == ~0u) {
        for (u32 distance = 16; distance > 0; distance /= 2) v = f(v, from_lane(lanes, v, warp_lane() ^ distance));
        return v;
    }
    T total = from_lane(lanes, v, first_lane(lanes));
    for (u32 rest = lanes & (lanes - 1); rest; rest &= rest - 1)
        total = f(total, from_lane(lanes, v, first_lane(rest)));
    return total;
}

// Of the lanes before this one, from the start `total`; with this one, if `inclusive`.
template <class T, class F> WGSL_FN T scanned(u32 lanes, T v, T total, bool inclusive, F f) {
    u32 me = warp_lane();
    if (lanes == ~0u) {
        for (u32 distance = 1; distance < 32; distance *= 2) {
            T before = from_lane(lanes, v, me - distance);
            if (me >= distance) v = f(before, v);
        }
        if (inclusive) return v;
        T before = from_lane(lanes, v, me - 1);
        return me == 0 ? total : before;
    }
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        u32 lane = first_lane(rest);
        T other = from_lane(lanes, v, lane);
        if (lane < me || (inclusive && lane == me)) total = f(total, other);
    }
    return total;
}

// The forms for vectors of f(lanes, value, arguments...).
#define WGSL_SUBGROUP(f)                                                                                               \
    template <class T, u32 N, class... B> WGSL_FN vec<T, N> f(u32 lanes, vec<T, N> v, B... b) {                        \
        return map([=](T x) { return f(lanes, x, b...); }, v);                                                         \
    }

// One instruction for words, where there is one.
#if defined(CROSSLANE_EMULATION) || __CUDA_ARCH__ >= 800
#define WGSL_REDUCE(instruction, T)                                                                                    \
    if constexpr (sizeof(T) == 4 && !is_real<T>) return T(instruction);
#else
#define WGSL_REDUCE(instruction, T)
#endif
#define WGSL_COLLECTIVE(f, function, instruction)                                                                      \
    template <class T> WGSL_FN scalar<T> f(u32 lanes, T v) {                                                           \
        WGSL_REDUCE(instruction, T)                                                                                    \
        return reduced(lanes, v, [](T a, T b) { return function(a, b); });                                             \
    }                                                                                                                  \
    WGSL_SUBGROUP(f)
WGSL_COLLECTIVE(subgroupAdd, add, __reduce_add_sync(lanes, u32(v)))
WGSL_COLLECTIVE(subgroupMin, min, __reduce_min_sync(lanes, v))
WGSL_COLLECTIVE(subgroupMax, max, __reduce_max_sync(lanes, v))
WGSL_COLLECTIVE(subgroupAnd, bit_and, __reduce_and_sync(lanes, u32(v)))
WGSL_COLLECTIVE(subgroupOr, bit_or, __reduce_or_sync(lanes, u32(v)))
WGSL_COLLECTIVE(subgroupXor, bit_xor, __reduce_xor_sync(lanes, u32(v)))
#undef WGSL_COLLECTIVE
#undef WGSL_REDUCE

template <class T> WGSL_FN scalar<T> subgroupMul(u32 lanes, T v) {
    return reduced(lanes, v, [](T a, T b) { return mul(a, b); });
}
#define WGSL_SCAN(f, function, start, inclusive)                                                                       \
    template <class T> WGSL_FN scalar<T> f(u32 lanes, T v) {                                                           \
        return scanned(lanes, v, rounded<T>(start), inclusive, [](T a, T b) { return function(a, b); });               \
    }                                                                                                                  \
    WGSL_SUBGROUP(f)
WGSL_SUBGROUP(subgroupMul)
WGSL_SCAN(subgroupInclusiveAdd, add, 0.0f, true)
WGSL_SCAN(subgroupExclusiveAdd, add, 0.0f, false)
WGSL_SCAN(subgroupInclusiveMul, mul, 1.0f, true)
WGSL_SCAN(subgroupExclusiveMul, mul, 1.0f, false)
#undef WGSL_SCAN

WGSL_FN bool subgroupAll(u32 lanes, bool v) { return __all_sync(lanes, v) != 0; }
WGSL_FN bool subgroupAny(u32 lanes, bool v) { return __any_sync(lanes, v) != 0; }
WGSL_FN vec<u32, 4> subgroupBallot(u32 lanes, bool v) { return {__ballot_sync(lanes, v), 0, 0, 0}; }

#define WGSL_GATHER(f, from)                                                                                           \
    template <class T> WGSL_FN scalar<T> f(u32 lanes, T v, u32 by) { return gathered(lanes, v, from); }                \
    WGSL_SUBGROUP(f)
WGSL_GATHER(subgroupBroadcast, by)
WGSL_GATHER(subgroupShuffle, by)
WGSL_GATHER(subgroupShuffleUp, warp_lane() - by)
WGSL_GATHER(subgroupShuffleDown, warp_lane() + by)
WGSL_GATHER(subgroupShuffleXor, warp_lane() ^ by)
WGSL_GATHER(quadBroadcast, (warp_lane() & ~3u) + (by & 3))
#undef WGSL_GATHER
#define WGSL_GATHER(f, from)                                                                                           \
    template <class T> WGSL_FN scalar<T> f(u32 lanes, T v) { return gathered(lanes, v, from); }                        \
    WGSL_SUBGROUP(f)
WGSL_GATHER(subgroupBroadcastFirst, first_lane(lanes))
WGSL_GATHER(quadSwapX, warp_lane() ^ 1)
WGSL_GATHER(quadSwapY, warp_lane() ^ 2)
WGSL_GATHER(quadSwapDiagonal, warp_lane() ^ 3)
#undef WGSL_GATHER
#undef WGSL_SUBGROUP

} // namespace wgsl
