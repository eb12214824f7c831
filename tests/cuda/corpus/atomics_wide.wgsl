// run
// 64-bit atomics.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> words: array<atomic<u64>, 8>;
@group(0) @binding(2) var<storage, read_write> signed: array<atomic<i64>, 8>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = u64(input[id.x % 509u]) << 20u;
    let y = i64(x) - 0x80000000000li;
    atomicAdd(&words[0], x); atomicSub(&words[1], x); atomicMax(&words[2], x); atomicMin(&words[3], x);
    atomicAnd(&words[4], x); atomicOr(&words[5], x); atomicXor(&words[6], x);
    atomicAdd(&signed[0], y); atomicSub(&signed[1], y); atomicMax(&signed[2], y); atomicMin(&signed[3], y);
    atomicAnd(&signed[4], y); atomicOr(&signed[5], y); atomicXor(&signed[6], y);
    if id.x == 0u {
        let was = atomicExchange(&words[7], 9lu);
        let now = atomicCompareExchangeWeak(&signed[7], atomicLoad(&signed[7]), i64(was));
        if now.exchanged { atomicStore(&words[7], u64(now.old_value)); }
    }
}
