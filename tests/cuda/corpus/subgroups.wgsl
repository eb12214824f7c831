// run
// Every subgroup operation over every type that has it. A workgroup of 64 fills its subgroups.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<private> at: u32;

fn put(x: u32) { output[at] = x; at += 1u; }
fn put_i(x: i32) { put(bitcast<u32>(x)); }
fn put_f(x: f32) { put(bitcast<u32>(x)); }
fn put4(x: vec4<u32>) { put(x.x); put(x.y); put(x.z); put(x.w); }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) which: u32, @builtin(num_subgroups) count: u32) {
    at = id.x * 128u;
    let x = input[id.x % 509u];
    let i = bitcast<i32>(x);
    let f = f32(x % 2u + 1u);
    let v = vec4<u32>(x, x >> 3u, lane, 7u);
    put(size); put(lane); put(which); put(count);
    put(subgroupAdd(x)); put(subgroupMul(x)); put(subgroupMin(x)); put(subgroupMax(x));
    put(subgroupAnd(x)); put(subgroupOr(x)); put(subgroupXor(x));
    put_i(subgroupAdd(i)); put_i(subgroupMul(i)); put_i(subgroupMin(i)); put_i(subgroupMax(i));
    put_i(subgroupAnd(i)); put_i(subgroupOr(i)); put_i(subgroupXor(i));
    put_f(subgroupAdd(f)); put_f(subgroupMin(f)); put_f(subgroupMax(f));
    put(subgroupInclusiveAdd(x)); put(subgroupExclusiveAdd(x)); put(subgroupInclusiveMul(x)); put(subgroupExclusiveMul(x));
    put_i(subgroupInclusiveAdd(i)); put_i(subgroupExclusiveMul(i)); put_f(subgroupInclusiveAdd(f)); put_f(subgroupExclusiveAdd(f));
    put(u32(subgroupAll(x > 3u))); put(u32(subgroupAny(x % 5u == 0u)));
    put4(subgroupBallot(x % 2u == 0u)); put4(subgroupBallot());
    put(subgroupBroadcast(x, 5u)); put(subgroupBroadcastFirst(x)); put_f(subgroupBroadcast(f, 3u));
    put(subgroupShuffle(x, (lane * 5u + 3u) % 32u)); put(subgroupShuffleXor(x, 9u));
    put(select(0u, subgroupShuffleUp(x, 3u), lane >= 3u)); put(select(0u, subgroupShuffleDown(x, 3u), lane < 29u));
    put(quadBroadcast(x, 2u)); put(quadSwapX(x)); put(quadSwapY(x)); put(quadSwapDiagonal(x));
    put4(subgroupAdd(v)); put4(subgroupMax(v)); put4(subgroupShuffleXor(v, 1u)); put4(subgroupInclusiveAdd(v)); put4(subgroupBroadcastFirst(v));
    put_i(subgroupShuffle(vec2<i32>(i, -i), 31u - lane).y); put_f(subgroupShuffleXor(vec3<f32>(f), 4u).z);
    subgroupBarrier();
    if lane % 3u == 1u { put(subgroupAdd(1u)); } else { put(subgroupMax(lane)); }
    for (var n = 0u; n < lane % 4u; n++) { put(subgroupAdd(n + 1u)); }
}
