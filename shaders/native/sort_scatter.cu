// One pass of a radix sort by hand: shaders/sort_scatter.wgsl, with the same grid, arguments, states and results.
//
// What it has over the WGSL: a tile's digits are counted and published before its keys are ranked, while the tiles
// after look back (the early counts of CUB's Onesweep); the equals of a warp are found by predicates; and registers and
// memory for three blocks on a processor.
//
// A block need not be as large as the WGSL's workgroup: their tiles are.
//
// Defined by the host: WORKGROUP, ITEMS, TILE, BLOCKS (on a processor), PREFIX, SPINS; KIND of the keys: 0 unsigned,
// 1 signed, 2 floats; FLIP: all ones if the largest come first; LAST, the key that no other comes after; STORE_KEYS;
// VALUES: 0 none, 1 each key's index in its row, 2 an array.

#define WARPS (WORKGROUP / 32)
#define BINS 256u
#define POOL (WARPS * 256 > TILE ? WARPS * 256 : TILE)

struct Params {
    unsigned groups, row_tiles, length, stride, shift, mask, keys_first, values_first, index_first;
    unsigned keys_out_first, values_out_first, out_base, out_limit, window, ticket;
};

#ifdef __CUDACC__
static __device__ __forceinline__ unsigned read_state(const unsigned* word) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

static __device__ __forceinline__ void write_state(unsigned* word, unsigned value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

// A store at base[at + step], whose address is one instruction: the compiler adds in 64 bits.
static __device__ __forceinline__ void store(unsigned* base, unsigned at, unsigned step, unsigned value) {
    unsigned* to;
    asm volatile("mad.wide.u32 %0, %1, 4, %2;" : "=l"(to) : "r"(at), "l"(base));
    __builtin_assume(__isGlobal(to));
    to[step] = value;
}

// The lanes whose bit of this place is as this lane's. The compiler makes a condition twice, for the vote and for the
// choice.
static __device__ __forceinline__ unsigned lanes_alike(unsigned digit, unsigned bit) {
    unsigned with;
    asm volatile("{\n"
        "    .reg .pred p;\n"
        "    and.b32 %0, %1, %2;\n"
        "    setp.ne.u32 p, %0, 0;\n"
        "    vote.sync.ballot.b32 %0, p, 0xffffffff;\n"
        "    @!p not.b32 %0, %0;\n"
        "}" : "=r"(with) : "r"(digit), "r"(1u << bit));
    return with;
}

static __device__ __forceinline__ unsigned all_of(unsigned a, unsigned b, unsigned c) {
    unsigned all;
    asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(all) : "r"(a), "r"(b), "r"(c));
    return all;
}
#else
// What the lines above mean, for the tests' emulation.
static unsigned read_state(const unsigned* word) { return *word; }
static void write_state(unsigned* word, unsigned value) { *word = value; }
static void store(unsigned* base, unsigned at, unsigned step, unsigned value) { base[(unsigned long long)at + step] = value; }
static unsigned lanes_alike(unsigned digit, unsigned bit) {
    const unsigned with = __ballot_sync(0xffffffffu, digit >> bit & 1);
    return digit >> bit & 1 ? with : ~with;
}
static unsigned all_of(unsigned a, unsigned b, unsigned c) { return a & b & c; }
#endif

// The key's bits as a number that is ordered as keys are: crates/ops/src/order.rs.
static __device__ __forceinline__ unsigned number_of(unsigned key) {
#if KIND == 2
    const unsigned magnitude = key & 0x7fffffffu;
    const unsigned bits = magnitude == 0 ? 0 : key;
    const unsigned number = bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u) ^ FLIP;
    return magnitude > 0x7f800000u ? 0xffffffffu : number;
#elif KIND == 1
    return key ^ 0x80000000u ^ FLIP;
#else
    return key ^ FLIP;
#endif
}

static __device__ __forceinline__ unsigned digit_of(unsigned key, unsigned shift, unsigned mask) {
    return number_of(key) >> shift & mask;
}

static __device__ __forceinline__ unsigned lanes_with(unsigned digit) {
    unsigned same = all_of(lanes_alike(digit, 0), lanes_alike(digit, 1), lanes_alike(digit, 2));
    same = all_of(same, lanes_alike(digit, 3), lanes_alike(digit, 4));
    same = all_of(same, lanes_alike(digit, 5), lanes_alike(digit, 6));
    return same & lanes_alike(digit, 7);
}

// How many of the warp's items with this digit come before, and where the first of them goes.
static __device__ __forceinline__ unsigned rank(unsigned digit, unsigned* counters, unsigned lane) {
    const unsigned same = lanes_with(digit);
    const unsigned earlier = counters[digit];
    __syncwarp();
    // Equals store the same.
    counters[digit] = earlier + __popc(same);
    __syncwarp();
    return earlier + __popc(same & ((1u << lane) - 1));
}

// The sum of the values of the threads before; of the first 256.
static __device__ __forceinline__ unsigned sum_before(unsigned value, unsigned* partials) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned through = value;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned below = __shfl_up_sync(0xffffffffu, through, step);
        through += lane >= step ? below : 0;
    }
    if (lane == 31 && warp < 8) {
        partials[warp] = through;
    }
    __syncthreads();
    unsigned sum = through - value;
#pragma unroll
    for (unsigned team = 0; team < 7; team++) {
        sum += team < warp ? partials[team] : 0;
    }
    return sum;
}

// Counts the digits of another tile, which is a full one, as it would itself.
static __device__ __noinline__ void publish_for(
    const unsigned* keys, unsigned* states, unsigned* tally, unsigned* furthest, unsigned shift, unsigned mask)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        *furthest = 0;
    }
    if (threadIdx.x < BINS) {
        tally[threadIdx.x] = 0;
    }
    __syncthreads();
    for (unsigned item = threadIdx.x; item < TILE; item += WORKGROUP) {
        atomicAdd(&tally[digit_of(keys[item], shift, mask)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS) {
        atomicMax(&states[threadIdx.x], tally[threadIdx.x] + 1);
    }
    __syncthreads();
}

// The walk backwards over the tiles, for one digit.
struct Walk {
    unsigned slot, sum, spins;
    bool found;
};

static __device__ __forceinline__ void walk_back(Walk& walk, const unsigned* chain) {
    while (!walk.found && walk.spins < SPINS) {
        // Four looks at once: one alone would wait for memory at every step. Past the row's seed none counts.
        unsigned words[4];
#pragma unroll
        for (unsigned step = 0; step < 4; step++) {
            words[step] = read_state(&chain[(walk.slot - min(walk.slot, step)) * BINS]);
        }
        bool waits = false;
#pragma unroll
        for (unsigned step = 0; step < 4; step++) {
            if (!walk.found && !waits) {
                if (words[step] >= PREFIX) {
                    walk.sum += words[step] - PREFIX;
                    walk.found = true;
                } else if (words[step] > 0) {
                    walk.sum += words[step] - 1;
                    walk.slot -= 1;
                } else {
                    waits = true;
                    walk.spins += 1;
                }
            }
        }
    }
    // The row's seed is there always, but while this kernel is measured on states of its own.
    walk.found = walk.found || walk.slot == 0;
}

template <bool WHOLE>
static __device__ __forceinline__ void store_keys(
    unsigned* keys_out, unsigned (&targets)[ITEMS], const unsigned* pool, const unsigned* offsets, unsigned count,
    unsigned shift, unsigned mask)
{
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned at = i * WORKGROUP + threadIdx.x;
        const unsigned key = pool[at];
        targets[i] = offsets[digit_of(key, shift, mask)];
#if STORE_KEYS
        if (WHOLE || at < count) {
            store(keys_out, targets[i], i * WORKGROUP, key);
        }
#endif
    }
}

extern "C" __global__ void __launch_bounds__(WORKGROUP, BLOCKS) sort_scatter(
    const unsigned* __restrict__ keys_in, unsigned long long,
#if VALUES == 2
    const unsigned* __restrict__ values_in, unsigned long long,
#endif
    unsigned* state, unsigned long long,
#if STORE_KEYS
    unsigned* __restrict__ keys_out, unsigned long long,
#endif
#if VALUES
    unsigned* __restrict__ values_out, unsigned long long,
#endif
    Params params)
{
    __shared__ __align__(16) unsigned pool[POOL];
    __shared__ unsigned offsets[BINS];
    __shared__ unsigned partials[8];
    __shared__ unsigned furthest;
    const unsigned index = blockIdx.x + blockIdx.y * gridDim.x;
    if (index >= params.groups) {
        return;
    }
    const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const unsigned row = index / params.row_tiles, tile = index % params.row_tiles;
    const unsigned first = row * params.stride + tile * TILE;
    const unsigned shift = params.shift, mask = params.mask;
    const unsigned count = min(TILE, params.length - tile * TILE);
    // A warp's items are side by side.
    const unsigned item = warp * 32 * ITEMS + lane;
    const unsigned* const own = keys_in + (params.keys_first + first + item);
    unsigned keys[ITEMS], places[ITEMS];
    if (count == TILE) {
#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            keys[i] = own[i * 32];
        }
    } else {
#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            keys[i] = item + i * 32 < count ? own[i * 32] : LAST;
        }
    }
    unsigned* counters = &pool[warp * BINS];
#pragma unroll
    for (unsigned bin = 0; bin < BINS; bin += 32) {
        counters[bin + lane] = 0;
    }
    if (thread == 0) {
        furthest = 0;
    }
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        atomicAdd(&counters[digit_of(keys[i], shift, mask)], 1u);
    }
    __syncthreads();
    const bool counts = WORKGROUP == 256 || thread < BINS;
    unsigned* const chain = &state[row * (params.row_tiles + 1) * BINS + (counts ? thread : 0)];
    unsigned before[WARPS], total = 0;
    if (counts) {
#pragma unroll
        for (unsigned team = 0; team < WARPS; team++) {
            before[team] = total;
            total += pool[team * BINS + thread];
        }
        write_state(&chain[(tile + 1) * BINS], total + 1);
    }
    const unsigned start = sum_before(total, partials);
    if (counts) {
#pragma unroll
        for (unsigned team = 0; team < WARPS; team++) {
            pool[team * BINS + thread] = start + before[team];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        // Digits are made again: kept, they would not fit the registers.
        asm volatile("" : "+r"(keys[i]));
        places[i] = rank(digit_of(keys[i], shift, mask), counters, lane);
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        pool[places[i]] = keys[i];
    }
    Walk walk = {tile, 0, 0, !counts};
    while (true) {
        walk_back(walk, chain);
        if (counts && walk.found) {
            write_state(&chain[(tile + 1) * BINS], PREFIX + walk.sum + total);
            offsets[thread] = row * params.stride + walk.sum + TILE - start;
        }
        if (!walk.found) {
            atomicMax(&furthest, walk.slot);
        }
        __syncthreads();
        const unsigned late = furthest;
        if (late == 0) {
            break;
        }
        const unsigned other = row * params.stride + (late - 1) * TILE;
        unsigned* const states = &state[(row * (params.row_tiles + 1) + late) * BINS];
        publish_for(&keys_in[params.keys_first + other], states, offsets, &furthest, shift, mask);
        walk.spins = 0;
    }
    // Offsets are of the tile's first key, and TILE too large, so that none is below zero.
    unsigned targets[ITEMS];
#if !STORE_KEYS
    unsigned* const keys_out = 0;
#else
    keys_out += (long long)params.keys_out_first - TILE + thread;
#endif
    if (count == TILE) {
        store_keys<true>(keys_out, targets, pool, offsets, count, shift, mask);
    } else {
        store_keys<false>(keys_out, targets, pool, offsets, count, shift, mask);
    }
#if VALUES
    values_out += (long long)params.values_out_first - TILE + thread;
    unsigned values[ITEMS];
#if VALUES == 2
    const unsigned* const beside = values_in + (params.values_first + first + item);
#endif
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
#if VALUES == 2
        values[i] = count == TILE || item + i * 32 < count ? beside[i * 32] : 0;
#else
        values[i] = params.index_first + tile * TILE + item + i * 32;
#endif
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        pool[places[i]] = values[i];
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        if (count == TILE || i * WORKGROUP + thread < count) {
            store(values_out, targets[i], i * WORKGROUP, pool[i * WORKGROUP + thread]);
        }
    }
#endif
}
