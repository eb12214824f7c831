// Neighbours by indices that are kept inside by min, max and clamp, and one that is dropped at the end.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let last = arrayLength(&input) - 1u;
    let before = input[u32(max(i32(id.x) - 1, 0)) * u32(id.x <= last)];
    let here = input[min(id.x, last)];
    let next = input[clamp(id.x + 1u, 0u, last)];
    let after = select(0u, input[id.x + 2u], id.x + 2u <= last);
    if id.x <= last {
        output[id.x] = before + here + next + after;
    }
}
