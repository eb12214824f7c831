// Waits without bound for the workgroup before: on a device that does not run it at the same time, for ever.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> sums: array<atomic<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    var before = 0u;
    if group.x > 0u {
        loop {
            if atomicLoad(&flags[group.x - 1u]) == 1u { // FINDING: spin
                break;
            }
        }
        before = atomicLoad(&sums[group.x - 1u]);
    }
    atomicStore(&sums[group.x], before + input[group.x]);
    atomicStore(&flags[group.x], 1u);
}
