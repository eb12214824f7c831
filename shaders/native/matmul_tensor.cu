// Products of f16 matrices by Hopper's wgmma: shaders/matmul_tensor.wgsl by hand. Behind the kernel's translation, whose
// `Module` it takes results to: the epilogue and the store are the same.
//
// A block of three warpgroups computes 128 x 256. One of them copies tiles of 64 inner ones into workgroup memory, 16 bytes
// at a time, STAGES ahead; the others multiply 64 x 256 each, sums in registers. A stage that is full or empty is told by a
// barrier in memory.
//
// Lines of a tile are 128 bytes, in each of which the eight places of 16 bytes are exchanged by the line's number: wgmma
// calls it the swizzle of 128 bytes. A line holds 64 inner ones of a row (A_INNER) or column (B_INNER), or, where
// neighbours in memory are rows or columns, 64 of these for an inner one, in blocks of 64 lines.
//
// Defined by the host: A_INNER, A_STEP, A_BATCH, and those of B: which way its lines go, elements from line to line and from
// batch to batch; by the translation before it, PARAMETERS and MODULE.

#define ROWS 128u
#define COLUMNS 256u
#define DEPTH 64u
#define STAGES 4u
#define A_BYTES (ROWS * 128u)
#define B_BYTES (COLUMNS * 128u)
#define STAGE_BYTES (A_BYTES + B_BYTES)
#define BAND 8u

namespace native {

__device__ __forceinline__ void init(u32 barrier, u32 count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void wait(u32 barrier, u32 parity) {
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@done bra.uni over;\n"
                 "bra.uni again;\nover:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
// 16 bytes, or as many zeros.
__device__ __forceinline__ void copy(u32 to, const void* from, bool any) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(any ? 16u : 0u)
                 : "memory");
}
__device__ __forceinline__ void copy(u32 to, const void* from) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Copies a side's part of a stage: OUTER rows or columns, of which `last` is the last that there is. In each of the turns a
// thread copies from another line, at the same place but for how the swizzle goes on.
template <u32 OUTER, bool INNER>
__device__ __forceinline__ void fill(u32 to, const unsigned short* from, u32 step, u32 first, u32 last, u32 k, u32 end) {
    constexpr u32 places = INNER ? 8 : OUTER / 8, lines = 128 / places, turns = (INNER ? OUTER : 64) / lines;
    const u32 line = threadIdx.x / places, place = threadIdx.x % places;
    to += place / 8 * 8192 + line * 128;
    const u32 one = ((place ^ line) & 7) * 16, other = ((place ^ (line + lines)) & 7) * 16;
    auto own = [&](u32 turn) { return to + turn * lines * 128 + (turn & 1 ? other : one); };
    const u32 outer = first + (INNER ? line : place * 8), inner = k + (INNER ? place * 8 : line);
    if (first + OUTER <= last + 1 && k + DEPTH <= end) {
        from += INNER ? (u64)outer * step + inner : (u64)inner * step + outer;
#pragma unroll
        for (u32 turn = 0; turn < turns; turn++, from += (u64)lines * step) copy(own(turn), from);
        return;
    }
#pragma unroll
    for (u32 turn = 0; turn < turns; turn++) {
        const u32 at = INNER ? min(outer + turn * lines, last) : min(outer, last & ~7u);
        const u32 within = INNER ? inner : inner + turn * lines;
        const bool any = within < end;
        copy(own(turn), from + (any ? INNER ? (u64)at * step + within : (u64)within * step + at : 0), any);
    }
}

// What wgmma needs to know of a tile: its place; bytes between blocks of lines, and between eight lines; the swizzle.
__device__ __forceinline__ u64 tile(u32 place) {
    return (u64)((place & 0x3ffff) >> 4) | (u64)(8192 >> 4) << 16 | (u64)(1024 >> 4) << 32 | 1ull << 62;
}

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
__device__ __forceinline__ void multiply(float (&d)[128], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
        "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, "
        "%68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "
        "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
        "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, 1, 1, 1, %130, %131;"
        : D16(0), D16(16), D16(32), D16(48), D16(64), D16(80), D16(96), D16(112)
        : "l"(a), "l"(b), "n"(A_INNER ? 0 : 1), "n"(B_INNER ? 0 : 1));
}

// Waits for all sums: nothing may read them before.
__device__ __forceinline__ void finish(float (&d)[128]) {
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : D16(0), D16(16), D16(32), D16(48), D16(64), D16(80), D16(96), D16(112)::"memory");
}

} // namespace native

extern "C" __global__ void __launch_bounds__(384, 1) matmul_tensor(PARAMETERS) {
    using namespace native;
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    const u32 row_tiles = (params.rows + ROWS - 1) / ROWS, column_tiles = (params.columns + COLUMNS - 1) / COLUMNS;
    const u32 tiles = row_tiles * column_tiles, index = blockIdx.x + blockIdx.y * gridDim.x;
    const u32 batch = index / tiles;
    // The grid is that of the kernel, whose tiles may be smaller.
    if (batch >= params.groups / (params.row_tiles * params.column_tiles)) return;
    const u32 within = index % tiles, band = within / (BAND * column_tiles) * BAND;
    const u32 height = min(row_tiles - band, BAND), rest = within - band * column_tiles;
    const u32 row = (band + rest % height) * ROWS, column = rest / height * COLUMNS;
    const u32 end = min(params.span_, params.inner - batch / params.part * params.span_);
    const u32 turns = (end + DEPTH - 1) / DEPTH;
    const u32 base = ((u32)__cvta_generic_to_shared(memory) + 1023) & ~1023u;
    const u32 full = (u32)__cvta_generic_to_shared(barriers), empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (u32 stage = 0; stage < STAGES; stage++) {
            init(full + 8 * stage, 128);
            init(empty + 8 * stage, 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const u32 group = threadIdx.x / 128;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
        const unsigned short* a = reinterpret_cast<const unsigned short*>(a_x0_) + params.a_offset0_ + (u64)batch * (A_BATCH);
        const unsigned short* b = reinterpret_cast<const unsigned short*>(b_x0_) + params.b_offset0_ + (u64)batch * (B_BATCH);
        for (u32 turn = 0; turn < turns; turn++) {
            const u32 stage = turn % STAGES, place = base + stage * STAGE_BYTES;
            wait(empty + 8 * stage, (turn / STAGES + 1) & 1);
            fill<ROWS, A_INNER>(place, a, A_STEP, row, params.rows - 1, turn * DEPTH, end);
            fill<COLUMNS, B_INNER>(place + A_BYTES, b, B_STEP, column, params.columns - 1, turn * DEPTH, end);
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(full + 8 * stage) : "memory");
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
        float d[128];
#pragma unroll
        for (u32 i = 0; i < 128; i++) d[i] = 0;
        for (u32 turn = 0; turn < turns; turn++) {
            const u32 stage = turn % STAGES, place = base + stage * STAGE_BYTES;
            wait(full + 8 * stage, (turn / STAGES) & 1);
            asm volatile("fence.proxy.async.shared::cta;\nwgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (u32 k = 0; k < DEPTH / 16; k++)
                multiply(d, tile(place + (group - 1) * 8192 + k * (A_INNER ? 32 : 2048)),
                         tile(place + A_BYTES + k * (B_INNER ? 32 : 2048)));
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (turn > 0 && threadIdx.x % 128 == 0) arrive(empty + 8 * ((turn - 1) % STAGES));
        }
        finish(d);
        MODULE
        const u32 lane = threadIdx.x % 32;
        const bool odd = lane & 1;
        const u32 first = row + (group - 1) * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4 + (odd ? 8 : 0);
#pragma unroll
        for (u32 j = 0; j < 32; j++) {
            const float* own = d + j * 4;
            // Of two lanes one takes four neighbours of the upper row, the other of the lower one.
            const float x = __shfl_xor_sync(0xffffffffu, odd ? own[0] : own[2], 1);
            const float y = __shfl_xor_sync(0xffffffffu, odd ? own[1] : own[3], 1);
            const vec<f32, 4> v = odd ? vec<f32, 4>{x, y, own[2], own[3]} : vec<f32, 4>{own[0], own[1], x, y};
            module.put(batch, first, column + j * 8 + (lane & 2) * 2, v);
        }
    }
}
