// run
// Integer functions: bits, packed bytes, sums of products.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<private> at: u32;

fn put(x: u32) { output[at] = x; at += 1u; }
fn put_i(x: i32) { put(bitcast<u32>(x)); }
fn put4(x: vec4<u32>) { put(x.x); put(x.y); put(x.z); put(x.w); }
fn put4_i(x: vec4<i32>) { put4(bitcast<vec4<u32>>(x)); }

fn scalars(a: u32, b: u32) {
    let i = bitcast<i32>(a);
    let j = bitcast<i32>(b);
    put(countLeadingZeros(a)); put_i(countLeadingZeros(i)); put(countTrailingZeros(a)); put_i(countTrailingZeros(i));
    put(countOneBits(a)); put_i(countOneBits(i)); put(reverseBits(a)); put_i(reverseBits(i));
    put(firstLeadingBit(a)); put_i(firstLeadingBit(i)); put(firstTrailingBit(a)); put_i(firstTrailingBit(i));
    put(extractBits(a, b % 40u, b / 64u % 40u)); put_i(extractBits(i, b % 40u, b / 64u % 40u));
    put(insertBits(a, b, b % 40u, a % 40u)); put_i(insertBits(i, j, b % 40u, a % 40u));
    put(abs(a)); put_i(abs(i)); put(min(a, b)); put_i(min(i, j)); put(max(a, b)); put_i(max(i, j));
    put(clamp(a, b, a ^ b)); put_i(clamp(i, j, i ^ j)); put_i(sign(i));
    put(dot4U8Packed(a, b)); put_i(dot4I8Packed(a, b));
    put4_i(unpack4xI8(a)); put4(unpack4xU8(a));
}

fn vectors(x: vec4<u32>, y: vec4<u32>) {
    let i = bitcast<vec4<i32>>(x);
    let j = bitcast<vec4<i32>>(y);
    put4(countLeadingZeros(x)); put4_i(countLeadingZeros(i)); put4(countTrailingZeros(x)); put4_i(countTrailingZeros(i));
    put4(countOneBits(x)); put4(reverseBits(x)); put4_i(reverseBits(i));
    put4(firstLeadingBit(x)); put4_i(firstLeadingBit(i)); put4(firstTrailingBit(x)); put4_i(firstTrailingBit(i));
    put4(extractBits(x, y.x % 40u, y.y % 40u)); put4_i(extractBits(i, y.x % 40u, y.y % 40u));
    put4(insertBits(x, y, y.z % 40u, y.w % 40u)); put4_i(insertBits(i, j, y.z % 40u, y.w % 40u));
    put4(abs(x)); put4_i(abs(i)); put4(min(x, y)); put4_i(max(i, j)); put4(clamp(x, y, x ^ y)); put4_i(clamp(i, j, i ^ j)); put4_i(sign(i));
    put(dot(x, y)); put_i(dot(i, j)); put(dot(x.xy, y.xy)); put_i(dot(i.xyz, j.xyz));
    put(pack4xI8(i)); put(pack4xU8(x)); put(pack4xI8Clamp(i)); put(pack4xU8Clamp(x));
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    at = id.x * 256u;
    let k = id.x * 8u;
    scalars(input[k % 509u], input[(k + 1u) % 509u]);
    vectors(vec4<u32>(input[k % 509u], input[(k + 2u) % 509u], input[(k + 3u) % 509u], input[(k + 4u) % 509u]),
        vec4<u32>(input[(k + 5u) % 509u], input[(k + 6u) % 509u], input[(k + 7u) % 509u], input[(k + 8u) % 509u]));
}
