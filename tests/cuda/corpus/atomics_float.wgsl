// run
// Float atomics: sums of small integers are exact in any order.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<atomic<f32>, 4>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = f32(input[id.x % 509u] % 64u);
    if id.x == 0u { atomicStore(&sums[0], 1.0); let was = atomicExchange(&sums[1], 2.0); atomicStore(&sums[3], was); }
    atomicAdd(&sums[2], x);
}
