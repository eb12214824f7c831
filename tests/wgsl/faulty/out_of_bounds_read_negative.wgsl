// The first invocation reads before the start: a signed index of -1.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let before = i32(id.x) - 1;
    output[id.x] = input[before]; // FINDING: out_of_bounds_read
}
