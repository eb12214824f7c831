// An offset that is added up in a variable until it no longer fits: 64 times 2^26 is 0, in bounds.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var offset = id.x;
    for (var row = 0u; row < 64u; row++) {
        offset += 1u << 26u;
    }
    output[id.x] = input[offset]; // FINDING: index_overflow
}
