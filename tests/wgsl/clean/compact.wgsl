// Keeps the words that are multiples of three, in any order: a place from a counter for each.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;
@group(0) @binding(2) var<storage, read_write> count: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&input) {
        return;
    }
    let value = input[id.x];
    if value % 3u == 0u {
        kept[atomicAdd(&count, 1u)] = value;
    }
}
