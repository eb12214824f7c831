// run
// More workgroup memory than CUDA gives statically: 64 KiB.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> tile: array<vec4<u32>, 3840>;
var<workgroup> more: array<u32, 512>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
    for (var n = i; n < 3840u; n += 128u) { tile[n] = vec4<u32>(n + group.x, input[n % 509u], n * 3u, 1u); }
    more[i * 4u] = i;
    workgroupBarrier();
    let t = tile[(i * 29u + 5u) % 3840u];
    output[group.x * 128u + i] = t.x + t.y + t.z + t.w + more[511u - i];
}
