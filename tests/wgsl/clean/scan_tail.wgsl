// Inclusive sums of workgroups, whose last one has a tail that is filled up with zeros.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> sums: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let inside = id.x < arrayLength(&input);
    sums[local] = select(0u, input[id.x], inside);
    workgroupBarrier();
    for (var step = 1u; step < 64u; step *= 2u) {
        let own = sums[local];
        let other = select(0u, sums[local - step], local >= step);
        workgroupBarrier();
        sums[local] = own + other;
        workgroupBarrier();
    }
    if inside {
        output[id.x] = sums[local];
    }
}
