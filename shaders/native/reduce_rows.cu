// The sum of f32 rows, four neighbours at a time: shaders/reduce_rows.wgsl by hand, for where a workgroup shares an output.
//
// The same grid, arguments and order of additions, so that it gives the same bits. What it has over the WGSL: loads
// that leave the caches to others, and sums of a warp by shuffles.
//
// Defined by the host: WORKGROUP, UNROLL; STRIDED if there are several rows; LAST if it stores results, not states.

struct Params {
    unsigned outputs, extent, chunks, span, first_chunk, first_output, all_outputs, identity, offset;
#if STRIDED
    unsigned stride;
#endif
};

extern "C" __global__ void __launch_bounds__(WORKGROUP) reduce_rows(
    const float4* __restrict__ x, unsigned long long, float* __restrict__ y, unsigned long long, Params params)
{
    __shared__ float states[WORKGROUP];
    const unsigned index = blockIdx.x + blockIdx.y * gridDim.x;
    const unsigned lane = threadIdx.x;
    const unsigned chunk = index % params.chunks;
    const unsigned k = index / params.chunks;
    float state = __uint_as_float(params.identity);
    if (k < params.outputs) {
        unsigned row = params.offset;
#if STRIDED
        row += k * params.stride;
#endif
        unsigned r = chunk * params.span;
        const unsigned end = min(r + params.span, params.extent);
        const unsigned step = WORKGROUP * 4;
        r += lane * 4;
        while (r + (UNROLL - 1) * step + 4 <= end) {
            float4 v[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                v[u] = __ldcs(&x[(row + r + u * step) / 4]);
            }
            float4 s = v[0];
#pragma unroll
            for (int u = 1; u < UNROLL; u++) {
                s.x += v[u].x;
                s.y += v[u].y;
                s.z += v[u].z;
                s.w += v[u].w;
            }
            state += (s.x + s.y) + (s.z + s.w);
            r += UNROLL * step;
        }
        for (; r < end; r += step) {
            const float4 v = __ldcs(&x[(row + r) / 4]);
            state += v.x;
            if (r + 1 < end) { state += v.y; }
            if (r + 2 < end) { state += v.z; }
            if (r + 3 < end) { state += v.w; }
        }
    }
    states[lane] = state;
    __syncthreads();
    for (unsigned half = WORKGROUP / 2; half >= 32; half /= 2) {
        if (lane < half) {
            state += states[lane + half];
            states[lane] = state;
        }
        __syncthreads();
    }
    if (lane >= 32) {
        return;
    }
    for (unsigned half = 16; half > 0; half /= 2) {
        state += __shfl_down_sync(0xffffffffu, state, half);
    }
    if (lane == 0 && k < params.outputs) {
#if LAST
        y[params.first_output + k] = state;
#else
        y[(params.first_chunk + chunk) * params.all_outputs + k] = state;
#endif
    }
}
