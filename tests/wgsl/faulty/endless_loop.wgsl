// Halves until odd: zero never is.
@group(0) @binding(0) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = words[id.x];
    while x % 2u == 0u { // FINDING: endless_loop
        x /= 2u;
    }
    words[id.x] = x;
}
