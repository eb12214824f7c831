// run
// Every atomic operation on i32 and u32, in storage and workgroup memory; results do not depend on order.
struct Sums { count: atomic<u32>, low: atomic<i32>, list: array<atomic<u32>, 8> }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> far: Sums;
@group(0) @binding(3) var<storage, read_write> words: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> signed: array<atomic<i32>>;

var<workgroup> near: array<atomic<u32>, 8>;
var<workgroup> near_signed: array<atomic<i32>, 8>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    let x = input[id.x % 509u];
    let y = bitcast<i32>(x);
    atomicAdd(&far.count, 1u);
    atomicMin(&far.low, y);
    atomicXor(&far.list[x % 8u], x);
    atomicAdd(&words[0], x); atomicSub(&words[1], x); atomicMax(&words[2], x); atomicMin(&words[3], x);
    atomicAnd(&words[4], x | 0xffu); atomicOr(&words[5], x & 0xffu); atomicXor(&words[6], x);
    atomicAdd(&signed[0], y); atomicSub(&signed[1], y); atomicMax(&signed[2], y); atomicMin(&signed[3], y);
    atomicAnd(&signed[4], y | 0xff); atomicOr(&signed[5], y & 0xff); atomicXor(&signed[6], y);
    atomicAdd(&near[0], x); atomicSub(&near[1], x); atomicMax(&near[2], x); atomicMin(&near[3], x);
    atomicAnd(&near[4], x); atomicOr(&near[5], x); atomicXor(&near[6], x);
    atomicAdd(&near_signed[0], y); atomicSub(&near_signed[1], y); atomicMax(&near_signed[2], y); atomicMin(&near_signed[3], y);
    atomicAnd(&near_signed[4], y); atomicOr(&near_signed[5], y); atomicXor(&near_signed[6], y);
    var old = atomicLoad(&words[7]);
    loop {
        let now = atomicCompareExchangeWeak(&words[7], old, old * (x | 1u));
        if now.exchanged { break; }
        old = now.old_value;
    }
    loop {
        let was = atomicLoad(&near_signed[7]);
        if atomicCompareExchangeWeak(&near_signed[7], was, was + 3).exchanged { break; }
    }
    workgroupBarrier();
    if i < 8u {
        output[id.x / 64u * 16u + i] = atomicLoad(&near[i]);
        output[id.x / 64u * 16u + i + 8u] = bitcast<u32>(atomicExchange(&near_signed[i], 5));
        atomicStore(&near[i], 1u);
    }
}
