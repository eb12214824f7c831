// A row's offset that needs more than 32 bits: it wraps to 0, in bounds, for every row.
const ROW = 65536u;

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x * ROW;
    output[id.x] = input[row * ROW + id.x]; // FINDING: index_overflow
}
