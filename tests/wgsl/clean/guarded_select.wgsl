// The usual guard: what lies past the end is read, computed with, and dropped.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

fn scaled(value: u32) -> u32 {
    return value * 3u + 1u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    output[id.x] = select(7u, scaled(input[id.x]), id.x < arrayLength(&input));
}
