// The place in a three-dimensional array, by a function: plane times its size wraps to 0, in bounds.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

fn place(at: vec3<i32>, extent: i32) -> i32 {
    if at.z < 0 {
        return at.x;
    }
    let plane = extent * extent;
    return at.z * plane + at.y * extent + at.x;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = place(vec3(i32(id.x), 0, 65536), 65536);
    output[id.x] = input[u32(at)]; // FINDING: index_overflow
}
