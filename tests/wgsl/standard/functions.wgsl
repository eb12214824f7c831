//// of bits
//= 31 8 3 15 4294967295 3 3 240 2147483648 30 4294967295
//# 1 255 8 240 0
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = countLeadingZeros(x[0]); out[1] = countOneBits(x[1]); out[2] = countTrailingZeros(x[2]);
    out[3] = extractBits(x[3], 4u, 4u); out[4] = bitcast<u32>(extractBits(bitcast<i32>(x[1]), 0u, 8u));
    out[5] = firstLeadingBit(x[2]); out[6] = firstTrailingBit(x[2]); out[7] = insertBits(x[4], 15u, 4u, 4u);
    out[8] = reverseBits(x[0]); out[9] = bitcast<u32>(firstLeadingBit(bitcast<i32>(~0x40000000u ^ x[4])));
    out[10] = firstLeadingBit(x[4]);
}
//// that pack and unpack
//= 2130739583 4278255360 1006632960 32767 65535 4278321663 2164260865 4294902783 2139062143 2155905152 7 4294967295 8
//# 1 2 3
requires packed_4x8_integer_dot_product;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(1) fn main() {
    let one = f32(x[0]);
    out[0] = pack4x8snorm(vec4f(one, -one, 0.0, one));
    out[1] = pack4x8unorm(vec4f(0.0, one, 0.0, one));
    out[2] = pack2x16float(vec2f(0.0, one));
    out[3] = pack2x16snorm(vec2f(one, 0.0));
    out[4] = pack2x16unorm(vec2f(one, 0.0));
    out[5] = pack4xU8(vec4u(255u, x[0], 2u, 255u));
    out[6] = pack4xI8(vec4i(1, 0, 0, -127) * i32(x[0]));
    out[7] = pack4xU8Clamp(vec4u(255u, 3u, 300u, 255u) * x[0]);
    out[8] = pack4xI8Clamp(vec4i(127, 200, 300, 400) * i32(x[0]));
    out[9] = pack4xI8Clamp(vec4i(i32(x[1]) * -100));
    let a = unpack4xU8(0x0403u * x[0]);
    out[10] = a.x + a.y;
    out[11] = bitcast<u32>(unpack4xI8(0xffu * x[0]).x);
    let b = unpack2x16float(pack2x16float(vec2f(1.0, 2.0) * one)) + unpack2x16snorm(0x7fffu * x[0]) + unpack2x16unorm(0xffff0000u * x[0]);
    let c = unpack4x8snorm(0x7f7fu * x[0]) + unpack4x8unorm(0xffu * x[0]);
    out[12] = u32(round(b.x + b.y + c.x + c.y));
}
//// of numbers, exact
//= 5 3 7 2 250 8 1 4 3 2 1 0 5 10 3 40 750 2 12 3
//# 5 2 7
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(1) fn main() {
    let f = f32(x[0]); let g = f32(x[1]);
    out[0] = u32(abs(-i32(x[0]))); out[1] = u32(ceil(g + 0.25)); out[2] = u32(clamp(f + 10.0, g, f32(x[2])));
    out[3] = u32(floor(g + 0.75)); out[4] = u32(1000.0 * fract(f + 0.25)); out[5] = u32(max(f + 3.0, g)); out[6] = u32(min(f, g - 1.0));
    out[7] = u32(mix(g, f + 1.0, 0.5)); out[8] = u32(round(g + 0.75)); out[9] = u32(round(g + 0.5));
    out[10] = u32(saturate(f)); out[11] = u32(step(f, g)); out[12] = u32(trunc(f + 0.75)); out[13] = u32(fma(f, g, 0.0));
    out[14] = u32(sign(g) + 2.0); out[15] = u32(ldexp(f, i32(x[1]) + 1)); out[16] = u32(1000.0 * frexp(f + 1.0).fract);
    out[17] = u32(modf(g + 0.5).whole); out[18] = u32(dot(vec3u(x[0], x[1], 0u), vec3u(2u, 1u, 9u))); out[19] = u32(frexp(f).exp);
}
//// of numbers, to a thousandth
//= 841 540 1557 52 105 785 464 1175 1543 762 881 1317 549 2718 2303 500 3142 57296 8000 3000 9000 2000 500
//# 1 2 3
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
fn rounded(x: f32) -> u32 { return u32(round(1000.0 * x)); }
@compute @workgroup_size(1) fn main() {
    let one = f32(x[0]); let half = one / f32(x[1]);
    out[0] = rounded(sin(one)); out[1] = rounded(cos(one)); out[2] = rounded(tan(one)); out[3] = rounded(asin(half) / 10.0);
    out[4] = rounded(acos(half) / 10.0); out[5] = rounded(atan(one)); out[6] = rounded(atan2(one, f32(x[1])));
    out[7] = rounded(sinh(one)); out[8] = rounded(cosh(one)); out[9] = rounded(tanh(one)); out[10] = rounded(asinh(one));
    out[11] = rounded(acosh(f32(x[1]))); out[12] = rounded(atanh(half)); out[13] = rounded(exp(one));
    out[14] = rounded(log(10.0 * one)); out[15] = rounded(inverseSqrt(4.0 * one)); out[16] = rounded(radians(180.0 * one));
    out[17] = rounded(degrees(one)); out[18] = rounded(exp2(3.0 * one)); out[19] = rounded(log2(8.0 * one));
    out[20] = rounded(pow(3.0 * one, f32(x[1]))); out[21] = rounded(sqrt(4.0 * one)); out[22] = rounded(smoothstep(0.0, 2.0, one));
}
//// of vectors and matrices
//= 5000 5000 600 1 2 1000 3 1000 5 10 1
//# 3 4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
fn rounded(x: f32) -> u32 { return u32(round(1000.0 * x)); }
@compute @workgroup_size(1) fn main() {
    let v = vec2f(f32(x[0]), f32(x[1]));
    out[0] = rounded(length(v)); out[1] = rounded(distance(v + 1.0, vec2f(1.0))); out[2] = rounded(normalize(v).x);
    out[3] = u32(cross(vec3f(v.x - 2.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0)).z); out[4] = u32(-determinant(mat2x2f(1.0, 2.0, v.x, v.y)));
    out[5] = rounded(-faceForward(vec2f(0.0, 1.0), v, vec2f(1.0)).y); out[6] = u32(reflect(vec2f(v.x, -1.0), vec2f(0.0, 1.0)).x);
    out[7] = rounded(-refract(vec2f(0.0, -1.0), vec2f(0.0, v.x - 2.0), 0.5).y); out[8] = u32(transpose(mat2x3f(1.0, 2.0, v.x, v.y, 5.0, 6.0))[1].y);
    out[9] = u32((mat2x2f(1.0, 2.0, v.x, v.y) * vec2f(1.0, v.x)).x); out[10] = u32(all(v > vec2f(2.0)) && any(v > vec2f(3.0)) && !all(v > vec2f(3.0)));
}
//// select, bitcast, arrayLength, quantizeToF16
//= 7 1065353216 3 2048
//# 2049 1 7
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = select(x[0], x[2], x[1] == 1u); out[1] = bitcast<u32>(f32(x[1])); out[2] = arrayLength(&x);
    out[3] = u32(quantizeToF16(f32(x[0])));
}
//// halves by packing
//= 1006648832 2 16384
//# 1006648832
enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(1) fn main() {
    let pair = vec2<f16>(unpack2x16float(x[0]));
    out[0] = pack2x16float(vec2f(pair)); out[1] = u32(pair.y + pair.y); out[2] = pack2x16float(vec2f(f32(pair.y + pair.y), 0.0));
}
//// of atomics
//= 10 13 12 4 5 7 3 20 4 1 0 9
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> a: atomic<u32>;
var<workgroup> b: atomic<i32>;
@compute @workgroup_size(1) fn main() {
    atomicStore(&a, 10u); out[0] = atomicAdd(&a, 3u); out[1] = atomicSub(&a, 1u); out[2] = atomicAnd(&a, 4u);
    out[3] = atomicOr(&a, 1u); out[4] = atomicXor(&a, 2u); out[5] = atomicMin(&a, 3u); out[6] = atomicMax(&a, 20u);
    out[7] = atomicExchange(&a, 4u);
    let first = atomicCompareExchangeWeak(&b, 5, 6);
    out[8] = atomicLoad(&a); out[9] = u32(!first.exchanged); out[10] = u32(first.old_value);
    loop { if atomicCompareExchangeWeak(&b, 0, 9).exchanged { break; } }
    out[11] = u32(atomicLoad(&b));
}
//// of synchronisation
//= 128 8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> near: array<u32, 16>;
var<workgroup> count: u32;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    if i == 3u { count = 8u; }
    near[i] = workgroupUniformLoad(&count);
    workgroupBarrier(); storageBarrier(); textureBarrier();
    if i == 0u {
        var sum = 0u;
        for (var k = 0u; k < 16u; k++) { sum += near[k]; }
        out[0] = sum; out[1] = near[15];
    }
}
//// of subgroups: sums, products and their scans
//= 64 1 0 1 1 1 5 9 9
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> sum: atomic<u32>;
var<workgroup> wrong: atomic<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32) {
    atomicAdd(&sum, u32(subgroupInclusiveAdd(1u) == lane + 1u));
    let right = subgroupMul(1u) == 1u && subgroupExclusiveAdd(1u) == lane && subgroupExclusiveMul(1u) == 1u
        && subgroupInclusiveMul(1u) == 1u && subgroupMin(i) == i - lane && subgroupMax(lane) == subgroupAdd(1u) - 1u;
    if !right { atomicAdd(&wrong, 1u); }
    workgroupBarrier();
    if i == 0u {
        out[0] = atomicLoad(&sum); out[1] = subgroupMul(1u); out[2] = atomicLoad(&wrong); out[3] = subgroupExclusiveMul(1u);
        out[4] = subgroupInclusiveMul(1u); out[5] = subgroupInclusiveAdd(1u); out[6] = subgroupAdd(5u); out[7] = subgroupMin(9u);
        out[8] = subgroupMax(9u);
    }
}
//// of subgroups: bits, votes and exchanges
//= 0 6 7 1 1 0 1 9 9
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> wrong: atomic<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32) {
    let first = i - lane;
    let reversed = subgroupShuffle(i, size - 1u - lane); let paired = subgroupShuffleXor(i, 1u);
    let up = subgroupShuffleUp(i, 1u); let down = subgroupShuffleDown(i, 1u);
    let third = subgroupBroadcast(i, 2u); let lowest = subgroupBroadcastFirst(i);
    let x = quadSwapX(i); let y = quadSwapY(i); let z = quadSwapDiagonal(i); let second = quadBroadcast(i, 1u);
    let right = reversed == first + size - 1u - lane && paired == (i ^ 1u) && (lane == 0u || up == i - 1u)
        && (lane + 1u == size || down == i + 1u) && third == first + 2u && lowest == first;
    let quads = x == (i ^ 1u) && y == (i ^ 2u) && z == (i ^ 3u) && second == (i & ~3u) + 1u;
    if !right || !quads { atomicAdd(&wrong, 1u); }
    workgroupBarrier();
    if i == 0u {
        out[0] = atomicLoad(&wrong); out[1] = subgroupAnd(6u); out[2] = subgroupOr(7u); out[3] = u32(subgroupAll(true));
        out[4] = u32(subgroupAny(true)); out[5] = u32(subgroupAny(false)); out[6] = subgroupBallot(true).x & 1u;
        out[7] = subgroupXor(9u); out[8] = subgroupBroadcastFirst(9u);
    }
}
