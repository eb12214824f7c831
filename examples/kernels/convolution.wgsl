// Convolutions: each invocation makes one result, of all the weights that meet values; past the ends are zeros.
@group(0) @binding(0) var<uniform> extents: vec4<u32>; // rows and columns of the values, then of the weights; both odd
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;

@compute @workgroup_size(64)
fn line(@builtin(global_invocation_id) id: vec3<u32>) {
    let middle = extents.w / 2u;
    if id.x >= extents.y {
        return;
    }
    var sum = 0.0;
    // Below 0 a place wraps around, past all that there are.
    for (var t = 0u; t < extents.w; t++) {
        let at = id.x + middle - t;
        if at < extents.y {
            sum += weights[t] * values[at];
        }
    }
    results[id.x] = sum;
}

@compute @workgroup_size(16, 16)
fn plane(@builtin(global_invocation_id) id: vec3<u32>) {
    let middle = extents.zw / 2u;
    if id.y >= extents.x || id.x >= extents.y {
        return;
    }
    var sum = 0.0;
    for (var v = 0u; v < extents.z; v++) {
        let row = id.y + middle.x - v;
        for (var u = 0u; u < extents.w; u++) {
            let column = id.x + middle.y - u;
            if row < extents.x && column < extents.y {
                sum += weights[v * extents.w + u] * values[row * extents.y + column];
            }
        }
    }
    results[id.y * extents.y + id.x] = sum;
}
